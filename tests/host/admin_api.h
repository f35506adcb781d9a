// The admin API without sockets, on a world that runs, for tests of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/access/accounts_file.h"
#include "server/access/token.h"
#include "server/host/admin_api.h"
#include "server/host/world_runner.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::host::admin_api_test {

inline constexpr const char* kPond = R"(
[world]
name = "pond"
size = [64, 64, 1]
tick_rate = 100
[[source]]
at = [5, 60, 0]
rate = 100
)";

class AdminApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.file("data"));
    HostedWorlds::Options options;
    options.data_directory = folder_.file("data");
    options.verify = false;
    options.now = [] { return std::int64_t{0}; };
    worlds_ = std::make_unique<HostedWorlds>(std::move(options), executor_, metrics_);
    ASSERT_TRUE(worlds_->read_file().ok());
    const auto made = worlds_->create(kPond);
    ASSERT_TRUE(made.ok()) << made.error();
    runner_ = worlds_->runner("pond");
  }
  void open(bool with_accounts) {
    access::GateRules rules;
    if (with_accounts) {
      rules.accounts_file = folder_.file("tokens.toml");
      std::ofstream file(rules.accounts_file);
      for (const auto& [name, role] :
           {std::pair("olga", "operate"), {"adam", "admin"}, {"bert", "build"}}) {
        file << "[[account]]\nname = \"" << name << "\"\ntoken = \"" << access::hash_of(name)
             << "\"\n[account.roles]\n\"*\" = \"" << role << "\"\n";
      }
    }
    gate_ = std::make_unique<access::Gate>(rules);
    ASSERT_TRUE(gate_->read_accounts().ok());
    AdminTargets targets;
    targets.worlds = worlds_.get();
    targets.gate = gate_.get();
    targets.open = !with_accounts;
    targets.health = [] { return std::string("alive\n"); };
    targets.readiness = [] { return net::Readiness{false, "pond: stands still\n"}; };
    targets.metrics = [] { return std::string("a_metric 1\n"); };
    targets.status = [] { return std::string("<!doctype html>\n"); };
    targets.reload = [this]() -> Result<std::vector<std::string>> {
      if (Status read = gate_->read_accounts(); !read.ok()) return Error{read.error()};
      return std::vector<std::string>{"listen"};
    };
    Backups::Options backups;
    backups.folder = folder_.file("backups");
    backups.now = [] { return std::int64_t{0}; };
    backups_ = std::make_unique<Backups>(std::move(backups));
    backups_->add("pond", path());
    targets.backup = [this](const std::string& world) { return backups_->make(world); };
    targets.change_accounts = [this, file = rules.accounts_file](const auto& change) -> Status {
      if (file.empty()) return Error{"no file"};
      if (Status changed = access::change_accounts(file, change); !changed) return changed;
      return gate_->read_accounts();
    };
    targets.apply_roles = [this] { ++applied_; };
    targets.kick = [](const std::string& /*world*/, const std::string& account) {
      return std::optional(account.size());
    };
    api_ = std::make_unique<AdminApi>(std::move(targets));
  }
  net::AdminAnswer ask(const std::string& method, const std::string& target,
                       const std::string& body = "", const std::string& token = "") {
    return api_->answer({method, target, token.empty() ? "" : "Bearer " + token, body});
  }
  net::AdminAnswer post(const std::string& action, const std::string& body = "") {
    return ask("POST", "/api/worlds/pond/" + action, body);
  }
  [[nodiscard]] std::string path() const { return folder_.file("data/pond.sluice"); }
  /// Of a paused world, once it has taken the steps that it was told to. What is saved is saved
  /// between two ticks.
  std::uint64_t tick_when_still() {
    EXPECT_TRUE(tests::wait_until([&] { return runner_->pace().steps == 0; }));
    const auto saved = runner_->save(std::chrono::seconds(60));
    EXPECT_TRUE(saved.ok()) << saved.error();
    return saved.ok() ? *saved : 0;
  }

  tests::TemporaryDirectory folder_;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<HostedWorlds> worlds_;
  WorldRunner* runner_ = nullptr;
  std::unique_ptr<access::Gate> gate_;
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<AdminApi> api_;
  int applied_ = 0;  // times that roles were looked at anew
};

}  // namespace sluice::host::admin_api_test
