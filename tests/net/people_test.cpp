// Goal: who points is told of all who do, and they of it; who does not, and clients of before, hear
// nothing of it; names, places, numbers and rates are bounded. Method: real WebSockets against a
// server in this process whose world is ticked by hand.
#include <gtest/gtest.h>

#include "tests/net/test_server.h"
#include "tests/support/hand_clock.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::people_test {
namespace {

using Event = protocol::ClientSession::Event;
using protocol::Person;

void point(WireClient& client, Vec3 at, bool pointing, const std::string& name,
           std::optional<protocol::Sight> sees = std::nullopt) {
  client.session().point({at, pointing, name, sees});
  client.flush();
}

/// Ticks until the client's list is as wanted.
bool sees(TestServer& server, WireClient& client,
          const std::function<bool(const std::vector<Person>&)>& wanted) {
  for (int i = 0; i < 200; ++i) {
    if (wanted(client.session().people())) return true;
    server.tick();
    client.session().send_ping(1);
    client.flush();
    if (!client.pump_until([](Event event) { return event == Event::kPong; })) return false;
  }
  return false;
}

TEST(People, WhoPointsSeesWhoPoints) {
  TestServer server;
  WireClient ada(server.port(), "/worlds/dam");
  WireClient bob(server.port(), "/worlds/dam");
  WireClient silent(server.port(), "/worlds/dam");
  for (WireClient* client : {&ada, &bob, &silent}) ASSERT_TRUE(client->greet());
  const std::uint64_t number = ada.mirror().welcome().person;
  EXPECT_NE(number, 0U);
  EXPECT_NE(number, bob.mirror().welcome().person);
  point(ada, {10, 20, 0}, true, "ada");
  point(bob, {-5, 5000, 9}, false, "bob");
  const Person first{number, "ada", false, {10, 20, 0}, true};
  const Person second{bob.mirror().welcome().person, "bob", false, {0, 99, 0}, false};
  const std::vector<Person> both = {first, second};
  for (WireClient* client : {&ada, &bob}) {
    EXPECT_TRUE(sees(server, *client, [&](const auto& people) { return people == both; }))
        << "those who came first, cut to the world";
  }
  point(ada, {11, 20, 0}, true, "ada");
  EXPECT_TRUE(sees(server, bob, [](const auto& people) {
    return people.size() == 2 && people[0].at == Vec3{11, 20, 0};
  }));
  ada.abort();
  EXPECT_TRUE(sees(server, bob, [&](const auto& people) {
    return people == std::vector<Person>{second};
  })) << "who left is gone";
  server.tick();
  silent.session().send_ping(1);
  silent.flush();
  bool heard = false;
  EXPECT_TRUE(silent.pump_until([&](Event event) {
    heard |= event == Event::kPeople;
    return event == Event::kPong;
  }));
  EXPECT_FALSE(heard) << "who never pointed is told of nobody";
}

TEST(People, AreToldOfNoOftenerThanTheirPause) {
  HandClock clock;
  net::ServerOptions options;
  options.clock = &clock;
  TestServer server(std::move(options));
  WireClient ada(server.port(), "/worlds/dam");
  ASSERT_TRUE(ada.greet());
  int lists = 0;
  constexpr int kPoints = 300;
  for (int i = 0; i < kPoints; ++i) {
    if (i == kPoints - 1) {
      EXPECT_EQ(lists, 1);
      clock.move(std::chrono::milliseconds(protocol::kPeoplePauseMilliseconds));
    }
    point(ada, {i % 200, 20, 0}, true, "ada");
    ada.session().send_ping(1);
    ada.flush();
    ASSERT_TRUE(ada.pump_until([&](Event event) {
      lists += event == Event::kPeople ? 1 : 0;
      return event == Event::kPong;
    }));
  }
  EXPECT_EQ(lists, 2);
}

TEST(People, SeeWhatOthersSee) {
  TestServer server;
  WireClient ada(server.port(), "/worlds/dam");
  WireClient bob(server.port(), "/worlds/dam");
  for (WireClient* client : {&ada, &bob}) ASSERT_TRUE(client->greet());
  point(bob, {}, true, "bob");
  const auto told = [&](const protocol::Sight& sight) {
    return sees(server, bob,
                [&](const auto& people) {
                  return people.size() == 2 && people[1].sees == sight && !people[0].sees;
                }) ||
           sees(server, bob, [&](const auto& people) {
             return people.size() == 2 && people[0].sees == sight && !people[1].sees;
           });
  };
  point(ada, {10, 20, 0}, true, "ada", protocol::Sight{{5, 6, 0}, {40, 30, 0}});
  EXPECT_TRUE(told({{5, 6, 0}, {40, 30, 0}}));
  const Vec3 last = bob.mirror().welcome().size - Vec3{1, 1, 1};
  point(ada, {10, 20, 0}, true, "ada",
        protocol::Sight{{INT32_MAX, -7, INT32_MIN}, {INT32_MIN, INT32_MAX, INT32_MAX}});
  EXPECT_TRUE(told({{}, last})) << "in any order, cut to the world";
}

// What the protocol's document says of costs.
TEST(People, TheLongestListIsAsLongAsItIsSaidToBe) {
  protocol::People people;
  const std::string name(protocol::kMaxClientNameBytes, 'n');
  const protocol::Sight sight{{1, 2, 3}, {4, 5, 6}};
  for (std::uint64_t i = 1; i <= protocol::kMaxPeople; ++i) {
    people.people.push_back({i, name, true, {1, 1, 1}, true, sight});
  }
  EXPECT_LE(protocol::encode(protocol::ServerMessage{people}).size(), 11U << 10);
}

TEST(People, ANameThatIsNoneEndsTheConnection) {
  TestServer server;
  WireClient ada(server.port(), "/worlds/dam");
  ASSERT_TRUE(ada.greet());
  point(ada, {}, true, "a\tb");
  ASSERT_TRUE(ada.wait_closed());
  EXPECT_NE(ada.close_reason().find("pointer.name must be printable ASCII"), std::string::npos);
}

}  // namespace
}  // namespace sluice::tests::people_test
