// Viewers at ticks of their own, beside what all others watch: a recording that is shown to them
// together, or a living world.
//
//   network's thread            this thread
//   {"cmd": "alone"} ─────────► opens the recording once more, goes to the tick, has the server
//                               serve it as /worlds/NAME?alone=POSITION
//           reply ◄──────────── done, or why not
//                               now and then: frees positions that nobody watches
//
// A position has a player of its own, so it is steered, played and stopped as a shared one is. Both
// recordings of a comparison are in it, at one tick. Whoever knows what it goes by may watch it
// too.
//
// Positions cost memory and the processor, and strangers may ask for them. There are so many and no
// more; they are made one after the other, on this thread alone; beside living worlds it gives way
// to others, and rests after each as a player does after a jump.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "server/net/clock.h"
#include "server/net/server.h"
#include "server/playback/player.h"

namespace sluice::playback {

/// How long positions are kept for viewers that are not there.
struct PositionPatience {
  /// That nobody watches a position before it is freed: so long its viewer may be away.
  std::chrono::milliseconds unwatched{10'000};
  /// Before one that nobody has come to yet is freed for somebody else: so long its viewer may
  /// take.
  std::chrono::milliseconds settling{1'000};
};

/// How many there may be. Each holds its worlds two to three times over: in the cursor, on the way
/// and with the network.
struct PositionBounds {
  std::size_t most = 8;                  // of all histories; 0: none
  std::size_t most_of_asker = SIZE_MAX;  // of one AskedAlone::asker
  std::size_t most_of_one = 8;           // of one history
  std::size_t most_bytes = SIZE_MAX;     // of all worlds in them, as Player::bytes() counts
};

/// What positions are had in.
struct History {
  Player::Manner manner = Player::Manner::kReplay;
  /// Cursors at the beginning. Called by the thread of OwnPositions alone.
  std::function<Result<std::vector<Player::Recording>>()> open;
  /// The tick that is shown to those without a position of their own. Any thread.
  std::function<std::uint64_t()> shown_tick;
  /// Takes the answer to one who asked: the tick at which there is a position for it now, or why
  /// not. Any thread.
  std::function<void(const AskedAlone& asked, std::uint64_t tick, std::string refusal)> answer;
};

class OwnPositions {
 public:
  /// Viewers that wait for one.
  static constexpr std::size_t kMostAsked = 64;

  /// The clock must outlive it.
  explicit OwnPositions(PositionBounds bounds = {}, PositionPatience patience = {},
                        const net::Clock& clock = net::machine_clock());
  /// Stops. The server must be gone, or must not show positions any more.
  ~OwnPositions();
  OwnPositions(const OwnPositions&) = delete;
  OwnPositions& operator=(const OwnPositions&) = delete;

  /// The viewers of `shared` may ask from now on, under the name "". To be called before the server
  /// that shows it is there. The player must outlive stop().
  void add_beside(Player& shared, std::function<Result<std::vector<Player::Recording>>()> open);
  /// From now on there may be positions in it. Any thread, as all that follows but start(), stop().
  void add(const std::string& name, History history);
  /// Tells those in its positions why they end, and ends them. When this returns nothing here reads
  /// its recording or calls its functions, and nobody gets a position in it any more. None of that
  /// name: nothing happens.
  void remove(const std::string& name, const std::string& why);
  /// Error: there will be none, and no answer follows.
  [[nodiscard]] Status ask(const std::string& history, AskedAlone asked);

  void start(net::Server& server);
  /// No position comes or goes from here on, and none moves; the server may still show them.
  void stop();

  /// Positions beyond them end soon, the newest first.
  void set_bounds(PositionBounds bounds);
  /// Whether anybody can get one.
  [[nodiscard]] bool offers() const { return offers_; }
  /// As of now.
  [[nodiscard]] std::size_t count() const;
  struct Sample {
    std::size_t positions = 0;
    std::uint64_t made = 0;     // since it was added
    std::uint64_t refused = 0;  // likewise
  };
  [[nodiscard]] Sample sample(const std::string& history) const;
  /// Of all worlds in them, as they were at the last look.
  [[nodiscard]] std::size_t bytes() const;

 private:
  using Time = net::Clock::Time;
  using Key = std::pair<std::string, std::string>;  // of the history, and what it goes by
  struct Position {
    std::unique_ptr<Player> player;
    Time watched;              // when it was, last
    std::uint64_t number = 0;  // the higher, the later it was made
    std::string asker;         // for whom
  };
  struct Known {
    std::shared_ptr<const History> history;
    Sample sample;
  };
  struct Asked {
    std::string history;
    AskedAlone asked;
  };
  /// What this thread is at: `remove()` waits for it.
  struct AtWork {
    std::string history;
    Player* player = nullptr;  // one that is being made
    bool ends = false;         // the history is to go
  };

  void run();
  void give(std::unique_lock<std::mutex>& lock, const Asked& asked);
  [[nodiscard]] Status make(std::unique_lock<std::mutex>& lock, const Asked& asked,
                            const History& history);
  [[nodiscard]] Status begin(Player& player, const History& history, const AskedAlone& asked);
  struct Scope;
  [[nodiscard]] Status room_for_one_more(std::unique_lock<std::mutex>& lock, const Asked& asked,
                                         Player::Manner manner);
  [[nodiscard]] bool make_room_in(std::unique_lock<std::mutex>& lock, const Scope& scope);
  [[nodiscard]] Status room_in_memory(std::size_t bytes) const;
  [[nodiscard]] Status serve(Player& player, const std::string& name);
  void look_about(std::unique_lock<std::mutex>& lock);
  void end_those_beyond(std::unique_lock<std::mutex>& lock);
  void free(std::unique_lock<std::mutex>& lock, const std::vector<Key>& keys,
            const std::string& why);
  struct Ended;
  void end(std::vector<Ended> ended, const std::string& why);
  [[nodiscard]] std::size_t bytes_in_use() const;

  const PositionPatience patience_;
  const net::Clock& clock_;
  net::Server* server_ = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable work_done_;
  PositionBounds bounds_;  // guarded by mutex_, as all that follows
  std::map<std::string, Known> histories_;
  std::map<Key, Position> positions_;
  std::uint64_t made_ = 0;
  std::vector<Asked> asked_;
  std::optional<AtWork> at_work_;
  std::set<std::string> freeing_;  // histories of positions that this thread ends
  Time rests_until_;
  bool stopping_ = false;
  std::atomic<bool> offers_{true};
  std::thread thread_;
};

}  // namespace sluice::playback
