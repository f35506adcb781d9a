// One world's viewers. Lives on the network's thread alone; knows nothing of sockets.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "protocol/messages.h"
#include "server/net/interest.h"
#include "server/net/published_world.h"
#include "server/net/world_feed.h"

namespace sluice::net {

/// A message that many viewers may be sending at the same time.
using SharedBytes = std::shared_ptr<const protocol::Bytes>;

/// What a hub needs of a connection; implemented by the WebSocket session.
class Viewer {
 public:
  virtual ~Viewer() = default;
  /// False while it has as many frames as a viewer may keep waiting.
  [[nodiscard]] virtual bool has_room() const = 0;
  virtual void send_frame(SharedBytes frame) = 0;
  virtual void send_reply(const protocol::ServerMessage& message) = 0;

  Interest interest;
};

/// What the network counted for one world; read on any thread.
struct HubCounters {
  std::atomic<std::int64_t> viewers{0};
  std::atomic<std::uint64_t> frames{0};            // tick messages handed to connections
  std::atomic<std::uint64_t> frames_skipped{0};    // ticks that a slow viewer did not get
  std::atomic<std::uint64_t> bytes{0};             // of all messages handed to connections
  std::atomic<std::uint64_t> resyncs{0};           // digest mismatches that clients reported
  std::atomic<std::uint64_t> bad_messages{0};      // clients that were closed for one
  std::atomic<std::uint64_t> commands{0};          // received
  std::atomic<std::uint64_t> commands_refused{0};  // before they reached the world's tick
};

class Hub {
 public:
  /// The feed and the intake must outlive the hub.
  Hub(WorldFeed& feed, CommandIntake& intake, std::string server_version);

  [[nodiscard]] const sim::WorldConfig& config() const { return feed_.config(); }
  [[nodiscard]] const WorldFeed& feed() const { return feed_; }
  [[nodiscard]] protocol::Welcome welcome() const;
  [[nodiscard]] HubCounters& counters() { return counters_; }

  /// Takes the feed's mail: frames to the viewers, replies to whom they belong.
  void on_mail();

  /// A viewer's number, for its commands. It must leave before it ends.
  std::uint64_t join(Viewer& viewer);
  void leave(std::uint64_t session);

  void set_view(Viewer& viewer, const protocol::ViewBox& box);
  /// False when the request makes no sense.
  [[nodiscard]] bool resync(Viewer& viewer, protocol::Position coord);
  /// Sends what the viewer lacks, if it has room.
  void catch_up(Viewer& viewer);
  /// Error: the command is refused with this reason, and no reply follows.
  [[nodiscard]] sim::Status submit(ClientCommand command);

 private:
  void step();

  WorldFeed& feed_;
  CommandIntake& intake_;
  std::string server_version_;
  PublishedWorld world_;
  std::map<std::uint64_t, Viewer*> viewers_;
  std::uint64_t next_session_ = 1;
  HubCounters counters_;
};

}  // namespace sluice::net
