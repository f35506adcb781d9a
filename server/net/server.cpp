#include "server/net/server.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include "protocol/base/assert.h"
#include "server/net/http_connection.h"
#include "server/net/network.h"
#include "server/net/session.h"
#include "server/net/tls.h"

namespace sluice::net {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

namespace {

// How long stop() waits for clients to take their last messages.
constexpr std::chrono::seconds kStopPatience{2};
constexpr std::chrono::milliseconds kStopPoll{10};
constexpr std::chrono::milliseconds kLongestSweep{1000};

}  // namespace

struct Server::Implementation {
  Network network;
  asio::io_context context{1};
  Tcp::acceptor acceptor{context};
  asio::steady_timer timer{context};  // pauses accepting; then polls for the end
  asio::steady_timer sweep{context};  // looks for clients that take nothing
  std::chrono::steady_clock::time_point stop_deadline;
  std::mutex feeds_mutex;                   // held for no wait on the network's thread
  std::map<std::string, WorldFeed*> feeds;  // by Network::key_of(); guarded by feeds_mutex
  std::string address;
  std::thread thread;

  Status listen();
  void accept();
  void end_stalled();
  void begin_stop();
  void apply_roles();
  std::size_t kick(const std::string& world, const std::string& account);
  void poll_stop();
  [[nodiscard]] std::unique_ptr<Hub> make_hub(const HostedWorld& world) const;
  void wake(WorldFeed& feed, Hub& hub);
  struct Removal;
  void begin_removal(const std::shared_ptr<Removal>& removal, const std::string& key,
                     const std::string& why);
  void go_on_removing(const std::shared_ptr<Removal>& removal);
};

/// A world on its way out: it ends when no session speaks of it any more.
struct Server::Implementation::Removal {
  explicit Removal(asio::io_context& context) : timer(context) {}
  std::unique_ptr<Hub> hub;
  asio::steady_timer timer;
  std::chrono::steady_clock::time_point deadline;
  std::promise<std::unique_ptr<Hub>> done;
};

Status Server::Implementation::listen() {
  const ServerOptions& options = network.options;
  const std::string wanted = options.address + ":" + std::to_string(options.port);
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(options.address, error);
  if (error) {
    return Error{"cannot listen on " + wanted + ": \"" + options.address +
                 "\" is not a numeric IPv4 or IPv6 address"};
  }
  const Tcp::endpoint endpoint(ip, options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  // What a client sends faster than it is read lies with the client, not in our system's memory.
  const asio::socket_base::receive_buffer_size received(options.limits.receive_buffer_bytes);
  if (!error) acceptor.set_option(received, error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return Error{"cannot listen on " + wanted + ": " + error.message()};
  network.options.port = acceptor.local_endpoint().port();
  const std::string host = ip.is_v6() ? "[" + ip.to_string() + "]" : ip.to_string();
  address = host + ":" + std::to_string(network.options.port);
  return Done{};
}

void Server::Implementation::accept() {
  acceptor.async_accept([this](boost::system::error_code error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted || network.stopping) return;
    if (!error) {
      serve_http(std::move(socket), network);
      return accept();
    }
    spdlog::warn("cannot accept a connection: {}", error.message());
    timer.expires_after(kAcceptPause);
    timer.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled && !network.stopping) accept();
    });
  });
}

// A client that takes no message for too long costs memory and is of no use to anybody, whatever
// pongs it sends.
void Server::Implementation::end_stalled() {
  const std::chrono::milliseconds patience = network.options.limits.stall;
  sweep.expires_after(std::min(patience / 4, kLongestSweep));
  sweep.async_wait([this, patience](boost::system::error_code error) {
    if (error || network.stopping) return;
    const Clock::Time latest = network.options.clock->now() - patience;
    const std::set<Session*> sessions = network.sessions;
    for (Session* session : sessions) {
      session->catch_up();
      session->end_if_stalled_since(latest);
    }
    end_stalled();
  });
}

void Server::Implementation::begin_stop() {
  network.stopping = true;
  boost::system::error_code ignored;
  sweep.cancel();
  acceptor.close(ignored);
  for (auto& [name, hub] : network.hubs) hub->on_mail();
  for (auto& [key, hub] : network.positions) hub->on_mail();
  const std::set<Session*> sessions = network.sessions;
  for (Session* session : sessions) {
    session->refuse(protocol::RefusalCode::kShutdown, "the server stops");
  }
  stop_deadline = std::chrono::steady_clock::now() + kStopPatience;
  poll_stop();
}

void Server::Implementation::apply_roles() {
  const std::set<Session*> sessions = network.sessions;
  for (Session* session : sessions) session->apply_role();
}

std::size_t Server::Implementation::kick(const std::string& world, const std::string& account) {
  std::size_t ended = 0;
  const std::set<Session*> sessions = network.sessions;
  for (Session* session : sessions) {
    if (session->world() != world || session->account() != account) continue;
    session->refuse(protocol::RefusalCode::kNotAllowed,
                    "not allowed: an operator ended this connection");
    ++ended;
  }
  return ended;
}

void Server::Implementation::poll_stop() {
  if (network.sessions.empty() || std::chrono::steady_clock::now() > stop_deadline) {
    return context.stop();
  }
  timer.expires_after(kStopPoll);
  timer.async_wait([this](boost::system::error_code error) {
    if (!error) poll_stop();
  });
}

std::unique_ptr<Hub> Server::Implementation::make_hub(const HostedWorld& world) const {
  SLUICE_ASSERT(world.feed != nullptr && world.intake != nullptr);
  return std::make_unique<Hub>(*world.feed, *world.intake, network.options.server_version,
                               world.past);
}

void Server::Implementation::wake(WorldFeed& feed, Hub& hub) {
  feed.set_wake([this, &hub] { asio::post(context, [&hub] { hub.on_mail(); }); });
}

// From here on nobody finds the world. What wakes the hub was taken away before, so nothing that
// speaks of it is still to come but its sessions.
void Server::Implementation::begin_removal(const std::shared_ptr<Removal>& removal,
                                           const std::string& key, const std::string& why) {
  removal->hub = std::move(network.hubs_of(key).extract(key).mapped());
  removal->hub->on_mail();
  removal->deadline = std::chrono::steady_clock::now() + network.options.limits.farewell;
  const std::set<Session*> sessions = network.sessions;
  for (Session* session : sessions) {
    if (session->is_of(*removal->hub)) session->refuse(protocol::RefusalCode::kWorldGone, why);
  }
  go_on_removing(removal);
}

void Server::Implementation::go_on_removing(const std::shared_ptr<Removal>& removal) {
  const bool late = std::chrono::steady_clock::now() > removal->deadline;
  bool left = false;
  const std::set<Session*> sessions = network.sessions;
  for (Session* session : sessions) {
    if (!session->is_of(*removal->hub)) continue;
    left = true;
    if (late) session->end();
  }
  if (!left) return removal->done.set_value(std::move(removal->hub));
  removal->timer.expires_after(kStopPoll);
  removal->timer.async_wait([this, removal](boost::system::error_code error) {
    if (!error) go_on_removing(removal);
  });
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options,
                                              const std::vector<HostedWorld>& worlds) {
  auto implementation = std::make_unique<Implementation>();
  Implementation& it = *implementation;
  it.network.assets = pack(std::exchange(options.assets, {}));
  it.network.options = std::move(options);
  if (!it.network.options.gate) {
    it.network.options.gate = std::make_shared<const access::Gate>(access::GateRules{});
  }
  for (const HostedWorld& world : worlds) {
    auto hub = it.make_hub(world);
    const std::string key = Network::key_of(hub->config().name, world.position);
    SLUICE_ASSERT(it.network.hubs_of(key).emplace(key, std::move(hub)).second);
    it.feeds.emplace(key, world.feed);
  }
  if (!it.network.options.tls_certificate.empty()) {
    auto tls = make_tls(it.network.options.tls_certificate, it.network.options.tls_key);
    if (!tls.ok()) return Error{tls.error()};
    it.network.tls = std::move(tls).value();
    const double rate = it.network.options.limits.handshakes_per_second;
    it.network.handshakes.emplace(rate, rate);
  }
  if (const Status status = it.listen(); !status.ok()) return Error{status.error()};
  for (const auto& [key, feed] : it.feeds) it.wake(*feed, *it.network.hubs_of(key).at(key));
  it.accept();
  it.end_stalled();
  it.thread = std::thread([&it] { it.context.run(); });
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

Server::Server(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Server::~Server() {
  stop();
}

void Server::stop() {
  Implementation& it = *implementation_;
  if (!it.thread.joinable()) return;
  {
    const std::lock_guard lock(it.feeds_mutex);
    for (const auto& [name, feed] : it.feeds) feed->set_wake({});
  }
  asio::post(it.context, [&it] { it.begin_stop(); });
  it.thread.join();
}

Status Server::add_world(HostedWorld world) {
  Implementation& it = *implementation_;
  const std::string key = Network::key_of(world.feed->config().name, world.position);
  {
    const std::lock_guard lock(it.feeds_mutex);
    SLUICE_ASSERT(it.feeds.emplace(key, world.feed).second);
  }
  // Whoever comes first decides: the network that takes it, or the patience that ends.
  struct Handed {
    std::unique_ptr<Hub> hub;
    std::atomic<bool> decided{false};
    std::promise<void> done;
  };
  const auto handed = std::make_shared<Handed>();
  handed->hub = it.make_hub(world);
  Hub& hub = *handed->hub;
  auto done = handed->done.get_future();
  asio::post(it.context, [&it, handed, key] {
    if (handed->decided.exchange(true)) return;
    SLUICE_ASSERT(it.network.hubs_of(key).emplace(key, std::move(handed->hub)).second);
    handed->done.set_value();
  });
  if (done.wait_for(kStopPatience) != std::future_status::ready &&
      !handed->decided.exchange(true)) {
    const std::lock_guard lock(it.feeds_mutex);
    it.feeds.erase(key);
    return Error{"the network did not come to it in time"};
  }
  it.wake(*world.feed, hub);
  return Done{};
}

void Server::remove_world(const std::string& name, const std::string& why,
                          const std::string& position) {
  remove_worlds({{name, position}}, why);
}

void Server::remove_worlds(const std::vector<Leaving>& leaving, const std::string& why) {
  Implementation& it = *implementation_;
  std::vector<std::future<std::unique_ptr<Hub>>> gone;
  for (const auto& [name, position] : leaving) {
    const std::string key = Network::key_of(name, position);
    {
      const std::lock_guard lock(it.feeds_mutex);
      const auto place = it.feeds.find(key);
      SLUICE_ASSERT(place != it.feeds.end());
      place->second->set_wake({});
      it.feeds.erase(place);
    }
    const auto removal = std::make_shared<Implementation::Removal>(it.context);
    gone.push_back(removal->done.get_future());
    asio::post(it.context, [&it, removal, key, why] { it.begin_removal(removal, key, why); });
  }
  // Here: a large world's copy takes a while to take down.
  for (auto& one : gone) one.get().reset();
}

Status Server::reload_tls() {
  Implementation& it = *implementation_;
  const ServerOptions& options = it.network.options;
  if (options.tls_certificate.empty()) return Done{};
  auto tls = make_tls(options.tls_certificate, options.tls_key);
  if (!tls.ok()) return Error{tls.error()};
  asio::post(it.context, [&it, fresh = std::move(tls).value()] { it.network.tls = fresh; });
  return Done{};
}

void Server::apply_roles() {
  Implementation& it = *implementation_;
  asio::post(it.context, [&it] { it.apply_roles(); });
}

std::optional<std::size_t> Server::kick(const std::string& world, const std::string& account) {
  Implementation& it = *implementation_;
  // It may outlive this call.
  const auto ended = std::make_shared<std::promise<std::size_t>>();
  std::future<std::size_t> count = ended->get_future();
  asio::post(it.context,
             [&it, ended, world, account] { ended->set_value(it.kick(world, account)); });
  if (count.wait_for(kStopPatience) != std::future_status::ready) return std::nullopt;
  return count.get();
}

std::string Server::address() const {
  return implementation_->address;
}

std::uint16_t Server::port() const {
  return implementation_->network.options.port;
}

std::size_t Server::connections() const {
  return implementation_->network.connections;
}

std::uint64_t Server::connections_refused() const {
  return implementation_->network.connections_refused;
}

}  // namespace sluice::net
