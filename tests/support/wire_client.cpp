#include "tests/support/wire_client.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "protocol/transport/web_socket.h"

namespace sluice::tests {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using Event = protocol::ClientSession::Event;

struct WireClient::Socket {
  asio::io_context context;
  transport::WebSocketStream stream{transport::Stream(Tcp::socket(context))};
  beast::flat_buffer buffer;
  // A read that outlived its patience goes on and is picked up by the next call.
  bool reading = false;
  std::optional<beast::error_code> read_result;

  void start_read() {
    reading = true;
    read_result.reset();
    transport::read(stream, buffer, [this](beast::error_code error) {
      reading = false;
      read_result = error;
    });
  }

  /// Runs until what `begin` began with its argument has ended; reading goes on beside it. Throws
  /// when that takes too long: a system may tell a full socket of its peer's end minutes later.
  beast::error_code wait_for(const std::function<void(transport::Called)>& begin) {
    // Shared, because what is given up ends later.
    const auto result = std::make_shared<std::optional<beast::error_code>>();
    begin([result](beast::error_code error) { *result = error; });
    const auto deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
    context.restart();
    while (!*result && context.run_one_until(deadline) > 0) {
    }
    if (!*result) throw std::runtime_error("the server takes nothing");
    return **result;
  }
};

WireClient::WireClient(std::uint16_t port, const std::string& path, std::string name,
                       const std::string& token, protocol::SentCommands commands,
                       int receive_buffer_bytes)
    : socket_(std::make_unique<Socket>()), session_(std::move(name), std::move(commands)) {
  Tcp::socket& tcp = socket_->stream.next_layer().socket();
  tcp.open(Tcp::v4());
  // Before it connects: a window that shrinks later makes the system drop what was promised room.
  if (receive_buffer_bytes > 0) {
    tcp.set_option(asio::socket_base::receive_buffer_size(receive_buffer_bytes));
  }
  tcp.connect(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
  socket_->stream.read_message_max(protocol::kMaxServerMessageBytes);
  if (!token.empty()) {
    socket_->stream.set_option(
        beast::websocket::stream_base::decorator([token](beast::websocket::request_type& request) {
          request.set(beast::http::field::authorization, "Bearer " + token);
        }));
  }
  transport::Response answer;
  const beast::error_code error = socket_->wait_for([&](transport::Called done) {
    transport::upgrade(socket_->stream, "127.0.0.1:" + std::to_string(port), path, answer,
                       std::move(done));
  });
  if (error) throw std::runtime_error("handshake: " + error.message());
  socket_->stream.binary(true);
}

WireClient::~WireClient() {
  abort();
}

void WireClient::abort() {
  socket_->stream.next_layer().close();
  socket_->context.restart();
  socket_->context.run();  // the read that may be under way ends
  ended_ = true;
}

void WireClient::flush() {
  for (const protocol::Bytes& bytes : session_.take_outgoing()) send_raw(bytes);
}

void WireClient::send_raw(const protocol::Bytes& bytes, bool binary) {
  socket_->stream.binary(binary);
  const bool ended_before = std::exchange(ended_, true);  // unless the whole message leaves
  const beast::error_code error = socket_->wait_for([&](transport::Called done) {
    transport::write(socket_->stream, asio::buffer(bytes), std::move(done));
  });
  ended_ = ended_before || error;
}

bool WireClient::read_one(Milliseconds patience, Event& event) {
  if (ended_) return false;
  if (!socket_->reading && !socket_->read_result) socket_->start_read();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  socket_->context.restart();
  while (!socket_->read_result && std::chrono::steady_clock::now() < deadline) {
    if (socket_->context.run_one_until(deadline) == 0) break;
  }
  if (!socket_->read_result) return false;
  const beast::error_code error = *std::exchange(socket_->read_result, std::nullopt);
  if (error) {
    ended_ = true;
    return false;
  }
  const auto data = socket_->buffer.cdata();
  event = session_.receive({static_cast<const std::uint8_t*>(data.data()), data.size()});
  socket_->buffer.consume(socket_->buffer.size());
  flush();
  return true;
}

bool WireClient::pump_until(const std::function<bool(Event)>& done, Milliseconds patience) {
  // What is waited for may have come with what was read before.
  if (done(Event::kNothing)) return true;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    Event event = Event::kNothing;
    const auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    if (!read_one(left, event)) return false;
    if (done(event)) return true;
  }
  return false;
}

bool WireClient::greet() {
  session_.start();
  flush();
  bool welcomed = false;
  pump_until([&](Event event) {
    welcomed = event == Event::kWelcomed;
    return welcomed || event == Event::kClosed;
  });
  return welcomed;
}

protocol::CommandResult WireClient::command(const std::string& json) {
  const std::uint64_t seq = session_.send_command(json);
  flush();
  const bool answered = pump_until(
      [&](Event event) { return event == Event::kResult && session_.last_result().seq == seq; });
  if (!answered) throw std::runtime_error("no result for command " + std::to_string(seq));
  return session_.last_result();
}

bool WireClient::wait_closed(Milliseconds patience) {
  pump_until([](Event) { return false; }, patience);
  return ended_;
}

std::string WireClient::close_reason() const {
  const auto& reason = socket_->stream.reason().reason;
  return {reason.data(), reason.size()};
}

struct SilentConnection::Socket {
  asio::io_context context;
  Tcp::socket socket{context};
};

SilentConnection::SilentConnection(std::uint16_t port) : socket_(std::make_unique<Socket>()) {
  socket_->socket.connect(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
}

SilentConnection::~SilentConnection() = default;

std::string raw_exchange(std::uint16_t port, const std::string& bytes) {
  asio::io_context context;
  Tcp::socket socket(context);
  socket.connect(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
  beast::error_code error;
  asio::write(socket, asio::buffer(bytes), error);
  std::string answer;
  char piece[4096];
  while (true) {
    const std::size_t count = socket.read_some(asio::buffer(piece), error);
    if (error) return answer;
    answer.append(piece, count);
  }
}

HttpAnswer http_request(std::uint16_t port, const std::string& method, const std::string& target,
                        const std::string& extra_headers, const std::string& body) {
  std::string request = method + " " + target +
                        " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" +
                        extra_headers;
  if (extra_headers.find("Connection:") == std::string::npos) request += "Connection: close\r\n";
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::string text = raw_exchange(port, request + "\r\n" + body);
  HttpAnswer answer;
  const std::size_t head_end = text.find("\r\n\r\n");
  if (head_end == std::string::npos || text.size() < 12) return answer;
  answer.status = static_cast<unsigned>(std::stoul(text.substr(9, 3)));
  answer.head = text.substr(0, head_end);
  answer.body = text.substr(head_end + 4);
  const std::string key = "Content-Type: ";
  if (const std::size_t at = text.find(key); at < head_end) {
    answer.content_type = text.substr(at + key.size(), text.find("\r\n", at) - at - key.size());
  }
  return answer;
}

}  // namespace sluice::tests
