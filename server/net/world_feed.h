// The way from a world's thread to the network's thread, and back.
//
//   world's thread                                  network's thread
//   publish(world)  ──►  ┌───────────────┐
//   deliver(results) ──► │ one mailbox   │ ──►  take()
//                        └───────────────┘
//   CommandIntake::submit()  ◄──────────────────  a client's command
//
// The mailbox never holds more than one publication: where the network is late, the newer state of
// a chunk replaces the older one, so a slow network costs neither memory without bound nor time of
// a tick. Cells are copied out; the network never looks into a living world.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/chunk.h"
#include "protocol/messages.h"
#include "server/access/roles.h"
#include "server/net/layer_follower.h"
#include "server/net/pipe_sections.h"
#include "server/net/publication.h"
#include "server/sim/world.h"

namespace sluice::net {

/// What stands in a world beside cells and pipes: people who look at it want to see where water
/// comes from and goes to.
struct Fixture {
  Vec3 at;
  std::int32_t rate = 0;  // units a tick; of heaters units of energy
};
/// Of each kind the first ones in the order of their cells, kMostFixtures at the most.
struct Fixtures {
  std::vector<Fixture> sources;
  std::vector<Fixture> drains;
  std::vector<Fixture> heaters;
  // Of those sources that have one, as `rate`: what it takes to put a source back as it was.
  std::vector<Fixture> heads;
  std::vector<Fixture> temperatures;
  std::vector<std::pair<Vec3, sim::TracerAmounts>> tracers;  // units in 4,096 of their water
  bool heat = false;                                         // whether the world has heat
  std::size_t left_out = 0;
};
inline constexpr std::size_t kMostFixtures = 1024;

/// What became of a client's command.
struct CommandReply {
  std::uint64_t session = 0;
  protocol::CommandResult result;
  /// The client got another answer before, while this one was not yet certain.
  bool late = false;
};

/// A command as it came over the wire, and who sent it.
struct ClientCommand : protocol::Command {
  std::uint64_t session = 0;  // for CommandReply
  std::string client;         // as the client calls itself, for the recording
  std::string account = {};   // of whom; empty: nobody that is known
  std::string resume = {};    // what is left of its token (record/client_name.h); may be empty
  access::Role role = access::Role::kBuild;  // in this world
  std::string address = {};                  // from where, without the port; may be empty
};

/// What somebody owns in a world, and how much of it there may be; 0: no bound.
struct OwnedShare {
  std::int64_t cells = 0;
  std::int64_t most_cells = 0;
  std::int64_t pipes = 0;
  std::int64_t most_pipes = 0;
};

/// Takes commands for a world; implemented by the host.
class CommandIntake {
 public:
  virtual ~CommandIntake() = default;
  /// Called on the network's thread; must not wait. An error refuses the command at once. When ok,
  /// exactly one CommandReply follows through WorldFeed::deliver, unless the world stops before.
  [[nodiscard]] virtual Status submit(ClientCommand command) = 0;
  /// The least role that may give the command: build for one that changes what is in the world;
  /// operate for one about how it is run, in a world in which nobody builds, too; watch for one
  /// that changes nothing.
  [[nodiscard]] virtual access::Role role_for(const protocol::Command& /*command*/) const {
    return access::Role::kBuild;
  }
  /// Of an account, or of all who show no token and come from `address`. Nothing where their role
  /// has no bound, or it is not known yet.
  [[nodiscard]] virtual std::optional<OwnedShare> owned_by(const std::string& /*account*/,
                                                           const std::string& /*address*/,
                                                           access::Role /*role*/) const {
    return std::nullopt;
  }
  /// Whether those who watch may have positions of their own in the world's past.
  [[nodiscard]] virtual bool looks_back() const { return false; }
};

/// What the network counted for one world; read on any thread.
struct HubCounters {
  std::atomic<std::int64_t> viewers{0};
  std::atomic<std::uint64_t> frames{0};            // tick messages handed to connections
  std::atomic<std::uint64_t> frames_skipped{0};    // ticks that a slow viewer did not get
  std::atomic<std::uint64_t> bytes{0};             // of all messages handed to connections
  std::atomic<std::uint64_t> resyncs{0};           // digest mismatches that clients claim
  std::atomic<std::uint64_t> claimants{0};         // clients that claimed any
  std::atomic<std::uint64_t> mismatches{0};        // chunks that the server itself found to differ
  std::atomic<std::uint64_t> bad_messages{0};      // clients that were closed for one
  std::atomic<std::uint64_t> commands{0};          // received
  std::atomic<std::uint64_t> commands_refused{0};  // before they reached the world's tick
  std::atomic<std::uint64_t> reads_slowed{0};      // pauses of those who send too many messages
  std::atomic<std::uint64_t> over_limits{0};       // commands and views refused for a role's limits
};

class WorldFeed {
 public:
  struct Mail {
    std::optional<Publication> publication;
    std::vector<CommandReply> replies;
  };

  explicit WorldFeed(const sim::World& world);
  /// Of a replay, which is served under a name of its own.
  WorldFeed(const sim::World& world, std::string name, const protocol::Playback& playback);

  // The host's side.

  /// Before anybody comes.
  void set_sizes(const Sizes& sizes);
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  /// After each tick, on the world's thread.
  void publish(const sim::World& world);
  /// After a tick that nobody is to see by itself: what it changed goes with the next publication.
  void skip(const sim::World& world);
  /// What is published next is any other state, of an earlier tick for instance.
  void jump();
  /// What goes with every publication from now on.
  void set_playback(protocol::Playback playback) { playback_ = std::move(playback); }
  /// How its time goes, for people: whether it stands, and thousandths of its own speed. Any
  /// thread.
  void set_pace(bool paused, std::int32_t speed) {
    paused_.store(paused, std::memory_order_relaxed);
    speed_.store(speed, std::memory_order_relaxed);
  }
  [[nodiscard]] bool paused() const { return paused_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int32_t speed() const { return speed_.load(std::memory_order_relaxed); }
  /// Whether somebody came who waits for the next publication, or for more of a layer: a world that
  /// stands still has to be published for such a viewer's sake.
  [[nodiscard]] bool awaited() const {
    return watched_.load(std::memory_order_relaxed) && (!complete_published_ || layers_awaited());
  }
  /// `watch` is called on the network's thread when somebody begins to watch; it must not wait. To
  /// be set before the server starts.
  void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }
  /// On any thread.
  void deliver(std::vector<CommandReply> replies);

  // The network's side.

  /// `wake` is called on a thread of the host whenever the mailbox turned from empty to not empty;
  /// it must not wait. An empty function ends the calls: none is under way when this returns.
  void set_wake(std::function<void()> wake);
  [[nodiscard]] Mail take();
  /// Has a chunk compared with the world after its next tick. Asked for too often it is forgotten:
  /// at most kMostAudits a tick.
  void audit(ChunkCoord coord);
  static constexpr std::size_t kMostAudits = 16;
  /// Whether chunks are to be published at all.
  void set_watched(bool watched);
  /// Whether a layer is to be published. Who wants it anew gets all of it.
  void want_layer(std::size_t layer, bool wanted);

  // Either side.

  /// Whether anybody watches.
  [[nodiscard]] bool watched() const { return watched_.load(std::memory_order_relaxed); }
  [[nodiscard]] HubCounters& counters() { return counters_; }
  [[nodiscard]] const sim::WorldConfig& config() const { return config_; }
  /// Those of the world, and what they are told as: in the order of Welcome::layers.
  [[nodiscard]] std::vector<std::string> layers() const;
  [[nodiscard]] std::vector<std::string> tracer_kinds() const;
  /// As of one of the last kFixturesInterval ticks while somebody watches.
  [[nodiscard]] std::shared_ptr<const Fixtures> fixtures();
  static constexpr std::uint64_t kFixturesInterval = 10;
  /// Layers of a world that runs are told so often.
  static constexpr std::uint64_t kLayersPerSecond = 5;
  /// The last tick that was published.
  [[nodiscard]] std::uint64_t tick() const { return tick_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] Publication describe(const sim::World& world);
  void list_fixtures(const sim::World& world);
  void add_audits(const sim::World& world, Publication& publication);
  void follow_layers(const sim::World& world);
  void add_layers(const sim::World& world, Publication& publication);
  [[nodiscard]] bool layers_awaited() const;
  void put(Publication publication);

  sim::WorldConfig config_;  // never changes
  Sizes sizes_;              // likewise, once somebody came
  std::atomic<std::uint64_t> tick_;
  std::atomic<bool> watched_{false};
  HubCounters counters_;
  bool complete_published_ = false;  // the world's thread alone
  PipeSections pipe_sections_;       // the world's thread alone
  // What skipped ticks changed, and what goes with each publication; the world's thread alone.
  std::set<ChunkCoord> skipped_chunks_;
  PipeStates skipped_pipes_;
  std::optional<protocol::Playback> playback_;
  std::function<void()> watch_;
  std::atomic<bool> paused_{false};
  std::atomic<std::int32_t> speed_{1000};
  std::uint64_t springs_version_ = 0;  // that was listed last
  struct FollowedLayer {
    explicit FollowedLayer(LayerFollower how) : follower(std::move(how)) {}
    LayerFollower follower;                // the world's thread alone
    std::atomic<std::uint32_t> wanted{0};  // counts: odd while somebody wants it
    std::uint32_t followed = 0;            // what it was; the world's thread alone
  };
  bool jumped_ = false;                       // the world's thread alone
  std::deque<FollowedLayer> layers_;          // their number never changes
  std::uint64_t layers_tick_ = 0;             // of which they were told; the world's thread alone
  std::uint64_t followed_tick_ = UINT64_MAX;  // of which they were noted; the world's thread alone

  std::mutex mutex_;
  Mail mail_;                                 // guarded by mutex_
  std::set<ChunkCoord> audits_;               // guarded by mutex_
  std::function<void()> wake_;                // guarded by mutex_
  std::shared_ptr<const Fixtures> fixtures_;  // guarded by mutex_; never null
};

}  // namespace sluice::net
