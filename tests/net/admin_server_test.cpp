// Goal: the admins' listener answers whoever should be, and nobody can keep it busy or fill it.
// Method: real sockets against a listener in this process.
#include "server/net/admin_server.h"

#include <future>

#include <gtest/gtest.h>

#include "tests/support/wire_client.h"

namespace sluice::tests::admin_server_test {
namespace {

std::unique_ptr<net::AdminServer> serve(net::AdminLimits limits = {}) {
  net::AdminOptions options;
  options.limits = limits;
  options.answer = [](const net::AdminAsked& asked) {
    return net::AdminAnswer{200, "text/plain",
                            asked.method + " " + asked.path + " " + asked.authorization + " " +
                                std::to_string(asked.body.size())};
  };
  return std::move(net::AdminServer::start(std::move(options))).value();
}

TEST(AdminServer, HandsOnWhatIsAsked) {
  const auto server = serve();
  EXPECT_EQ(server->address(), "127.0.0.1:" + std::to_string(server->port()));
  const HttpAnswer answer =
      http_request(server->port(), "POST", "/a/b?c=d", "Authorization: Bearer x\r\n", "12345");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "POST /a/b Bearer x 5");
  EXPECT_EQ(http_request(server->port(), "HEAD", "/").body, "");
}

TEST(AdminServer, LetsNoPageIn) {
  const auto server = serve();
  EXPECT_EQ(http_request(server->port(), "POST", "/", "Origin: http://127.0.0.1:8080\r\n").status,
            403U);
  const std::string rebound = raw_exchange(
      server->port(), "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(rebound.substr(9, 3), "403");
}

TEST(AdminServer, IsNeitherFilledNorKeptWaiting) {
  net::AdminLimits limits;
  limits.connections = 2;
  limits.request = std::chrono::milliseconds(200);
  limits.body_bytes = 100;
  const auto server = serve(limits);
  EXPECT_EQ(http_request(server->port(), "POST", "/", "", std::string(100, 'x')).status, 200U);
  EXPECT_EQ(http_request(server->port(), "POST", "/", "", std::string(101, 'x')).status, 413U);
  EXPECT_EQ(
      http_request(server->port(), "GET", "/", "X: " + std::string(20000, 'a') + "\r\n").status,
      413U);
  EXPECT_EQ(raw_exchange(server->port(), "GET / HT"), "");  // ended when its time is over
  std::vector<std::unique_ptr<SilentConnection>> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(std::make_unique<SilentConnection>(server->port()));
  EXPECT_EQ(http_request(server->port(), "GET", "/").status, 200U);
}

// A save may wait for the disk for seconds; whoever watches over the server must not wait with it.
TEST(AdminServer, AnswersQuestionsWhileAnActionWaits) {
  std::promise<void> let;
  const std::shared_future<void> go = let.get_future().share();
  net::AdminOptions options;
  options.answer = [go](const net::AdminAsked& asked) {
    if (asked.method == "POST") go.wait();
    return net::AdminAnswer{200, "text/plain", asked.method};
  };
  const auto server = std::move(net::AdminServer::start(std::move(options))).value();
  auto action = std::async(std::launch::async,
                           [&] { return http_request(server->port(), "POST", "/").body; });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(http_request(server->port(), "GET", "/").body, "GET");
  EXPECT_EQ(action.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  let.set_value();
  EXPECT_EQ(action.get(), "POST");
}

TEST(AdminServer, SaysWhereItCannotListen) {
  const auto first = serve();
  net::AdminOptions options;
  options.port = first->port();
  const auto second = net::AdminServer::start(std::move(options));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().find("cannot listen for admins on 127.0.0.1:"), 0U) << second.error();
  net::AdminOptions named;
  named.address = "localhost";
  EXPECT_FALSE(net::AdminServer::start(std::move(named)).ok());
}

}  // namespace
}  // namespace sluice::tests::admin_server_test
