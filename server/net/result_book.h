// What became of the commands of clients that may come back: so that a client whose connection was
// lost learns it, and a command that is sent twice is applied once.
//
//   begin(number, seq) ──► pending ── settle(number, result) ──► stored ──► forgotten
//
// A client is known by its account and by what is left of its token (record/client_name.h), and has
// one number over all its connections. Of each the last results are kept, as far as the limits go;
// what was forgotten is a range of numbers from 0 on, so nothing that is forgotten is ever taken
// for new. When there are too many clients, those that are gone go first, and of those the ones
// from the address that has the most: who makes up clients forgets his own.
//
// On the network's thread alone; looks at no clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "protocol/limits.h"
#include "protocol/messages.h"

namespace sluice::net {

/// What is kept, and recorded, of a client's token: 64 bits of its hash, as text. Enough to tell
/// clients apart, and no way back to the token.
[[nodiscard]] std::string resume_text(const protocol::ResumeToken& token);
inline constexpr std::size_t kResumeTextBytes = 11;

/// A result that a recording holds.
struct PastResult {
  std::string client;  // ResultBook::key_of
  protocol::CommandResult result;
};

/// What a recording tells of the time before the server started.
struct PastResults {
  /// All that was applied after this tick is in `results`. The highest number: nothing is known.
  std::uint64_t complete_since = ~std::uint64_t{0};
  std::deque<PastResult> results;  // in the order of their ticks
};

class ResultBook {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Limits {
    std::size_t results = protocol::kResultsKept;           // of a client
    std::size_t client_bytes = protocol::kResultBytesKept;  // of a client's results
    std::size_t bytes = std::size_t{16} << 20;              // of all
    std::size_t clients = 4096;
    std::size_t clients_per_address = 256;
    std::chrono::minutes kept{60};  // after a client left
  };

  struct Client {
    std::string key;      // key_of
    std::string address;  // from where; without the port
    std::uint64_t last_seq = 0;
    std::uint64_t since_tick = 0;
  };

  struct Opened {
    std::uint64_t number = 0;  // 0: there is no room, nothing is kept
    bool known = false;        // what became of every number up to last_seq can be told
    std::size_t pending = 0;   // commands that are still under way
  };

  enum class State : std::uint8_t { kNew, kPending, kStored, kForgotten };
  struct Found {
    State state = State::kNew;
    protocol::CommandResult result;  // of one that is stored
  };

  ResultBook() : ResultBook(Limits()) {}
  explicit ResultBook(const Limits& limits) : limits_(limits) {}

  /// Who a client is; the same after a restart.
  [[nodiscard]] static std::string key_of(const std::string& account, const std::string& resume) {
    return account + '\x1f' + resume;
  }

  /// Before any client comes.
  void remember(PastResults past);

  /// A client comes. `fresh_number` is its own from now on, if it has none yet; `tick` is the
  /// world's. It may be here already, on another connection.
  [[nodiscard]] Opened open(const Client& client, std::uint64_t fresh_number, std::uint64_t tick,
                            Time now);
  void leave(std::uint64_t number, Time now);

  // Of numbers that open() has given; of others nothing is known, and nothing is kept.

  [[nodiscard]] bool keeps(std::uint64_t number) const { return by_number_.contains(number); }
  [[nodiscard]] Found find(std::uint64_t number, std::uint64_t seq) const;
  void begin(std::uint64_t number, std::uint64_t seq);
  /// `tick` is the world's.
  void settle(std::uint64_t number, const protocol::CommandResult& result, std::uint64_t tick);

  [[nodiscard]] std::size_t clients() const { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// That a result is counted as, beside its reason.
  static constexpr std::size_t kResultBytes = 96;

 private:
  struct Entry {
    std::uint64_t number = 0;  // 0: it has not come since the server started
    std::string address;
    bool here = false;
    Time left;
    std::uint64_t left_order = 0;
    std::map<std::uint64_t, std::optional<protocol::CommandResult>> results;  // none: pending
    std::size_t bytes = 0;
    std::size_t pending = 0;
    std::uint64_t forgotten_to = 0;
    // Likewise, of commands that may stand before the part of the recording that was read.
    std::uint64_t unread_to = 0;
    bool from_recording = false;

    [[nodiscard]] std::uint64_t unknown_to() const { return std::max(forgotten_to, unread_to); }
  };
  using Entries = std::map<std::string, Entry>;

  void put(Entry& entry, const protocol::CommandResult& result);
  void bound(Entry& entry);
  bool forget_oldest_result(Entry& entry);
  [[nodiscard]] bool make_room(const std::string& address, std::uint64_t tick);
  [[nodiscard]] Entries::iterator gone_longest(const std::string* address);
  [[nodiscard]] const std::string* fullest_address() const;
  void erase(Entries::iterator entry, std::uint64_t tick);
  void expire(std::uint64_t tick, Time now);

  const Limits limits_;
  Entries entries_;
  std::map<std::uint64_t, Entries::iterator> by_number_;
  std::map<std::string, std::size_t> by_address_;
  // Those that are gone, by address, the one that left first in front.
  std::map<std::string, std::map<std::uint64_t, Entries::iterator>> gone_;
  std::map<std::uint64_t, Entries::iterator> gone_in_order_;
  std::optional<Time> began_;  // when the first client came
  std::uint64_t next_left_ = 1;
  std::size_t bytes_ = 0;
  std::uint64_t complete_since_ = 0;
};

}  // namespace sluice::net
