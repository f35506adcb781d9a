#include "protocol/transport/stream.h"

#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>

namespace sluice::transport {

namespace asio = boost::asio;
namespace beast = boost::beast;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

/// Either kind of stream.
class Stream::Layer {
 public:
  virtual ~Layer() = default;
  [[nodiscard]] virtual beast::tcp_stream& lowest() = 0;
  /// Null in a plain one.
  [[nodiscard]] virtual TlsStream* tls() = 0;
  virtual void read_some(const Parts<asio::mutable_buffer>& parts, Moved done) = 0;
  virtual void write_some(const Parts<asio::const_buffer>& parts, Moved done) = 0;
  virtual void teardown(beast::role_type role, Done done) = 0;
};

namespace {

template <class Inner>
class LayerOver final : public Stream::Layer {
 public:
  template <class... Arguments>
  explicit LayerOver(Arguments&&... arguments) : inner_(std::forward<Arguments>(arguments)...) {}

  beast::tcp_stream& lowest() override { return beast::get_lowest_layer(inner_); }
  TlsStream* tls() override {
    if constexpr (std::is_same_v<Inner, TlsStream>) {
      return &inner_;
    } else {
      return nullptr;
    }
  }
  void read_some(const Parts<asio::mutable_buffer>& parts, Stream::Moved done) override {
    inner_.async_read_some(parts, std::move(done));
  }
  void write_some(const Parts<asio::const_buffer>& parts, Stream::Moved done) override {
    inner_.async_write_some(parts, std::move(done));
  }
  void teardown(beast::role_type role, Stream::Done done) override {
    using beast::websocket::async_teardown;
    if constexpr (std::is_same_v<Inner, TlsStream>) {
      async_teardown(role, inner_, std::move(done));
    } else {
      async_teardown(role, inner_.socket(), std::move(done));
    }
  }

 private:
  Inner inner_;
};

std::unique_ptr<Stream::Layer> make_layer(asio::ip::tcp::socket socket,
                                          const Stream::Context& tls) {
  if (tls == nullptr) return std::make_unique<LayerOver<PlainStream>>(std::move(socket));
  return std::make_unique<LayerOver<TlsStream>>(std::move(socket), *tls);
}

}  // namespace

Stream::Stream(asio::ip::tcp::socket socket, Context tls)
    : tls_(std::move(tls)), layer_(make_layer(std::move(socket), tls_)) {}
Stream::Stream(Stream&& other) noexcept = default;
Stream::~Stream() = default;

Stream::executor_type Stream::get_executor() {
  return layer_->lowest().get_executor();
}

asio::ip::tcp::socket& Stream::socket() {
  return layer_->lowest().socket();
}

std::string Stream::peer_address() {
  Error error;
  const auto endpoint = socket().remote_endpoint(error);
  return error ? "unknown" : endpoint.address().to_string();
}

void Stream::expires_after(std::chrono::steady_clock::duration time) {
  layer_->lowest().expires_after(time);
}

void Stream::expires_never() {
  layer_->lowest().expires_never();
}

void Stream::connect(const asio::ip::tcp::resolver::results_type& endpoints, Done done) {
  layer_->lowest().async_connect(
      endpoints,
      [done = std::move(done)](Error error, const asio::ip::tcp::endpoint&) { done(error); });
}

bool Stream::expect_host(const std::string& host) {
  TlsStream& tls = *layer_->tls();
  tls.set_verify_callback(asio::ssl::host_name_verification(host));
  return SSL_set_tlsext_host_name(tls.native_handle(), host.c_str()) == 1;
}

void Stream::handshake(beast::role_type role, Done done) {
  layer_->tls()->async_handshake(role == beast::role_type::server ? asio::ssl::stream_base::server
                                                                  : asio::ssl::stream_base::client,
                                 std::move(done));
}

void Stream::shutdown(Done done) {
  layer_->tls()->async_shutdown(std::move(done));
}

void Stream::close() {
  Error ignored;
  socket().close(ignored);
}

void Stream::read_some(const Parts<asio::mutable_buffer>& parts, Moved done) {
  layer_->read_some(parts, std::move(done));
}

void Stream::write_some(const Parts<asio::const_buffer>& parts, Moved done) {
  layer_->write_some(parts, std::move(done));
}

void Stream::teardown(beast::role_type role, Done done) {
  layer_->teardown(role, std::move(done));
}

}  // namespace sluice::transport
