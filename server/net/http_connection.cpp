#include "server/net/http_connection.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "server/net/routes.h"
#include "server/net/session.h"

namespace sluice::net {

namespace beast = boost::beast;
namespace http = beast::http;

namespace {

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

// A page of another site must not steer a world through its visitor's browser. Programs send no
// Origin; a page that came from here has our Host in it.
bool from_elsewhere(const Session::Request& request) {
  const auto origin = request.find(http::field::origin);
  if (origin == request.end()) return false;
  const std::string_view value = view_of(origin->value());
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return true;
  return value.substr(scheme + 3) != view_of(request[http::field::host]);
}

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, Network& network)
      : network_(network), slot_(network), stream_(std::move(socket)) {}

  void start() {
    if (network_.connections > network_.options.limits.connections) {
      stream_.expires_after(network_.options.limits.request);
      return respond({503, "text/plain; charset=utf-8", "too many connections\n", ""}, 11, false);
    }
    read();
  }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(network_.options.limits.header_bytes));
    parser_->body_limit(network_.options.limits.body_bytes);
    stream_.expires_after(network_.options.limits.request);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       self->on_read(error);
                     });
  }

  void on_read(beast::error_code error) {
    if (error == http::error::header_limit) {
      return respond({431, "text/plain; charset=utf-8", "the request's header is too large\n", ""},
                     11, false);
    }
    if (error == http::error::body_limit) {
      return respond({413, "text/plain; charset=utf-8", "the request's body is too large\n", ""},
                     11, false);
    }
    if (error && error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return respond({400, "text/plain; charset=utf-8", "not HTTP: " + error.message() + "\n", ""},
                     11, false);
    }
    if (error) return finish();
    handle(parser_->get());
  }

  void handle(const Session::Request& request) {
    if (!beast::websocket::is_upgrade(request)) {
      head_ = request.method() == http::verb::head;
      return respond(
          answer_to(network_, view_of(request.method_string()), view_of(request.target())),
          request.version(), request.keep_alive());
    }
    Hub* hub = hub_of(network_, view_of(request.target()));
    if (hub == nullptr) {
      return respond({404, "text/plain; charset=utf-8", "no such world; /worlds lists them\n", ""},
                     request.version(), false);
    }
    if (from_elsewhere(request)) {
      return respond(
          {403, "text/plain; charset=utf-8", "pages of other sites are not let in\n", ""},
          request.version(), false);
    }
    std::make_shared<Session>(std::move(stream_), std::move(slot_), network_, *hub)->start(request);
  }

  void respond(Answer answer, unsigned version, bool keep_alive) {
    response_ = {};
    response_.version(version);
    response_.result(answer.status);
    response_.keep_alive(keep_alive && !network_.stopping);
    response_.set(http::field::server, "sluice");
    response_.set(http::field::content_type, answer.content_type);
    response_.set(http::field::cache_control, "no-cache");
    response_.set("X-Content-Type-Options", "nosniff");
    if (!answer.allow.empty()) response_.set(http::field::allow, answer.allow);
    if (answer.status == 426) response_.set(http::field::upgrade, "websocket");
    response_.content_length(answer.body.size());
    if (!head_) response_.body() = std::move(answer.body);
    http::async_write(stream_, serializer_.emplace(response_),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->on_write(error);
                      });
  }

  void on_write(beast::error_code error) {
    if (error || !response_.keep_alive()) return finish();
    read();
  }

  void finish() {
    beast::error_code ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  }

  Network& network_;
  ConnectionSlot slot_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool head_ = false;
};

}  // namespace

void serve_http(boost::asio::ip::tcp::socket socket, Network& network) {
  std::make_shared<HttpConnection>(std::move(socket), network)->start();
}

}  // namespace sluice::net
