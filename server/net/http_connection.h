// A connection while it speaks HTTP. It answers requests one after the other, or becomes a Session.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include "server/net/network.h"

namespace sluice::net {

/// Serves the connection until it closes; it keeps itself alive. `network` must outlive it.
void serve_http(boost::asio::ip::tcp::socket socket, Network& network);

}  // namespace sluice::net
