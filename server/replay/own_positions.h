// Viewers at ticks of their own, beside the one that all others share.
//
//   network's thread            this thread
//   {"cmd": "alone"} ─────────► opens the recordings once more, goes to the tick, has the server
//                               serve them as /worlds/NAME?alone=POSITION
//           reply ◄──────────── done, or why not
//                               now and then: frees positions that nobody watches
//
// A position has a player of its own, so it is steered, played and stopped as the shared one is.
// Both recordings of a comparison are in it, at one tick. Whoever knows what it goes by may watch
// it too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "protocol/base/result.h"
#include "server/net/server.h"
#include "server/replay/player.h"

namespace sluice::replay {

/// How long positions are kept for viewers that are not there.
struct PositionPatience {
  /// That nobody watches a position before it is freed: so long its viewer may be away.
  std::chrono::milliseconds unwatched{10'000};
  /// Before one that nobody has come to yet is freed for somebody else: so long its viewer may
  /// take.
  std::chrono::milliseconds settling{1'000};
};

class OwnPositions {
 public:
  /// Each holds its worlds two to three times over, in the cursor, on the way and with the network.
  static constexpr std::size_t kMost = 8;
  /// Viewers that wait for one.
  static constexpr std::size_t kMostAsked = 64;

  using Open = std::function<Result<std::vector<Player::Recording>>()>;

  /// Takes the viewers of `shared` who ask for positions of their own; to be made before the server
  /// that shows it. Both must outlive stop(), the player this.
  OwnPositions(Player& shared, Open open, PositionPatience patience = {});
  /// Stops. The server must be gone, or must not show positions any more.
  ~OwnPositions();
  OwnPositions(const OwnPositions&) = delete;
  OwnPositions& operator=(const OwnPositions&) = delete;

  void start(net::Server& server);
  /// No position comes or goes from here on, and none moves; the server may still show them.
  void stop();

  /// As of now. Any thread.
  [[nodiscard]] std::size_t count() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Position {
    std::unique_ptr<Player> player;
    Clock::time_point watched;  // when it was, last
  };

  [[nodiscard]] Status ask(Player::AskedAlone asked);
  void run();
  void give(const Player::AskedAlone& asked);
  [[nodiscard]] Status make(const Player::AskedAlone& asked);
  [[nodiscard]] Status room_for_one_more();
  [[nodiscard]] Status serve(Player& player, const std::string& name);
  void look_about();
  void free(const std::string& name);

  Player& shared_;
  const Open open_;
  const PositionPatience patience_;
  net::Server* server_ = nullptr;
  std::map<std::string, Position> positions_;  // this thread alone, until it has stopped

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Player::AskedAlone> asked_;  // guarded by mutex_
  std::size_t count_ = 0;                  // of positions_; guarded by mutex_
  bool stopping_ = false;                  // guarded by mutex_
  std::thread thread_;
};

}  // namespace sluice::replay
