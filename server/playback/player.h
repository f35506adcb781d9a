// One or two recordings, shown at the same tick to whoever watches.
//
//   network's thread                       the player's thread
//   submit(control) ──► requests ────────► seek, step, play ──► Cursor(s) ──► WorldFeed(s) ──►
//   viewers
//        reply ◄──────────────────────────── done, or why not
//
// All viewers of a player see the same tick and steer it: they watch together, and two recordings
// stay side by side without any further agreement. Who asks for a position of its own is handed on
// (own_positions.h), and gets another player.
//
// A player may also stand beside a living world, in the recording that is being written of it. Then
// it plays on at its end as the recording grows, gives way to others in everything, and rests
// between jumps so that the network's thread is not kept from the living.
//
// Requests that came while another was being obeyed are taken together: of several seeks only the
// last is gone to, so that dragging a slider never lags behind.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "protocol/messages.h"
#include "server/net/clock.h"
#include "server/net/server.h"
#include "server/net/world_feed.h"
#include "server/playback/control.h"
#include "server/playback/cursor.h"

namespace sluice::playback {

/// A viewer that wants a position of its own.
struct AskedAlone {
  std::string position;
  std::optional<std::uint64_t> from;
  std::size_t pane = 0;
  std::uint64_t session = 0;
  std::uint64_t seq = 0;
  std::string asker = {};  // who is to have so many and no more; empty: nobody knows
};

class Player {
 public:
  /// Requests that wait.
  static constexpr std::size_t kMostRequests = 4096;

  /// A recording and the name that its world is served under.
  struct Recording {
    std::string name;
    std::unique_ptr<Cursor> cursor;
  };

  /// Of what: recordings that were made, or one that a living world is making.
  enum class Manner : std::uint8_t { kReplay, kLookBack };

  /// One recording, or two of one size that have ticks in common. Begins paused.
  /// The clock must outlive it.
  explicit Player(std::vector<Recording> recordings, Manner manner = Manner::kReplay,
                  const net::Clock& clock = net::machine_clock());
  /// Stops.
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Goes to the first tick that is shown; to be called once, before start().
  [[nodiscard]] Status begin_at(std::uint64_t tick);
  void start();
  void stop();
  /// What is under way ends soon, and nothing can be shown any more. Any thread.
  void give_up();

  /// Who takes such viewers; without, they are refused. Called on the network's thread; an ok must
  /// be followed by one answer(). To be set before the server starts.
  void set_alone(std::function<Status(AskedAlone)> alone) { alone_ = std::move(alone); }
  /// `refusal` is empty where there is a position for it now, which stands at `tick`. Any thread.
  void answer(const AskedAlone& asked, std::uint64_t tick, std::string refusal);

  /// About what its worlds take in memory, as they were published last: here, on the way and with
  /// the network. Without the caches. Any thread.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// How long to rest after all of them went to the network: its thread copies and compares them,
  /// and has others to serve. Any thread.
  [[nodiscard]] std::chrono::microseconds rest_after_jump() const;

  /// For the server, which must be stopped before the player ends.
  [[nodiscard]] std::vector<net::HostedWorld> hosted();
  [[nodiscard]] std::uint64_t first_tick() const { return first_tick_; }
  /// As of the start.
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  /// What viewers see. Any thread.
  [[nodiscard]] std::uint64_t shown_tick() const { return panes_.front()->feed->tick(); }
  /// Whether anybody watches any of its recordings. Any thread.
  [[nodiscard]] bool watched() const;
  /// Whether anybody ever came to watch. Any thread.
  [[nodiscard]] bool visited() const { return visited_; }

 private:
  using Time = net::Clock::Time;

  struct Request {
    Control control;
    std::size_t pane = 0;
    std::uint64_t session = 0;
    std::uint64_t seq = 0;
    std::string refusal;  // once it was obeyed, or was not
  };

  /// A recording on the screen.
  struct Pane final : net::CommandIntake {
    Player* player = nullptr;
    std::size_t number = 0;
    std::unique_ptr<Cursor> cursor;
    std::unique_ptr<net::WorldFeed> feed;
    [[nodiscard]] Status submit(net::ClientCommand command) override;
    /// Nothing can be changed here.
    [[nodiscard]] access::Role role_for(const protocol::Command& /*command*/) const override {
      return access::Role::kWatch;
    }
  };

  void run();
  [[nodiscard]] bool wait(std::vector<Request>& requests);
  void obey(std::vector<Request>& requests);
  [[nodiscard]] std::uint64_t target_of(Request& request, std::uint64_t target);
  [[nodiscard]] Status go_to(std::uint64_t tick);
  [[nodiscard]] bool play();
  [[nodiscard]] bool advance();
  void retreat(const std::string& trouble);
  [[nodiscard]] std::uint64_t ticks_due(Time now) const;
  [[nodiscard]] Time next_look() const;
  void set_pace();
  void look_about();
  void look_for_more();
  void leave_what_was_cut_off();
  void publish();
  void reply(std::vector<Request>& requests);
  void report_warnings();
  [[nodiscard]] std::string told(std::string trouble) const;

  const Manner manner_;
  const net::Clock& clock_;
  std::vector<std::unique_ptr<Pane>> panes_;
  std::function<Status(AskedAlone)> alone_;
  std::uint64_t first_tick_ = 0;

  // The player's thread alone, once started.
  std::uint64_t last_tick_ = 0;
  std::uint64_t tick_ = 0;
  bool playing_ = false;
  std::uint32_t speed_ = kRealTime;
  std::string trouble_;
  Time pace_begin_;               // since when playing goes at this pace
  std::uint64_t pace_ticks_ = 0;  // and how far it has come since
  Time published_;
  Time rests_until_;          // from all requests
  bool jumped_ = false;       // since it was published
  bool unpublished_ = false;  // the worlds went on by a tick since
  Time looked_for_more_;
  std::set<std::string> warnings_;  // each is told once

  std::atomic<bool> visited_{false};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::int64_t> chunks_{0};  // stored, as of the last publication
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Request> requests_;  // guarded by mutex_
  bool awaited_ = false;           // guarded by mutex_
  bool stopping_ = false;          // guarded by mutex_
  std::thread thread_;
};

}  // namespace sluice::playback
