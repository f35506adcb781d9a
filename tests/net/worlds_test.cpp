// Goal: a server takes on and lets go of worlds while others are watched: whose world goes is told
// why, others notice nothing, and nothing refers to it afterwards. Method: real WebSockets against
// a server in this process.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/net/test_server.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::worlds_test {
namespace {

using Event = protocol::ClientSession::Event;

constexpr const char* kPondWorld = "[world]\nname = \"pond\"\nsize = [64, 64, 1]\n";

/// A world beside the server's own.
class Pond final : public net::CommandIntake {
 public:
  Pond() : world_(formats::build_world(kPondWorld).value()), feed_(*world_) {}
  [[nodiscard]] Status submit(net::ClientCommand) override { return Error{"nobody builds here"}; }
  [[nodiscard]] net::WorldFeed& feed() { return feed_; }
  void tick() {
    (void)world_->tick({}, executor_);
    feed_.publish(*world_);
  }

 private:
  std::unique_ptr<sim::World> world_;
  net::WorldFeed feed_;
  sim::SerialExecutor executor_;
};

std::string worlds_of(const TestServer& server) {
  return http_request(server.port(), "GET", "/worlds").body;
}

TEST(Worlds, OneComesAndGoesWhileAnotherIsWatched) {
  TestServer server;
  WireClient other(server.port(), "/worlds/dam");
  ASSERT_TRUE(other.greet());
  EXPECT_THROW(WireClient(server.port(), "/worlds/pond"), std::runtime_error);
  for (int round = 0; round < 3; ++round) {
    auto pond = std::make_unique<Pond>();
    ASSERT_TRUE(server.server().add_world({&pond->feed(), pond.get()}).ok());
    EXPECT_THAT(worlds_of(server), testing::HasSubstr("\"pond\""));
    WireClient client(server.port(), "/worlds/pond");
    ASSERT_TRUE(client.greet());
    pond->tick();
    ASSERT_TRUE(client.pump_until([&](Event) { return client.mirror().tick() == 1; }));
    // What it said last is told before it goes.
    pond->tick();
    pond->feed().deliver({{1, {7, true, 2, ""}}});
    std::thread remover([&] { server.server().remove_world("pond", "the world was unloaded"); });
    EXPECT_TRUE(client.wait_closed());
    remover.join();
    EXPECT_EQ(client.session().last_result().seq, 7U);
    EXPECT_EQ(client.session().reason(), "refused: the world was unloaded");
    EXPECT_EQ(client.session().refused()->code, protocol::RefusalCode::kWorldGone);
    EXPECT_EQ(pond->feed().counters().viewers, 0);
    pond.reset();  // nobody looks into it any more, as a sanitizer would say
    EXPECT_THAT(worlds_of(server), testing::Not(testing::HasSubstr("pond")));
    EXPECT_EQ(http_request(server.port(), "GET", "/worlds/pond/fixtures").status, 404U);
    const std::uint64_t tick = other.mirror().tick();
    server.tick();
    EXPECT_TRUE(other.pump_until([&](Event) { return other.mirror().tick() > tick; }));
  }
}

// As one who looks back has it: a place in the history of a world, beside the world.
TEST(Worlds, APositionIsServedBesideItsWorldAndListedNowhere) {
  TestServer server;
  const std::string before = worlds_of(server);
  auto world = std::make_unique<Pond>();
  auto position = std::make_unique<Pond>();
  ASSERT_TRUE(server.server().add_world({&world->feed(), world.get()}).ok());
  const std::string listed = worlds_of(server);
  EXPECT_THROW(WireClient(server.port(), "/worlds/pond?alone=me"), std::runtime_error);
  ASSERT_TRUE(server.server().add_world({&position->feed(), position.get(), {}, "me"}).ok());
  EXPECT_EQ(worlds_of(server), listed);
  WireClient here(server.port(), "/worlds/pond?some=thing");
  WireClient there(server.port(), "/worlds/pond?some=thing&alone=me");
  for (WireClient* client : {&here, &there}) {
    ASSERT_TRUE(client->greet());
    EXPECT_EQ(client->mirror().welcome().world, "pond");
  }
  position->tick();
  ASSERT_TRUE(there.pump_until([&](Event) { return there.mirror().tick() == 1; }));
  EXPECT_EQ(here.mirror().tick(), 0U);
  EXPECT_EQ(http_request(server.port(), "GET", "/worlds/pond/fixtures?alone=me").status, 200U);
  for (const std::string wrong : {"", "you", "m", "me2", "ME", "%6de", "me?alone=me", "../me"}) {
    const std::string target = "/worlds/pond?alone=" + wrong;
    EXPECT_THROW(WireClient(server.port(), target), std::runtime_error) << target;
    EXPECT_EQ(http_request(server.port(), "GET", "/worlds/pond/fixtures?alone=" + wrong).status,
              404U);
  }
  // What the mark means in a query it does not mean in a path.
  EXPECT_THROW(WireClient(server.port(), "/worlds/pond%3fme"), std::runtime_error);

  std::thread remover([&] { server.server().remove_world("pond", "nobody watched it", "me"); });
  EXPECT_TRUE(there.wait_closed());
  remover.join();
  EXPECT_EQ(there.session().reason(), "refused: nobody watched it");
  position.reset();
  world->tick();
  EXPECT_TRUE(here.pump_until([&](Event) { return here.mirror().tick() == 1; }));
  std::thread unloader([&] { server.server().remove_world("pond", "the world was unloaded"); });
  EXPECT_TRUE(here.wait_closed());
  unloader.join();
  world.reset();
  EXPECT_EQ(worlds_of(server), before);
}

TEST(Worlds, WhoTakesNoMessageDoesNotKeepAWorld) {
  net::ServerOptions options;
  options.limits.farewell = std::chrono::milliseconds(200);
  options.limits.send_buffer_bytes = 4096;
  options.limits.messages_per_second = 1e9;
  TestServer server(std::move(options));
  auto pond = std::make_unique<Pond>();
  ASSERT_TRUE(server.server().add_world({&pond->feed(), pond.get()}).ok());
  WireClient stalled(server.port(), "/worlds/pond", "stalled", "", {}, WireClient::kSmallBuffer);
  ASSERT_TRUE(stalled.greet());
  for (std::uint64_t nonce = 1; nonce < 3000; ++nonce) stalled.session().send_ping(nonce);
  stalled.flush();
  WireClient silent(server.port(), "/worlds/pond");  // without a hello
  const auto begin = std::chrono::steady_clock::now();
  server.server().remove_world("pond", "the world was removed");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  pond.reset();
  EXPECT_THAT(worlds_of(server), testing::Not(testing::HasSubstr("pond")));
}

}  // namespace
}  // namespace sluice::tests::worlds_test
