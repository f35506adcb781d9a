// The bytes of a connection, over TCP as it is or over TLS on it, behind one type. Beast's HTTP and
// WebSocket are templates over their stream, and slow to compile: so both are compiled once, in
// http.cpp and web_socket.cpp, for the server, the clients and the tests.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/role.hpp>

namespace boost::asio::ssl {
class context;
}

namespace sluice::transport {

/// The first buffers of a sequence that hold something: as many as one call passes on.
template <class Buffer, std::size_t kMost = 16>
class Parts {
 public:
  using value_type = Buffer;
  using const_iterator = const Buffer*;

  template <class Sequence>
  explicit Parts(const Sequence& all) {
    const auto end = boost::asio::buffer_sequence_end(all);
    for (auto at = boost::asio::buffer_sequence_begin(all); at != end && count_ < kMost; ++at) {
      const Buffer part(*at);
      if (part.size() > 0) parts_[count_++] = part;
    }
  }

  [[nodiscard]] const Buffer* begin() const { return parts_.data(); }
  [[nodiscard]] const Buffer* end() const { return parts_.data() + count_; }

 private:
  std::array<Buffer, kMost> parts_;
  std::size_t count_ = 0;
};

/// One read and one write at a time, as Asio's AsyncReadStream and AsyncWriteStream. Only its owner
/// uses it, on the thread that runs its executor.
class Stream {
 public:
  using executor_type = boost::asio::any_io_executor;
  using Error = boost::system::error_code;
  /// What Beast passes on is wrapped in these, so that what lies below it is compiled once, too.
  using Moved = std::function<void(Error, std::size_t)>;
  using Done = std::function<void(Error)>;
  using Context = std::shared_ptr<boost::asio::ssl::context>;
  class Layer;

  /// Speaks TLS with `tls`, which it keeps; with none it speaks plainly.
  explicit Stream(boost::asio::ip::tcp::socket socket, Context tls = nullptr);
  Stream(Stream&& other) noexcept;
  ~Stream();

  [[nodiscard]] bool encrypted() const { return tls_ != nullptr; }
  [[nodiscard]] executor_type get_executor();
  /// For its options.
  [[nodiscard]] boost::asio::ip::tcp::socket& socket();
  /// Of the other end, without its port.
  [[nodiscard]] std::string peer_address();

  /// What is under way fails after that time.
  void expires_after(std::chrono::steady_clock::duration time);
  void expires_never();
  void connect(const boost::asio::ip::tcp::resolver::results_type& endpoints, Done done);
  /// The other end's certificate must be of that host. False if no certificate can be.
  [[nodiscard]] bool expect_host(const std::string& host);
  /// The rest is for encrypted ones alone.
  void handshake(boost::beast::role_type role, Done done);
  void shutdown(Done done);
  /// At once: what is under way fails.
  void close();

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Error, std::size_t)>(
        [this](auto handler, const auto& parts) { read_some(parts, copyable(std::move(handler))); },
        token, Parts<boost::asio::mutable_buffer>(buffers));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(Error, std::size_t)>(
        [this](auto handler, const auto& parts) {
          write_some(parts, copyable(std::move(handler)));
        },
        token, Parts<boost::asio::const_buffer>(buffers));
  }

  // What Beast looks for when a WebSocket ends.
  friend void beast_close_socket(Stream& stream) { stream.close(); }
  template <class Handler>
  friend void async_teardown(boost::beast::role_type role, Stream& stream, Handler&& handler) {
    stream.teardown(role, copyable(std::forward<Handler>(handler)));
  }

 private:
  /// Beast's handlers can only be moved. Their executor is the stream's.
  template <class Handler>
  static auto copyable(Handler handler) {
    return [held = std::make_shared<Handler>(std::move(handler))](auto... values) {
      (*held)(values...);
    };
  }
  void read_some(const Parts<boost::asio::mutable_buffer>& parts, Moved done);
  void write_some(const Parts<boost::asio::const_buffer>& parts, Moved done);
  void teardown(boost::beast::role_type role, Done done);

  Context tls_;  // before the layer, which refers to it
  std::unique_ptr<Layer> layer_;
};

}  // namespace sluice::transport
