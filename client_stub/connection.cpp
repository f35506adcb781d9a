#include "client_stub/connection.h"

#include <chrono>
#include <deque>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "protocol/transport/web_socket.h"

namespace sluice::client {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kOpenTimeout{10};
constexpr std::chrono::seconds kCloseTimeout{1};

/// Shared by all connections, for as long as the program runs.
const transport::Stream::Context& trusting_this_system() {
  static const transport::Stream::Context context = [] {
    auto made = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
    error_code ignored;  // then nobody is trusted, which the handshake says
    made->set_default_verify_paths(ignored);
    made->set_verify_mode(asio::ssl::verify_peer, ignored);
    return made;
  }();
  return context;
}

/// The part that pending operations keep alive, whatever its owner does.
class Socket final : public std::enable_shared_from_this<Socket> {
 public:
  Socket(asio::io_context& context, Address address, Connection::Events events)
      : address_(std::move(address)),
        events_(std::move(events)),
        resolver_(context),
        socket_(transport::Stream(tcp::socket(context),
                                  address_.encrypted ? trusting_this_system() : nullptr)),
        close_timer_(context) {}

  void open() {
    resolver_.async_resolve(address_.host, address_.port,
                            [self = shared_from_this()](error_code error, const auto& endpoints) {
                              self->connect(error, endpoints);
                            });
  }

  void send(protocol::Bytes message) {
    if (ended_) return;
    outgoing_.push_back(std::move(message));
    if (is_open_ && !writing_) write();
  }

  void close() {
    if (ended_) return;
    if (!is_open_) return end("closed");
    is_open_ = false;
    close_timer_.expires_after(kCloseTimeout);
    close_timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->end("closed");
    });
    transport::close(socket_, websocket::close_code::normal,
                     [self = shared_from_this()](error_code) { self->end("closed"); });
  }

  void set_reading(bool reading) {
    const bool resumes = reading && !reading_;
    reading_ = reading;
    if (resumes && is_open_ && !read_pending_) read();
  }

  void abandon() {
    events_ = {};
    end("abandoned");
  }

 private:
  void connect(error_code error, const tcp::resolver::results_type& endpoints) {
    if (ended_) return;
    if (error) return end("cannot find " + address_.host + ": " + error.message());
    stream().expires_after(kOpenTimeout);
    stream().connect(endpoints,
                     [self = shared_from_this()](error_code failed) { self->secure(failed); });
  }

  /// The certificate must be of that host, and signed by somebody whom this system trusts (or by
  /// those in the file that the environment's SSL_CERT_FILE names).
  void secure(error_code error) {
    if (ended_) return;
    if (error) return end("cannot connect to " + address_.authority() + ": " + error.message());
    if (!stream().encrypted()) return greet();
    if (!stream().expect_host(address_.host)) {
      return end("cannot connect to " + address_.authority() + ": its name is too long");
    }
    stream().handshake(beast::role_type::client, [self = shared_from_this()](error_code failed) {
      if (self->ended_) return;
      if (failed) {
        return self->end("cannot trust " + self->address_.authority() + ": " + failed.message());
      }
      self->greet();
    });
  }

  void greet() {
    stream().expires_never();
    error_code ignored;
    // Small commands must not wait for company.
    stream().socket().set_option(tcp::no_delay(true), ignored);
    websocket::stream_base::timeout timeout{kOpenTimeout, websocket::stream_base::none(), false};
    socket_.set_option(timeout);
    socket_.read_message_max(protocol::kMaxServerMessageBytes);
    socket_.binary(true);
    if (!address_.token.empty()) {
      socket_.set_option(
          websocket::stream_base::decorator([token = address_.token](websocket::request_type& r) {
            r.set(beast::http::field::authorization, "Bearer " + token);
          }));
    }
    transport::upgrade(socket_, address_.authority(), address_.path + address_.query, response_,
                       [self = shared_from_this()](error_code failed) { self->opened(failed); });
  }

  void opened(error_code error) {
    if (ended_) return;
    if (error) return end(explain_refusal(error));
    is_open_ = true;
    if (events_.opened) events_.opened();
    if (!outgoing_.empty() && !writing_) write();  // `opened` may have begun already
    if (is_open_ && reading_) read();
  }

  std::string explain_refusal(error_code error) const {
    if (error != websocket::error::upgrade_declined) {
      return address_.url() + " does not open: " + error.message();
    }
    std::string body = response_.body();
    while (!body.empty() && body.back() == '\n') body.pop_back();
    return address_.url() + " does not open: the server answers " +
           std::to_string(response_.result_int()) + " " + std::string(response_.reason()) +
           (body.empty() ? "" : ": " + body);
  }

  void read() {
    read_pending_ = true;
    transport::read(socket_, buffer_,
                    [self = shared_from_this()](error_code error) { self->take(error); });
  }

  void take(error_code error) {
    read_pending_ = false;
    if (ended_) return;
    if (error) return end(explain_end(error));
    const auto data = buffer_.cdata();
    if (events_.received) {
      events_.received({static_cast<const std::uint8_t*>(data.data()), data.size()});
    }
    buffer_.consume(buffer_.size());
    if (is_open_ && reading_) read();
  }

  std::string explain_end(error_code error) const {
    if (error == websocket::error::closed && !socket_.reason().reason.empty()) {
      return "the server closed the connection: " + std::string(socket_.reason().reason.c_str());
    }
    return "the connection ended: " + error.message();
  }

  // One write at a time: a second one would wait inside the stream, and go out with whatever lies
  // at its address by then.
  void write() {
    writing_ = true;
    transport::write(socket_, asio::buffer(outgoing_.front()),
                     [self = shared_from_this()](error_code error) {
                       self->writing_ = false;
                       if (self->ended_) return;
                       // What the server said before it hung up is still to be read.
                       if (error) return;
                       self->outgoing_.pop_front();
                       if (!self->outgoing_.empty() && self->is_open_) self->write();
                     });
  }

  void end(std::string reason) {
    if (ended_) return;
    ended_ = true;
    is_open_ = false;
    close_timer_.cancel();
    resolver_.cancel();
    stream().close();
    // The handlers may own what owns this object.
    const Connection::Events events = std::move(events_);
    if (events.closed) events.closed(std::move(reason));
  }

  transport::Stream& stream() { return socket_.next_layer(); }

  Address address_;
  Connection::Events events_;
  tcp::resolver resolver_;
  transport::WebSocketStream socket_;
  asio::steady_timer close_timer_;
  websocket::response_type response_;
  beast::flat_buffer buffer_;
  std::deque<protocol::Bytes> outgoing_;
  bool is_open_ = false;
  bool ended_ = false;
  bool reading_ = true;
  bool read_pending_ = false;
  bool writing_ = false;
};

class SocketConnection final : public Connection {
 public:
  explicit SocketConnection(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}
  ~SocketConnection() override { socket_->abandon(); }
  SocketConnection(const SocketConnection&) = delete;
  SocketConnection& operator=(const SocketConnection&) = delete;

  void send(protocol::Bytes message) override { socket_->send(std::move(message)); }
  void close() override { socket_->close(); }
  void set_reading(bool reading) override { socket_->set_reading(reading); }

 private:
  std::shared_ptr<Socket> socket_;
};

}  // namespace

std::unique_ptr<Connection> Connection::start(asio::io_context& context, const Address& address,
                                              Events events) {
  auto socket = std::make_shared<Socket>(context, address, std::move(events));
  auto connection = std::make_unique<SocketConnection>(socket);
  socket->open();
  return connection;
}

}  // namespace sluice::client
