// Goal: every path answers as documented, and requests that are wrong, large or slow are answered
// or ended without harm. Method: real sockets against a server in this process.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/net/test_server.h"
#include "tests/support/certificate.h"
#include "tests/support/hand_clock.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::http_test {
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
  EXPECT_EQ(
      worlds.body,
      "[{\"name\": \"dam\", \"size\": [200, 100, 1], \"water\": \"cellular\", \"tick\": 0, "
      "\"tick_rate\": 50, \"clients\": 0, \"socket\": \"/worlds/dam\", \"role\": \"build\"}]\n");
  const HttpAnswer fixtures = http_request(server.port(), "GET", "/worlds/dam/fixtures");
  EXPECT_EQ(fixtures.content_type, "application/json");
  EXPECT_EQ(fixtures.body.find(R"({"edges": {"left": "wall", "right": "wall", "bottom": "wall")"),
            0U)
      << fixtures.body;
}

TEST(Http, WrongRequestsAreToldSo) {
  TestServer server;
  EXPECT_EQ(http_request(server.port(), "GET", "/nothing").status, 404U);
  EXPECT_EQ(http_request(server.port(), "GET", "/worlds/nothing/fixtures").status, 404U);
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

TEST(Http, AssetsAreSentSmallAndOnce) {
  net::ServerOptions options;
  const std::string script(10000, 'x');
  options.assets = {{"/", "text/html", "<p>hi"}, {"/viewer.js", "text/javascript", script}};
  TestServer server(std::move(options));
  const auto get = [&](const std::string& target, const std::string& headers) {
    return http_request(server.port(), "GET", target, headers);
  };
  const HttpAnswer plain = get("/viewer.js", "");
  EXPECT_EQ(plain.body, script);
  EXPECT_EQ(plain.head.find("Content-Encoding"), std::string::npos);
  for (const char* accept : {"gzip, deflate, br", "br;q=1.0, gzip;q=0.5", "*"}) {
    const HttpAnswer packed = get("/viewer.js", "Accept-Encoding: " + std::string(accept) + "\r\n");
    EXPECT_LT(packed.body.size(), 200U) << accept;
    EXPECT_EQ(packed.body.substr(0, 2), "\x1f\x8b") << accept;
    EXPECT_NE(packed.head.find("Content-Encoding: gzip"), std::string::npos) << accept;
  }
  EXPECT_EQ(get("/viewer.js", "Accept-Encoding: br, gzip;q=0\r\n").body, script);
  EXPECT_EQ(get("/", "Accept-Encoding: gzip\r\n").body, "<p>hi");  // it would be larger
  const std::size_t at = plain.head.find("ETag: ");
  ASSERT_NE(at, std::string::npos);
  const std::string etag = plain.head.substr(at + 6, 18);
  const HttpAnswer known = get("/viewer.js", "If-None-Match: \"other\", W/" + etag + "\r\n");
  EXPECT_EQ(known.status, 304U);
  EXPECT_EQ(known.body, "");
  EXPECT_EQ(get("/viewer.js", "If-None-Match: \"other\"\r\n").status, 200U);
}

// A handshake costs the server far more than whoever asks for one.
TEST(Http, HandshakesHaveARate) {
  const TemporaryDirectory folder;
  const Certificate certificate = make_certificate();
  net::ServerOptions options;
  options.tls_certificate = folder.write("c.pem", certificate.certificate);
  options.tls_key = folder.write("k.pem", certificate.key);
  options.limits.handshakes_per_second = 2;
  HandClock clock;
  options.clock = &clock;
  TestServer server(std::move(options));
  std::vector<std::unique_ptr<SilentConnection>> silent;
  for (int i = 0; i < 2; ++i) silent.push_back(std::make_unique<SilentConnection>(server.port()));
  const auto come_to = [&](std::size_t count) {
    return wait_until([&] { return server.server().connections() == count; });
  };
  EXPECT_TRUE(come_to(2));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(raw_exchange(server.port(), ""), "");  // at once
  EXPECT_EQ(server.server().connections(), 2U);
  clock.move(std::chrono::milliseconds(500));
  silent.push_back(std::make_unique<SilentConnection>(server.port()));
  EXPECT_TRUE(come_to(3));
}

TEST(Http, PagesStandInNoOtherPage) {
  TestServer server;
  const std::string head = http_request(server.port(), "GET", "/").head;
  for (const char* wanted : {"frame-ancestors 'none'", "default-src 'self'",
                             "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer"}) {
    EXPECT_NE(head.find(wanted), std::string::npos) << wanted;
  }
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

// 1,024 sockets from one address made the health checks fail, so that a healthy server was killed.
TEST(Http, TooManyConnectionsAreToldSoAndHealthStillAnswers) {
  net::ServerOptions options;
  options.limits.connections = 1;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  EXPECT_EQ(http_request(server.port(), "GET", "/").status, 503U);
  EXPECT_EQ(http_request(server.port(), "GET", "/worlds").status, 503U);
  EXPECT_EQ(http_request(server.port(), "GET", "/healthz").status, 200U);
  EXPECT_EQ(http_request(server.port(), "GET", "/readyz").status, 200U);
  EXPECT_THROW(WireClient(server.port(), "/worlds/dam"), std::runtime_error);
  EXPECT_EQ(server.server().connections(), 1U);
  EXPECT_EQ(server.server().connections_refused(), 3U);
}

TEST(Http, OneAddressGetsNoMoreThanItsShare) {
  net::ServerOptions options;
  options.limits.connections_per_address = 2;
  TestServer server(std::move(options));
  WireClient one(server.port(), "/worlds/dam");
  auto two = std::make_unique<WireClient>(server.port(), "/worlds/dam");
  EXPECT_EQ(http_request(server.port(), "GET", "/worlds").status, 503U);
  two.reset();
  unsigned status = 0;
  for (int i = 0; i < 500 && status != 200; ++i) {
    status = http_request(server.port(), "GET", "/worlds").status;
  }
  EXPECT_EQ(status, 200U);  // it may have another in its place
}

TEST(Http, SilentConnectionsBeyondTheLimitsMakeRoomForTheHealthChecks) {
  net::ServerOptions options;
  options.limits.connections = 1;
  options.limits.surplus_connections = 2;
  options.limits.surplus_request = std::chrono::minutes(10);
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  std::vector<std::unique_ptr<SilentConnection>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<SilentConnection>(server.port()));
  EXPECT_EQ(http_request(server.port(), "GET", "/healthz").status, 200U);
}

constexpr const char* kUpgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

unsigned status_of(std::uint16_t port, const std::string& target, const std::string& headers) {
  const std::string answer =
      raw_exchange(port, "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
  return answer.size() < 12 ? 0 : static_cast<unsigned>(std::stoul(answer.substr(9, 3)));
}

TEST(Http, PagesOfOtherSitesMayNotConnect) {
  TestServer server;
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
  const auto upgrade = [&](const std::string& origin) {
    return status_of(server.port(), "/worlds/dam", host + kUpgrade + "Origin: " + origin + "\r\n");
  };
  EXPECT_EQ(upgrade("http://elsewhere.example"), 403U);
  EXPECT_EQ(upgrade("null"), 403U);
}

// A name that was made to lead here (DNS rebinding): Host and Origin agree, but it is not ours.
TEST(Http, NamesThatAreNotTheServersAreRefused) {
  TestServer server;
  const std::string evil = "Host: evil.example\r\nOrigin: http://evil.example\r\n";
  EXPECT_EQ(status_of(server.port(), "/worlds/dam", evil + kUpgrade), 403U);
  EXPECT_EQ(status_of(server.port(), "/", "Host: evil.example\r\nConnection: close\r\n"), 403U);
  EXPECT_EQ(status_of(server.port(), "/", "Host: LocalHost:80\r\nConnection: close\r\n"), 200U);
  EXPECT_EQ(status_of(server.port(), "/", "Host: [::1]:80\r\nConnection: close\r\n"), 200U);
  EXPECT_EQ(status_of(server.port(), "/", "Host: 1.2.3.4.example\r\n"), 403U);
  EXPECT_EQ(status_of(server.port(), "/", "Host: \r\n"), 403U);
  EXPECT_EQ(status_of(server.port(), "/", ""), 400U);  // HTTP/1.1 without any
}

TEST(Http, ConfiguredNamesAndOriginsAreLetIn) {
  net::ServerOptions options;
  options.origins.hosts = {"play.example"};
  options.origins.origins = {"https://front.example"};
  TestServer server(std::move(options));
  const auto page = [&](const std::string& headers) {
    return status_of(server.port(), "/", headers + "Connection: close\r\n");
  };
  EXPECT_EQ(page("Host: play.example\r\n"), 200U);
  EXPECT_EQ(page("Host: Play.Example:8443\r\nOrigin: https://play.example:8443\r\n"), 200U);
  // A proxy that rewrites Host.
  EXPECT_EQ(page("Host: localhost:8080\r\nOrigin: https://front.example\r\n"), 200U);
  EXPECT_EQ(page("Host: localhost:8080\r\nOrigin: https://front.example.evil\r\n"), 403U);
  EXPECT_EQ(page("Host: example\r\n"), 403U);
}

// The answer to HEAD has no body; what came after it on the same connection lost its own.
TEST(Http, AnErrorAfterHeadHasItsBody) {
  TestServer server;
  const std::string answer = raw_exchange(server.port(),
                                          "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                          "GET / HTTP/1.1\r\nHost: localhost\r\nX: " +
                                              std::string(20000, 'a') + "\r\n\r\n");
  EXPECT_NE(answer.find("HTTP/1.1 200"), std::string::npos);
  EXPECT_NE(answer.find("HTTP/1.1 431"), std::string::npos);
  EXPECT_NE(answer.find("the request's header is too large"), std::string::npos) << answer;
}

// The table of limits in server/net/README.md, held to the numbers that a server starts with.
TEST(Server, TheDocumentsTableOfLimitsIsTrue) {
  std::ifstream file(SLUICE_SOURCE_DIR "/server/net/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const net::Limits limits;
  const auto grouped = [](double number) {
    std::string digits = std::to_string(static_cast<std::int64_t>(number));
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
      digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
  };
  const auto seconds = [](std::chrono::milliseconds time) {
    return std::to_string(time.count() / 1000) + " s";
  };
  const auto kibibytes = [](auto bytes) {
    return std::to_string(static_cast<std::size_t>(bytes) >> 10) + " KiB";
  };
  const std::string rows[] = {
      "| connections of all kinds | " + std::to_string(limits.connections) + " |",
      "| connections from one address | " + std::to_string(limits.connections_per_address) + " |",
      "| WebSockets of one account | " + std::to_string(limits.connections_per_account) + " |",
      "| connections beyond those | " + std::to_string(limits.surplus_connections) + ", " +
          seconds(limits.surplus_request) + " for a request |",
      "| time to the hello | " + seconds(limits.hello) + " |",
      "| no message taken | " + seconds(limits.stall) + " |",
      "| no sign of life | " + seconds(limits.idle) + " |",
      "| message size | " + kibibytes(protocol::kMaxClientMessageBytes) + " |",
      "| messages | " + grouped(limits.messages_per_second) + " a second;",
      "| messages of all | " + grouped(limits.steady_messages_per_second) +
          " a second are each client's own; what goes beyond comes out of " +
          grouped(limits.spare_messages_per_second) + " a second for all together.",
      "| commands | " + grouped(limits.commands_per_second) + " a second, " +
          kibibytes(limits.command_bytes_per_second) + " a second, " +
          std::to_string(limits.waiting_commands) + " without a result |",
      "| a line of a command | " + kibibytes(protocol::kMaxCommandBytes) + ", " +
          std::to_string(formats::kMaxLineKeys) + " keys, " +
          std::to_string(formats::kMaxLineDepth) + " deep |",
      "| request header, body | " + kibibytes(limits.header_bytes) + ", " +
          kibibytes(limits.body_bytes) + " |",
      "While " + std::to_string(limits.waiting_replies) + " of them or " +
          kibibytes(limits.waiting_reply_bytes) + " wait",
  };
  for (const std::string& row : rows) {
    EXPECT_NE(document.find(row), std::string::npos) << row;
  }
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
}  // namespace sluice::tests::http_test
