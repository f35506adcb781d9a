// A server in the test's own process, with one world that the test ticks by hand.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/formats/script.h"
#include "server/formats/world_file.h"
#include "server/net/server.h"
#include "server/sim/world.h"

namespace sluice::tests {

inline constexpr const char* kDamWorld = R"(
[world]
name = "dam"
size = [200, 100, 1]
water = "cellular"
tick_rate = 50
[[fill]]
from = [0, 0, 0]
size = [200, 2, 1]
cell = "#"
[[fill]]
from = [0, 2, 0]
size = [60, 80, 1]
cell = "~"
)";

class TestServer final : public net::CommandIntake {
 public:
  explicit TestServer(net::ServerOptions options = {}, const std::string& world_text = kDamWorld) {
    const auto spec = formats::parse_world(world_text, "test world");
    world_ = std::move(sim::World::create(spec.value())).value();
    feed_ = std::make_unique<net::WorldFeed>(*world_);
    options.port = 0;
    options.server_version = "test";
    server_ = std::move(net::Server::start(std::move(options), {{feed_.get(), this}})).value();
  }
  ~TestServer() override { server_->stop(); }

  [[nodiscard]] Status submit(net::ClientCommand command) override {
    auto parsed = formats::parse_command(command.json, "command");
    if (!parsed.ok()) return Error{parsed.error()};
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(parsed).value(), std::move(command)});
    return Done{};
  }

  /// One tick with the commands that came, published and answered.
  void tick() {
    std::vector<Waiting> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
      if (!waiting.empty()) last_command_ = waiting.back().from;
    }
    std::vector<sim::Command> commands;
    for (const Waiting& one : waiting) commands.push_back(one.command);
    const sim::TickReport report = world_->tick(commands, executor_);
    std::vector<net::CommandReply> replies;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const sim::CommandOutcome& outcome = report.outcomes[i];
      replies.push_back({waiting[i].from.session,
                         {waiting[i].from.seq, outcome.applied(), report.tick, outcome.reason}});
    }
    feed_->deliver(std::move(replies));
    feed_->publish(*world_);
  }

  [[nodiscard]] std::size_t waiting_commands() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  /// That a tick took.
  [[nodiscard]] net::ClientCommand last_command() {
    const std::lock_guard lock(mutex_);
    return last_command_;
  }
  [[nodiscard]] const sim::World& world() const { return *world_; }
  [[nodiscard]] net::WorldFeed& feed() { return *feed_; }
  [[nodiscard]] net::Server& server() { return *server_; }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  struct Waiting {
    sim::Command command;
    net::ClientCommand from;
  };

  std::unique_ptr<sim::World> world_;
  sim::SerialExecutor executor_;
  std::unique_ptr<net::WorldFeed> feed_;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  net::ClientCommand last_command_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace sluice::tests
