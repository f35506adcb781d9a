// Goal: a layer is followed while anybody wants it, or coarse numbers that are made of it, and no
// longer.
// Method: two viewers of a hub, and what the world's thread publishes after each of their wishes.
#include <utility>

#include <gtest/gtest.h>

#include "server/net/hub.h"
#include "server/net/world_feed.h"
#include "tests/support/written_world.h"

namespace sluice::net::wanted_layers_test {
namespace {

// With temperatures, waves under wind, and events.
std::unique_ptr<sim::World> pond() {
  return tests::written_world(R"(
[world]
name = "pond"
size = [300, 100, 1]
[heat]
[waves.wind]
speed = 1000
[[fill]]
from = [0, 0, 0]
size = [300, 80, 1]
cell = "~"
[[heater]]
at = [150, 0, 0]
rate = 9000000
)");
}

/// Takes what a hub sends.
class Watcher final : public Viewer {
 public:
  explicit Watcher(Hub& hub) : hub_(hub), number_(hub.join(*this)) {}
  [[nodiscard]] bool has_room() const override { return true; }
  void send_frame(SharedBytes) override {}
  void send_reply(const protocol::ServerMessage&) override {}
  void replaced() override {}
  void want(std::uint32_t layers) { want_at(0, layers, 0); }
  void want_at(std::uint8_t level, std::uint32_t layers, std::uint32_t coarse_layers) {
    hub_.set_view(*this, {{{0, 0, 0}, {300, 100, 1}}, level, layers, coarse_layers});
  }
  void leave() { hub_.leave(number_, {}); }

 private:
  Hub& hub_;
  std::uint64_t number_;
};

class NoCommands final : public CommandIntake {
 public:
  Status submit(ClientCommand) override { return Error{"no"}; }
};

class WantedLayers : public testing::Test {
 protected:
  WantedLayers() { feed_.set_pace(true, 1000); }  // layers come with each tick

  /// Of temperatures, waves and events, the bits of those that the next tick tells of.
  unsigned told() {
    world_->tick({}, executor_);
    feed_.publish(*world_);
    unsigned bits = 0;
    const auto mail = feed_.take();
    for (std::size_t i = 0; i < 3; ++i) {
      if (!mail.publication->layers[i].empty()) bits |= 1U << i;
    }
    return bits;
  }

  std::unique_ptr<sim::World> world_ = pond();
  sim::SerialExecutor executor_;
  WorldFeed feed_{*world_};
  NoCommands intake_;
  Hub hub_{feed_, intake_, "test"};
  Watcher first_{hub_};
  Watcher other_{hub_};
};

// Bits that mean nothing are passed over; the last one who goes or wants it no more ends it.
TEST_F(WantedLayers, AreFollowedWhileAnybodyDoes) {
  EXPECT_EQ(hub_.welcome().layers, feed_.layers());
  EXPECT_EQ(told(), 0U);
  first_.want(0xffffffff);
  first_.want(0xffffffff);
  other_.want(1);
  EXPECT_TRUE((told() & 1U) != 0);
  first_.want(0);
  EXPECT_TRUE((told() & 1U) != 0);
  other_.leave();
  EXPECT_EQ(told() & 1U, 0U);
  first_.want(3);
  EXPECT_TRUE((told() & 1U) != 0);
  first_.leave();
  EXPECT_EQ(told() & 1U, 0U);
}

// A layer of coarse cells is made of the layer of cells, which is followed while anybody wants one
// of both. At level 0 there are no coarse cells.
TEST_F(WantedLayers, AreFollowedWhileAnybodyDoesFromAfar) {
  EXPECT_TRUE(hub_.welcome().coarse_layers);
  first_.want_at(0, 0, 1);
  EXPECT_EQ(told(), 0U);
  first_.want_at(2, 0, 1);
  EXPECT_EQ(told(), 1U);
  other_.want_at(1, 0, 3);
  EXPECT_EQ(told(), 3U);
  first_.leave();
  EXPECT_EQ(told(), 3U);
  other_.want_at(1, 2, 1);
  EXPECT_EQ(told(), 3U);
}

TEST_F(WantedLayers, EventsHaveNoCoarseCells) {
  constexpr std::uint32_t kEvents = 4;
  ASSERT_EQ(hub_.welcome().layers.at(2), "events");
  const auto told_in_ticks = [this](int ticks) {
    unsigned bits = 0;
    for (int i = 0; i < ticks; ++i) bits |= told();
    return bits;
  };
  first_.want(kEvents);
  EXPECT_EQ(told_in_ticks(200), kEvents);
  first_.want_at(1, 0, kEvents);
  EXPECT_EQ(told_in_ticks(200), 0U);
}

}  // namespace
}  // namespace sluice::net::wanted_layers_test
