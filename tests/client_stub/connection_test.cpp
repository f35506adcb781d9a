// Goal: a client that says nothing stays connected for as long as it answers the server's pings.
#include "client_stub/connection.h"

#include <chrono>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "tests/net/test_server.h"

namespace sluice::tests::connection_test {
namespace {

using namespace std::chrono_literals;

// What was sent from the `opened` event was written twice at once. The second write waited inside
// the stream until the server's first ping, then sent whatever lay at its address by then.
TEST(Connection, OutlivesTheServersPings) {
  net::ServerOptions options;
  options.limits.idle = 400ms;
  TestServer server(options);
  boost::asio::io_context context;
  std::unique_ptr<client::Connection> connection;
  std::string ended;
  client::Connection::Events events;
  events.opened = [&] {
    connection->send(protocol::encode(protocol::Hello{.client_name = "quiet"}));
  };
  events.received = [](protocol::ByteView) {};
  events.closed = [&](std::string reason) { ended = std::move(reason); };
  const std::string url = "ws://127.0.0.1:" + std::to_string(server.port()) + "/worlds/dam";
  connection = client::Connection::start(context, client::parse_address(url).value(), events);
  context.run_for(2s);  // several pings
  EXPECT_EQ(ended, "");
  EXPECT_EQ(server.feed().counters().bad_messages.load(), 0U);
  EXPECT_EQ(server.feed().counters().viewers.load(), 1);
}

}  // namespace
}  // namespace sluice::tests::connection_test
