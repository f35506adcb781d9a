#include "server/net/web_socket.h"

#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "protocol/limits.h"

namespace sluice::net {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

constexpr bool kDeflates = false;  // payloads are packed already

template <class Stream>
class WebSocketOver final : public WebSocket {
 public:
  explicit WebSocketOver(Stream stream)
      : socket_(std::move(stream)), timer_(socket_.get_executor()) {}

  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }

  void wait(std::chrono::steady_clock::duration time, Done done) override {
    timer_.expires_after(time);
    timer_.async_wait(std::move(done));
  }

  void cancel_wait() override { timer_.cancel(); }

  std::string peer() override {
    boost::system::error_code error;
    const auto endpoint = lowest().socket().remote_endpoint(error);
    if (error) return "unknown";
    return endpoint.address().to_string() + ":" + std::to_string(endpoint.port());
  }

  void accept(const Request& upgrade, const Limits& limits, Done done) override {
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = limits.request;
    timeout.idle_timeout = limits.idle;
    timeout.keep_alive_pings = true;
    lowest().expires_never();  // the WebSocket has its own timeouts
    socket_.set_option(timeout);
    // Somewhat above the limit, so that a message just too large is answered before the close.
    socket_.read_message_max(2 * protocol::kMaxClientMessageBytes);
    socket_.auto_fragment(false);
    socket_.binary(true);
    beast::error_code ignored;
    auto& tcp = lowest().socket();
    tcp.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    // Left to itself the system would let megabytes of old frames pile up for a slow client.
    tcp.set_option(boost::asio::socket_base::send_buffer_size(limits.send_buffer_bytes), ignored);
    socket_.async_accept(upgrade, std::move(done));
  }

  void read(beast::flat_buffer& buffer, Done done) override {
    socket_.async_read(
        buffer, [done = std::move(done)](beast::error_code error, std::size_t) { done(error); });
  }

  bool got_binary() override { return socket_.got_binary(); }

  void write(const protocol::Bytes& bytes, Done done) override {
    socket_.async_write(
        boost::asio::buffer(bytes.data(), bytes.size()),
        [done = std::move(done)](beast::error_code error, std::size_t) { done(error); });
  }

  void close(const websocket::close_reason& reason, Done done) override {
    socket_.async_close(reason, std::move(done));
  }

  void end() override {
    beast::error_code ignored;
    lowest().socket().close(ignored);
  }

 private:
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(socket_); }

  websocket::stream<Stream, kDeflates> socket_;
  boost::asio::steady_timer timer_;
};

}  // namespace

template <class Stream>
std::unique_ptr<WebSocket> make_web_socket(Stream stream) {
  return std::make_unique<WebSocketOver<Stream>>(std::move(stream));
}

template std::unique_ptr<WebSocket> make_web_socket(PlainStream stream);
template std::unique_ptr<WebSocket> make_web_socket(TlsStream stream);

}  // namespace sluice::net
