// The listener: one port for pages, health, metrics and WebSockets.
//
//   GET /                the viewer (an asset), or a plain page where none was built in
//   GET /healthz         200 while the process lives, with what there is to say
//   GET /readyz          200 or 503 and the reason
//   GET /metrics         Prometheus text
//   GET /worlds          a JSON list of those that the asker may see
//   GET /session         who the asker is, and the roles; POST signs in, DELETE signs out
//   GET /worlds/NAME/fixtures  springs, drains and open edges, as JSON
//   GET anything else    the host's own pages (ServerOptions::pages)
//   WebSocket /worlds/NAME
//
// With the query ?alone=POSITION fixtures and WebSocket are of another position in that world's
// history (HostedWorld::position).
//
// One thread of its own runs everything here; nothing that a client does can stop another one or a
// world's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/access/gate.h"
#include "server/net/asset.h"
#include "server/net/clock.h"
#include "server/net/origins.h"
#include "server/net/proxies.h"
#include "server/net/result_book.h"
#include "server/net/world_feed.h"

namespace sluice::net {

/// A page that is made when it is asked for.
struct Page {
  std::string path;
  std::string content_type;
  std::function<std::string()> text;  // called on the network's thread; must not wait
};

struct Readiness {
  bool ready = true;
  std::string text;  // for people; ends with a newline
};

struct Limits {
  std::size_t connections = 2048;                   // of any kind
  std::size_t connections_per_address = 1024;       // of those
  std::size_t connections_per_account = 256;        // of those, WebSockets of one account
  std::size_t surplus_connections = 64;             // beyond, which may ask for the health alone
  std::chrono::milliseconds surplus_request{2000};  // for a request of one of those to arrive
  std::size_t header_bytes = 16U << 10;             // of an HTTP request
  std::size_t body_bytes = 4U << 10;                // read and ignored
  std::chrono::milliseconds request{10000};         // for a request to arrive, a response to leave
  std::chrono::milliseconds hello{5000};            // from the handshake to the hello
  std::chrono::milliseconds idle{60000};     // of silence, pings included, that ends a WebSocket
  std::chrono::milliseconds stall{30000};    // in which a client takes no message, that ends it
  std::chrono::milliseconds farewell{2000};  // for the last messages of a world that goes
  int send_buffer_bytes =
      256 << 10;  // of a WebSocket, in the system; what lies there is on its way
  int receive_buffer_bytes = 64 << 10;  // of any connection, likewise; the system may double it
  std::size_t waiting_frames = 4;       // tick messages queued for a client
  std::size_t waiting_frame_bytes = 256U << 10;  // above which no further one is queued
  std::size_t waiting_replies = 256;             // above which a client is not read from
  std::size_t waiting_reply_bytes = 32U << 10;   // likewise
  std::size_t waiting_commands = 512;            // sent by a client and not yet answered
  double commands_per_second = 2000;             // of a client; as many may come at once
  double command_bytes_per_second = 256U << 10;  // of a client; as many may come at once
  double handshakes_per_second = 100;  // of TLS, from all; beyond, connections end at once
  double messages_per_second = 4000;   // above which a client is read from more slowly
  // Of those, so many are any client's, and so many in all are there for those who send more.
  double steady_messages_per_second = 400;
  double spare_messages_per_second = 8000;
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 8080;          // 0 picks a free one
  std::string server_version;
  Limits limits;
  /// Of rates and of clients that take nothing; outlives the server. What the system or a peer is
  /// given to answer goes by the machine's.
  const Clock* clock = &machine_clock();
  Origins origins;
  Proxies proxies;
  /// PEM files; empty: connections are not encrypted.
  std::string tls_certificate;
  std::string tls_key;
  /// Null: whoever connects may build everywhere. Must be safe to ask for as long as the server is.
  std::shared_ptr<const access::Gate> gate;
  std::vector<Asset> assets;
  std::vector<Page> pages;
  std::function<std::string()> metrics_text;  // called on the network's thread
  std::function<Readiness()> readiness;       // called on the network's thread
  std::function<std::string()> health_text;   // likewise; /healthz says "alive" without it
};

/// What the host hands over for each world; both must outlive the server, or remove_world().
struct HostedWorld {
  WorldFeed* feed = nullptr;
  CommandIntake* intake = nullptr;
  PastResults past = {};
  /// Empty: the world as it is now. Otherwise the name, in [a-z0-9], of another point in that
  /// world's history. It is served beside the world to those who ask for it by this name, and no
  /// list of worlds shows it. Whoever has a role in the world has the same one here.
  std::string position = {};
};

class Server {
 public:
  /// Listens when this returns ok. The error names the address and says why not.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(
      ServerOptions options, const std::vector<HostedWorld>& worlds);

  /// Stops.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Tells every client that the server stops, closes, and waits (a few seconds at the most).
  /// Replies that were delivered before are sent first.
  void stop();

  /// Serves one world, or position, more from now on. Error: the network did not come to it within
  /// some seconds, and never will. For any thread but the network's, as remove_world(); neither
  /// while another one is in stop(), or after it.
  [[nodiscard]] Status add_world(HostedWorld world);

  /// Tells the viewers of a world why it goes, ends their connections, and returns when nothing
  /// here refers to its feed and its intake any more: at once when they take it, after
  /// Limits::farewell when one does not. What was delivered before is sent first. Other worlds'
  /// viewers notice nothing.
  void remove_world(const std::string& name, const std::string& why,
                    const std::string& position = {});
  /// The same of several at once: their farewells take no longer than one's.
  struct Leaving {
    std::string world;
    std::string position = {};  // empty: the world itself
  };
  void remove_worlds(const std::vector<Leaving>& leaving, const std::string& why);

  /// Reads the certificate and its key anew, for connections from now on. On an error all stays as
  /// it was. For any thread but the network's.
  [[nodiscard]] Status reload_tls();

  /// Ends connections of those who may not see their world any more. For any thread.
  void apply_roles();

  /// Ends the connections of an account (empty: of those who are nobody known) to a world. Returns
  /// how many; nothing when the network did not come to it within some seconds. For any thread but
  /// the network's.
  std::optional<std::size_t> kick(const std::string& world, const std::string& account);

  /// "127.0.0.1:8080", as bound.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;

  [[nodiscard]] std::size_t connections() const;
  /// Those that were turned away because there were too many, so far. For any thread.
  [[nodiscard]] std::uint64_t connections_refused() const;

 private:
  struct Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sluice::net
