// What the tests of a hosted world share: a small world with its recording, what it answered, and a
// full disk.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "server/formats/world_file.h"
#include "server/host/world_runner.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::host {

using std::chrono::milliseconds;

inline constexpr const char* kWorldText = R"(
[world]
name = "tub"
size = [64, 64, 1]
tick_rate = 200
)";

/// However long the machine takes for a tick, commands are taken.
inline WorkLimits patient() {
  WorkLimits limits;
  limits.busy_seconds = 1e9;
  return limits;
}

class WorldRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto spec = formats::parse_world(kWorldText, "test world");
    auto world = std::move(sim::World::create(spec.value())).value();
    auto recorder = record::Recorder::create(path(), kWorldText, *world);
    ASSERT_TRUE(recorder.ok()) << recorder.error();
    runner_ =
        std::make_unique<WorldRunner>(std::move(world), std::move(recorder).value(), executor_,
                                      metrics_.add_world("tub"), patient(), drive());
  }
  [[nodiscard]] virtual Drive drive() const { return {}; }
  [[nodiscard]] std::string path() const { return directory_.file("tub.sluice"); }

  Status pour(std::uint64_t seq) {
    return runner_->submit(
        {{seq, R"({"cmd": "pour", "at": [5, 60, 0], "units": 9})"}, 7, "tester"});
  }
  // Takes mail until there are so many replies.
  std::vector<net::CommandReply> replies(std::size_t count) {
    std::vector<net::CommandReply> all;
    EXPECT_TRUE(tests::wait_until([&] {
      auto mail = runner_->feed().take();
      all.insert(all.end(), mail.replies.begin(), mail.replies.end());
      return all.size() >= count;
    }));
    return all;
  }

  tests::TemporaryDirectory directory_;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<WorldRunner> runner_;
};

/// Every write past the first byte of a file fails, as on a full disk, until it is freed.
class FullDisk {
 public:
  FullDisk() {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit full = before_;
    full.rlim_cur = 1;
    setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

}  // namespace sluice::host
