#include "server/net/admin_server.h"

#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "protocol/transport/http.h"
#include "server/net/network.h"
#include "server/net/origins.h"

namespace sluice::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

class AdminConnection : public std::enable_shared_from_this<AdminConnection> {
 public:
  AdminConnection(Tcp::socket socket, const AdminOptions& options, asio::thread_pool& actions)
      : options_(options), actions_(actions), stream_(std::move(socket)) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options_.limits.header_bytes));
    parser_->body_limit(options_.limits.body_bytes);
    stream_.expires_after(options_.limits.request);
    transport::read_request(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code error) { self->on_read(error); });
  }

  void end() { stream_.close(); }

 private:
  void on_read(beast::error_code error) {
    if (error == http::error::header_limit || error == http::error::body_limit) {
      return respond({413, "application/json", "{\"error\": \"the request is too large\"}\n"},
                     false);
    }
    if (error) return end();
    const auto& request = parser_->get();
    const auto header = [&request](http::field name) {
      const auto field = request.find(name);
      return field == request.end() ? std::string() : std::string(field->value());
    };
    // A page in somebody's browser on this machine must not reach what only this machine can.
    if (!header(http::field::origin).empty() || !host_allowed(header(http::field::host), {})) {
      return respond(
          {403, "application/json", "{\"error\": \"not allowed: pages do not come in here\"}\n"},
          false);
    }
    const std::string target(request.target());
    AdminAsked asked{std::string(request.method_string()), target.substr(0, target.find('?')),
                     header(http::field::authorization), request.body()};
    if (request.method() == http::verb::get || request.method() == http::verb::head) {
      return respond(options_.answer(asked), request.keep_alive());
    }
    // Whoever asks how the server is must not wait for a disk that a save waits for.
    asio::post(actions_, [self = shared_from_this(), asked = std::move(asked)] {
      asio::post(self->stream_.get_executor(), [self, answer = self->options_.answer(asked)] {
        self->respond(answer, self->parser_->get().keep_alive());
      });
    });
  }

  void respond(AdminAnswer answer, bool keep_alive) {
    response_ = {};
    response_.result(answer.status);
    response_.keep_alive(keep_alive);
    response_.set(http::field::server, "sluice");
    response_.set(http::field::content_type, answer.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    if (answer.status == 401) response_.set(http::field::www_authenticate, "Bearer");
    response_.content_length(answer.body.size());
    if (parser_->get().method() != http::verb::head) response_.body() = std::move(answer.body);
    stream_.expires_after(options_.limits.request);
    transport::write_response(stream_, serializer_.emplace(response_),
                              [self = shared_from_this()](beast::error_code error) {
                                if (error || !self->response_.keep_alive()) return self->finish();
                                self->read();
                              });
  }

  void finish() {
    beast::error_code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  }

  const AdminOptions& options_;
  asio::thread_pool& actions_;
  transport::Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<transport::RequestParser> parser_;
  transport::Response response_;
  std::optional<transport::ResponseSerializer> serializer_;
};

struct AdminServer::Implementation {
  AdminOptions options;
  asio::io_context context{1};
  asio::thread_pool actions{1};
  Tcp::acceptor acceptor{context};
  asio::steady_timer pause{context};
  std::deque<std::weak_ptr<AdminConnection>> connections;  // the oldest first
  std::string address;
  std::uint16_t port = 0;
  std::thread thread;

  Status listen();
  void accept();
  void serve(Tcp::socket socket);
};

Status AdminServer::Implementation::listen() {
  const std::string wanted = options.address + ":" + std::to_string(options.port);
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(options.address, error);
  const Tcp::endpoint endpoint(ip, options.port);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Error{"cannot listen for admins on " + wanted + ": " + error.message()};
  }
  port = acceptor.local_endpoint().port();
  address = (ip.is_v6() ? "[" + ip.to_string() + "]" : ip.to_string()) + ":" + std::to_string(port);
  return Done{};
}

void AdminServer::Implementation::serve(Tcp::socket socket) {
  std::erase_if(connections, [](const auto& one) { return one.expired(); });
  while (connections.size() >= options.limits.connections) {
    if (const auto oldest = connections.front().lock()) oldest->end();
    connections.pop_front();
  }
  auto connection = std::make_shared<AdminConnection>(std::move(socket), options, actions);
  connections.push_back(connection);
  connection->read();
}

void AdminServer::Implementation::accept() {
  acceptor.async_accept([this](boost::system::error_code error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      serve(std::move(socket));
      return accept();
    }
    pause.expires_after(kAcceptPause);
    pause.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled) accept();
    });
  });
}

Result<std::unique_ptr<AdminServer>> AdminServer::start(AdminOptions options) {
  auto implementation = std::make_unique<Implementation>();
  Implementation& it = *implementation;
  it.options = std::move(options);
  if (const Status status = it.listen(); !status.ok()) return Error{status.error()};
  it.accept();
  it.thread = std::thread([&it] { it.context.run(); });
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(implementation)));
}

AdminServer::AdminServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

AdminServer::~AdminServer() {
  implementation_->actions.join();  // the one under way, and those that wait for it
  implementation_->context.stop();
  implementation_->thread.join();
}

std::string AdminServer::address() const {
  return implementation_->address;
}

std::uint16_t AdminServer::port() const {
  return implementation_->port;
}

}  // namespace sluice::net
