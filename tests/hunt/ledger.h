// What must stay true of a world's history, whatever happens to the process, the medium and the
// connections: every promise that was made to a client, and every tick that was seen.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/record/reader.h"
#include "server/record/repair.h"
#include "server/sim/world.h"
#include "tests/hunt/life.h"

namespace sluice::hunt {

class Ledger {
 public:
  using Name = std::pair<std::string, std::uint64_t>;  // of a command: its client and number

  explicit Ledger(Ground& ground) : ground_(ground) {}

  void sent(const std::string& client, std::uint64_t seq, sim::Command command);
  /// Once more, since the server said that it had not applied it: it may come after later ones.
  void sent_again(const std::string& client, std::uint64_t seq, sim::Command command) {
    sent_again_.insert({client, seq});
    sent(client, seq, std::move(command));
  }
  /// What the client was told of it.
  void answered(const std::string& client, const protocol::CommandResult& result);
  /// The world as it lived through a tick.
  void ticked(const sim::World& world);
  /// The process came back with its world at this tick: what came after it was never promised, or
  /// was lost, and happens anew.
  void came_back(std::uint64_t tick);
  /// The world was reset: nothing that was promised holds any more.
  void begins_anew();
  /// A repair said what the medium lost.
  void lost(const record::Repair& repair);
  /// A repair whose process died, or an operator's, said nobody here what the medium lost: it is
  /// what neither the recording nor its parts have.
  void lost_what_is_not_there();
  /// The medium was damaged: from now on a loss is no fault, if it is named.
  void damaged() { damaged_ = true; }
  /// A sector of it went: a page of which the last rows went looks like one that never had them, so
  /// that the end of what was kept is all that a repair can say of it.
  void lost_a_sector() { damaged_ = loses_sectors_ = true; }
  /// Keeps the world as it lives through that tick, for `first_difference`.
  void keep(std::uint64_t tick) { kept_tick_ = tick; }
  /// The tick in which a plain world differed; 0: none did. Where, if the world of it was kept.
  [[nodiscard]] std::uint64_t differs_at() const { return differs_at_; }
  [[nodiscard]] const std::string& first_difference() const { return first_difference_; }
  [[nodiscard]] bool is_damaged() const { return damaged_; }

  /// Compares the recording with all that was promised and seen, and, in `from_scratch`, with a
  /// plain world that is given the same commands. What is wrong is said to the journal.
  void check(bool from_scratch);
  /// The same of a copy of the recording, which ends at that tick; not from scratch.
  void check_copy(const std::string& path, std::uint64_t last_tick);
  /// Whether the world lived through that tick otherwise, as far as it is known.
  [[nodiscard]] bool was_otherwise(std::uint64_t tick, sim::Digest digest) const;
  /// The plain world of the last check from scratch, at the recording's end; null where that could
  /// not be reached. No longer kept here.
  [[nodiscard]] std::unique_ptr<sim::World> take_replayed() { return std::move(replayed_); }

 private:
  struct Promise {
    std::uint64_t tick = 0;
    bool applied = false;
  };
  struct Found {
    std::uint64_t tick = 0;
    bool applied = false;
  };

  void fail(const std::string& what) { ground_.journal.fail("history", what); }
  /// With the parts beside the recording. Whether all could be read.
  bool read_all(record::Reader& reader);
  bool read(record::Reader& reader, bool main);
  void look_at(const record::TickRecord& tick, bool main);
  /// `whole`: all that is recorded was read.
  void check_promises(bool whole);
  void check_whole(record::Reader& reader);
  void replay(record::Reader& reader);
  [[nodiscard]] bool look_at_rest(const sim::World& plain, bool rests);
  void differs(const sim::World& plain);
  [[nodiscard]] bool named_as_lost(std::uint64_t tick) const;

  Ground& ground_;
  std::map<Name, std::vector<std::byte>> sent_;
  std::set<Name> sent_again_;
  std::map<Name, Promise> promises_;
  std::map<std::uint64_t, sim::Digest> seen_;  // by tick, of the world as it lived
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lost_;
  bool damaged_ = false;
  bool loses_sectors_ = false;
  std::uint64_t kept_tick_ = 0;
  std::unique_ptr<sim::World> kept_;
  std::uint64_t differs_at_ = 0;
  std::string first_difference_;

  // Of the check under way, and of those before it in the same life of the server.
  std::uint64_t read_to_ = 0;  // the tick up to which what follows knows the recording
  std::map<Name, Found> found_;
  std::map<std::string, Name> last_of_client_;
  std::unique_ptr<sim::World> replayed_;
  bool rested_ = false;  // after its last tick
};

}  // namespace sluice::hunt
