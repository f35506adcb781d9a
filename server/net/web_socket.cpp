#include "server/net/web_socket.h"

#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "protocol/limits.h"
#include "protocol/transport/web_socket.h"

namespace sluice::net {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

class WebSocketOverStream final : public WebSocket {
 public:
  WebSocketOverStream(transport::Stream stream, const Clock& clock)
      : socket_(std::move(stream)), timer_(socket_.get_executor()), clock_(clock) {}

  Clock::Time now() override { return clock_.now(); }

  void wait(std::chrono::steady_clock::duration time, Done done) override {
    timer_.expires_after(time);
    timer_.async_wait(std::move(done));
  }

  void cancel_wait() override { timer_.cancel(); }

  std::string peer() override {
    beast::error_code error;
    const auto endpoint = tcp().remote_endpoint(error);
    if (error) return "unknown";
    return endpoint.address().to_string() + ":" + std::to_string(endpoint.port());
  }

  void accept(const Request& upgrade, const Limits& limits, Done done) override {
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = limits.request;
    timeout.idle_timeout = limits.idle;
    timeout.keep_alive_pings = true;
    socket_.next_layer().expires_never();  // the WebSocket has its own timeouts
    socket_.set_option(timeout);
    // Somewhat above the limit, so that a message just too large is answered before the close.
    socket_.read_message_max(2 * protocol::kMaxClientMessageBytes);
    socket_.auto_fragment(false);
    socket_.binary(true);
    beast::error_code ignored;
    tcp().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    // Left to itself the system would let megabytes of old frames pile up for a slow client.
    tcp().set_option(boost::asio::socket_base::send_buffer_size(limits.send_buffer_bytes), ignored);
    transport::accept(socket_, upgrade, std::move(done));
  }

  void read(beast::flat_buffer& buffer, Done done) override {
    transport::read(socket_, buffer, std::move(done));
  }

  bool got_binary() override { return socket_.got_binary(); }

  void write(const protocol::Bytes& bytes, Done done) override {
    transport::write(socket_, boost::asio::buffer(bytes), std::move(done));
  }

  void close(const websocket::close_reason& reason, Done done) override {
    transport::close(socket_, reason, std::move(done));
  }

  void end() override { socket_.next_layer().close(); }

 private:
  boost::asio::ip::tcp::socket& tcp() { return socket_.next_layer().socket(); }

  transport::WebSocketStream socket_;
  boost::asio::steady_timer timer_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<WebSocket> make_web_socket(transport::Stream stream, const Clock& clock) {
  return std::make_unique<WebSocketOverStream>(std::move(stream), clock);
}

}  // namespace sluice::net
