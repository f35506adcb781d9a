#include "server/host/connection_bounds.h"

#include <chrono>

namespace sluice::host {

void apply(const ConnectionBounds& bounds, net::Limits& limits) {
  limits.connections = bounds.most;
  limits.connections_per_address = bounds.per_address;
  limits.connections_per_account = bounds.per_account;
  limits.handshakes_per_second = bounds.handshakes_per_second;
  limits.hello = std::chrono::seconds(bounds.hello_seconds);
  limits.idle = std::chrono::seconds(bounds.idle_seconds);
  limits.stall = std::chrono::seconds(bounds.stall_seconds);
}

void explain(const ConnectionBounds& bounds, std::ostringstream& text) {
  text << "takes " << bounds.most << " connections, " << bounds.per_address
       << " of them from one address and " << bounds.per_account << " of one account\n";
}

}  // namespace sluice::host
