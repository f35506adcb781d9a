#include "server/net/http_connection.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/beast/websocket/rfc6455.hpp>
#include <spdlog/spdlog.h>

#include "protocol/transport/http.h"
#include "server/net/routes.h"
#include "server/net/session.h"

namespace sluice::net {

namespace beast = boost::beast;
namespace http = beast::http;

namespace {

// Pages load what comes from here alone, and stand in no other page. (Pictures: the page's icon,
// and what it draws to be saved. Not every browser counts a WebSocket to here as 'self'.)
constexpr const char* kContentRules =
    "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data: blob:; style-src 'self' "
    "'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr const char* kText = "text/plain; charset=utf-8";

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

class HttpConnection : public SurplusConnection,
                       public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(transport::Stream stream, Network& network)
      : network_(network), slot_(network, stream.peer_address()), stream_(std::move(stream)) {}

  void start() {
    if (!slot_.counted()) join_surplus();
    if (!stream_.encrypted()) return read();
    stream_.expires_after(patience());
    stream_.handshake(beast::role_type::server,
                      [self = shared_from_this()](beast::error_code error) {
                        error ? self->end() : self->read();
                      });
  }

  void end() override { stream_.close(); }

 private:
  // Whoever watches over the server must hear from it whatever the others do: so the oldest one
  // makes room for the newest.
  void join_surplus() {
    network_.refused_log.log(network_.options.clock->now(), [&](const std::string& left_out) {
      spdlog::warn("{}: too many connections{}", stream_.peer_address(), left_out);
    });
    auto& surplus = network_.surplus;
    std::erase_if(surplus, [](const auto& one) { return one.expired(); });
    while (surplus.size() >= network_.options.limits.surplus_connections) {
      if (const auto oldest = surplus.front().lock()) oldest->end();
      surplus.pop_front();
    }
    surplus.push_back(weak_from_this());
  }

  /// For a handshake, a request, or an answer.
  [[nodiscard]] std::chrono::milliseconds patience() const {
    const Limits& limits = network_.options.limits;
    return slot_.counted() ? limits.request : limits.surplus_request;
  }

  void read() {
    const Limits& limits = network_.options.limits;
    head_ = false;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    parser_->body_limit(limits.body_bytes);
    stream_.expires_after(patience());
    transport::read_request(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code error) { self->on_read(error); });
  }

  void on_read(beast::error_code error) {
    if (error == http::error::header_limit) {
      return respond({431, kText, "the request's header is too large\n", ""}, 11, false);
    }
    if (error == http::error::body_limit) {
      return respond({413, kText, "the request's body is too large\n", ""}, 11, false);
    }
    if (error && error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return respond({400, kText, "not HTTP: " + error.message() + "\n", ""}, 11, false);
    }
    if (error) return finish();
    handle(parser_->get());
  }

  void handle(const Session::Request& request) {
    head_ = request.method() == http::verb::head;
    const unsigned version = request.version();
    const std::string_view target = view_of(request.target());
    if (std::optional<Answer> refusal = refusal_of(request)) {
      return respond(std::move(*refusal), version, false);
    }
    const std::string_view authorization = header_of(request, http::field::authorization);
    const Client client = client_of(request);
    const access::Gate& gate = *network_.options.gate;
    const Visitor visitor =
        visitor_of(gate, authorization, header_of(request, http::field::cookie), client.named);
    const Asked asked{view_of(request.method_string()),
                      target,
                      authorization,
                      header_of(request, http::field::accept_encoding),
                      header_of(request, http::field::if_none_match),
                      client.address,
                      client.encrypted,
                      visitor};
    if (is_health(target)) return respond(answer_to(network_, asked), version, keeps(request));
    if (!slot_.counted() || !slot_.move_to(client.address)) {
      ++network_.connections_refused;
      return respond({503, kText, "too many connections\n", ""}, version, false);
    }
    if (const std::string banned = gate.ban_refusal(visitor.account, client.address);
        !banned.empty()) {
      return respond({403, kText, banned + "\n", ""}, version, false);
    }
    if (!beast::websocket::is_upgrade(request)) {
      return respond(answer_to(network_, asked), version, keeps(request));
    }
    Hub* hub = hub_of(network_, target);
    if (hub == nullptr) {
      return respond({404, kText, no_such_world(network_, target, visitor), ""}, version, false);
    }
    std::string refusal = visitor.refusal;
    if (refusal.empty()) {
      refusal = gate.watch_refusal(hub->config().name, visitor.account);
    }
    if (!refusal.empty()) return respond(refusal_answer(refusal, visitor), version, false);
    if (full(visitor.account)) {
      ++network_.connections_refused;
      return respond({503, kText, "too many connections of this account\n", ""}, version, false);
    }
    std::make_shared<Session>(make_web_socket(std::move(stream_), *network_.options.clock),
                              std::move(slot_), network_, *hub, visitor.account)
        ->start(request);
  }

  /// Whether an account has all the sessions that it may have.
  [[nodiscard]] bool full(const std::string& account) const {
    const auto known = network_.by_account.find(account);
    return known != network_.by_account.end() &&
           known->second >= network_.options.limits.connections_per_account;
  }

  /// A connection beyond the limits ends with its answer.
  [[nodiscard]] bool keeps(const Session::Request& request) const {
    return slot_.counted() && request.keep_alive();
  }

  /// Who is behind a request, as far as that can be believed.
  struct Client {
    std::string address;
    std::string_view named;  // by a proxy
    bool encrypted = false;
  };
  [[nodiscard]] Client client_of(const Session::Request& request) {
    const Proxies& proxies = network_.options.proxies;
    const std::string peer = stream_.peer_address();
    if (!proxies.trust(peer)) return {peer, {}, network_.tls != nullptr};
    std::string forwarded;
    const auto [first, end] = request.equal_range("X-Forwarded-For");
    for (auto line = first; line != end; ++line) {
      forwarded += (forwarded.empty() ? "" : ",") + std::string(view_of(line->value()));
    }
    Client client{proxies.client_of(peer, forwarded), {}, network_.tls != nullptr};
    const auto value_of = [&request](const std::string& name) {
      const auto field = request.find(name);
      return field == request.end() ? std::string_view() : view_of(field->value());
    };
    if (!proxies.account_header.empty()) client.named = value_of(proxies.account_header);
    client.encrypted |= value_of("X-Forwarded-Proto") == "https";
    return client;
  }

  static std::string_view header_of(const Session::Request& request, http::field name) {
    const auto field = request.find(name);
    return field == request.end() ? std::string_view() : view_of(field->value());
  }

  /// Requests that are answered to nobody.
  [[nodiscard]] std::optional<Answer> refusal_of(const Session::Request& request) const {
    const Origins& origins = network_.options.origins;
    const auto host = request.find(http::field::host);
    if (host == request.end()) {
      if (request.version() < 11) return std::nullopt;
      return Answer{400, kText, "HTTP/1.1 needs a Host\n", ""};
    }
    if (!host_allowed(view_of(host->value()), origins)) {
      return Answer{403, kText,
                    "this server does not answer to this host name; allowed: " +
                        allowed_hosts(origins) + " (hosts in its configuration)\n",
                    ""};
    }
    const auto origin = request.find(http::field::origin);
    if (origin == request.end() ||
        origin_allowed(view_of(origin->value()), view_of(host->value()), origins)) {
      return std::nullopt;
    }
    return Answer{403, kText,
                  "pages of other sites are not let in (origins in the server's configuration)\n",
                  ""};
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
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Content-Security-Policy", kContentRules);
    if (!answer.etag.empty()) {
      response_.set(http::field::etag, answer.etag);
      response_.set(http::field::vary, "Accept-Encoding");
    }
    if (!answer.encoding.empty()) response_.set(http::field::content_encoding, answer.encoding);
    if (!answer.allow.empty()) response_.set(http::field::allow, answer.allow);
    if (answer.status == 401) response_.set(http::field::www_authenticate, "Bearer");
    if (!answer.set_cookie.empty()) response_.set(http::field::set_cookie, answer.set_cookie);
    if (answer.status == 426) response_.set(http::field::upgrade, "websocket");
    const bool bodiless = answer.status == 204 || answer.status == 304;
    if (!bodiless) response_.content_length(answer.body.size());
    if (!head_) response_.body() = std::move(answer.body);
    transport::write_response(
        stream_, serializer_.emplace(response_),
        [self = shared_from_this()](beast::error_code error) { self->on_write(error); });
  }

  void on_write(beast::error_code error) {
    if (error || !response_.keep_alive()) return finish();
    read();
  }

  void finish() {
    if (stream_.encrypted()) {
      stream_.expires_after(patience());
      return stream_.shutdown([self = shared_from_this()](beast::error_code) { self->end(); });
    }
    beast::error_code ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  }

  Network& network_;
  ConnectionSlot slot_;
  transport::Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<transport::RequestParser> parser_;
  transport::Response response_;
  std::optional<transport::ResponseSerializer> serializer_;
  bool head_ = false;
};

}  // namespace

void serve_http(boost::asio::ip::tcp::socket socket, Network& network) {
  // A handshake costs us a millisecond, and a stranger nothing.
  if (network.handshakes && !network.handshakes->take(1, network.options.clock->now())) return;
  std::make_shared<HttpConnection>(transport::Stream(std::move(socket), network.tls), network)
      ->start();
}

}  // namespace sluice::net
