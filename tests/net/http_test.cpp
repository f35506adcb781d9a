// Goal: every path answers as documented, and requests that are wrong, large or slow are answered
// or ended without harm. Method: real sockets against a server in this process.
#include <gtest/gtest.h>

#include "tests/net/test_server.h"
#include "tests/support/wire_client.h"

namespace sluice::tests {
namespace {

TEST(Http, EveryPathAnswers) {
  net::ServerOptions options;
  options.metrics_text = [] { return std::string("a_metric 1\n"); };
  TestServer server(std::move(options));
  EXPECT_EQ(http_request(server.port(), "GET", "/healthz").body, "alive\n");
  EXPECT_EQ(http_request(server.port(), "GET", "/readyz").status, 200U);
  EXPECT_EQ(http_request(server.port(), "GET", "/metrics").body, "a_metric 1\n");
  const HttpAnswer page = http_request(server.port(), "GET", "/");
  EXPECT_EQ(page.status, 200U);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  const HttpAnswer worlds = http_request(server.port(), "GET", "/worlds");
  EXPECT_EQ(worlds.content_type, "application/json");
  EXPECT_EQ(worlds.body,
            "[{\"name\": \"dam\", \"size\": [200, 100, 1], \"water\": \"cellular\", \"tick\": 0, "
            "\"tick_rate\": 50, \"clients\": 0, \"socket\": \"/worlds/dam\"}]\n");
}

TEST(Http, WrongRequestsAreToldSo) {
  TestServer server;
  EXPECT_EQ(http_request(server.port(), "GET", "/nothing").status, 404U);
  EXPECT_EQ(http_request(server.port(), "GET", "/worlds/nothing").status, 404U);
  EXPECT_EQ(http_request(server.port(), "GET", "/worlds/dam").status, 426U);
  EXPECT_EQ(http_request(server.port(), "POST", "/worlds", "", "x").status, 405U);
  EXPECT_EQ(
      http_request(server.port(), "GET", "/", "X: " + std::string(20000, 'a') + "\r\n").status,
      431U);
  EXPECT_EQ(http_request(server.port(), "POST", "/", "", std::string(10000, 'a')).status, 413U);
  EXPECT_EQ(raw_exchange(server.port(), "\r\nnonsense\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
  const HttpAnswer head = http_request(server.port(), "HEAD", "/healthz");
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.body, "");
}

TEST(Http, AssetsAreServedAndReplaceThePlainPage) {
  net::ServerOptions options;
  options.assets = {{"/", "text/html", "<p>hi"}, {"/viewer.js", "text/javascript", "1;"}};
  TestServer server(std::move(options));
  EXPECT_EQ(http_request(server.port(), "GET", "/").body, "<p>hi");
  EXPECT_EQ(http_request(server.port(), "GET", "/viewer.js?v=1").body, "1;");
  EXPECT_EQ(http_request(server.port(), "GET", "/viewer.js").content_type, "text/javascript");
}

TEST(Http, TheHostsOwnPagesAreMadeWhenTheyAreAskedFor) {
  net::ServerOptions options;
  int asked = 0;
  options.pages = {{"/count", "text/x-count", [&asked] { return std::to_string(++asked); }}};
  TestServer server(std::move(options));
  EXPECT_EQ(http_request(server.port(), "GET", "/count").body, "1");
  EXPECT_EQ(http_request(server.port(), "GET", "/count?again").body, "2");
  EXPECT_EQ(http_request(server.port(), "GET", "/count").content_type, "text/x-count");
  EXPECT_EQ(http_request(server.port(), "POST", "/count").status, 405U);
  EXPECT_NE(http_request(server.port(), "GET", "/nothing").body.find("/count"), std::string::npos);
}

TEST(Http, AServerThatIsNotReadySaysWhy) {
  net::ServerOptions options;
  options.readiness = [] { return net::Readiness{false, "dam: the disk is full\n"}; };
  TestServer server(std::move(options));
  const HttpAnswer answer = http_request(server.port(), "GET", "/readyz");
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body, "dam: the disk is full\n");
}

TEST(Http, ASilentConnectionIsEnded) {
  net::ServerOptions options;
  options.limits.request = std::chrono::milliseconds(100);
  TestServer server(std::move(options));
  EXPECT_EQ(raw_exchange(server.port(), "GET /healthz HT"), "");
}

TEST(Http, TooManyConnectionsAreToldSo) {
  net::ServerOptions options;
  options.limits.connections = 1;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  EXPECT_EQ(http_request(server.port(), "GET", "/healthz").status, 503U);
}

TEST(Http, PagesOfOtherSitesMayNotConnect) {
  TestServer server;
  const auto upgrade = [&](const std::string& origin) {
    return http_request(server.port(), "GET", "/worlds/dam",
                        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: " +
                            origin + "\r\n")
        .status;
  };
  EXPECT_EQ(upgrade("http://elsewhere.example"), 403U);
  EXPECT_EQ(upgrade("null"), 403U);
}

TEST(Server, APortInUseIsAnErrorThatNamesIt) {
  TestServer first;
  net::ServerOptions options;
  options.port = first.port();
  const auto second = net::Server::start(std::move(options), {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error(), "cannot listen on 127.0.0.1:" + std::to_string(first.port()) +
                                ": Address already in use");
  net::ServerOptions nowhere;
  nowhere.address = "nowhere";
  EXPECT_FALSE(net::Server::start(std::move(nowhere), {}).ok());
}

}  // namespace
}  // namespace sluice::tests
