#include "protocol/transport/web_socket.h"

#include <utility>

namespace sluice::transport {

void accept(WebSocketStream& socket, const Request& upgrade, Called done) {
  socket.async_accept(upgrade, std::move(done));
}

void upgrade(WebSocketStream& socket, const std::string& authority, const std::string& target,
             Response& answer, Called done) {
  socket.async_handshake(answer, authority, target, std::move(done));
}

void read(WebSocketStream& socket, boost::beast::flat_buffer& buffer, Called done) {
  socket.async_read(buffer, Then(std::move(done)));
}

void write(WebSocketStream& socket, boost::asio::const_buffer bytes, Called done) {
  socket.async_write(bytes, Then(std::move(done)));
}

void close(WebSocketStream& socket, const websocket::close_reason& reason, Called done) {
  socket.async_close(reason, std::move(done));
}

}  // namespace sluice::transport
