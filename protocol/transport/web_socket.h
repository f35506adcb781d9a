// A WebSocket over a Stream, for the server and the clients. What is passed by reference must live
// until `done` is called.
#pragma once

#include <string>

#include <boost/beast/websocket.hpp>

#include "protocol/transport/http.h"

namespace sluice::transport {

namespace websocket = boost::beast::websocket;

/// It never deflates: what we send is packed already.
using WebSocketStream = websocket::stream<Stream, false>;

/// The server's answer to a client's upgrade.
void accept(WebSocketStream& socket, const Request& upgrade, Called done);
/// The client's upgrade, and the server's answer to it.
void upgrade(WebSocketStream& socket, const std::string& authority, const std::string& target,
             Response& answer, Called done);
/// One message.
void read(WebSocketStream& socket, boost::beast::flat_buffer& buffer, Called done);
void write(WebSocketStream& socket, boost::asio::const_buffer bytes, Called done);
void close(WebSocketStream& socket, const websocket::close_reason& reason, Called done);

}  // namespace sluice::transport
