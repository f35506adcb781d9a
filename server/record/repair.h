// What is left of a damaged recording, and a backup that is known to be good.
//
//   history   ####### xx ########## x #####      x: rows that the medium lost
//   repair    part-1  .. part-2     . main        each from its first state on
//
// The main part is the one that ends last, because it holds the world as it is now: history up to
// the end, or, where that is lost, the last checkpoint. Earlier parts become recordings of their
// own. A state is a checkpoint, or the world that the world file describes: what can be replayed
// from one is not lost. The damaged file itself is set aside (exchange.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/format.h"
#include "server/record/reader.h"

namespace sluice::record {

/// Ticks and what was in them.
struct LostTicks {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::string why;
  /// As far as they can still be read.
  std::uint64_t commands = 0;
  std::set<std::string> clients;
  /// Of some of these ticks not even that is known.
  bool commands_unknown = false;
};

struct LostCheckpoint {
  std::uint64_t tick = 0;
  std::string why;
};

/// What of a recording cannot be read.
struct Damage {
  std::vector<LostTicks> ticks;
  std::vector<LostCheckpoint> checkpoints;
  std::vector<std::string> troubles;  // with what stands before the history
  /// There may have been ticks after the last one that is known: what says so cannot be read.
  bool end_unknown = false;
  /// Likewise before the first one. A recording of which the beginning was cut off (seal.h) says so
  /// in what cannot be read.
  bool begin_unknown = false;
  [[nodiscard]] bool whole() const {
    return ticks.empty() && checkpoints.empty() && troubles.empty();
  }
};

/// Reads a recording row by row, and takes its time where it is told to.
class DamageSearch {
 public:
  /// Up to the last tick that the reader knows of now.
  explicit DamageSearch(Reader& reader);
  /// Looks at the next row of history or the next checkpoint. False when there is none. An error is
  /// one of the system, which says nothing about the file.
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] const Damage& found() const { return found_; }

 private:
  [[nodiscard]] Status look_at_row();
  [[nodiscard]] Result<bool> look_at_checkpoint();
  void look_at(std::uint64_t checkpoint);
  void look_at_others();
  [[nodiscard]] Result<bool> end_of_checkpoints();
  [[nodiscard]] Result<bool> no_failure(bool more);

  Reader& reader_;
  Damage found_;
  const std::uint64_t last_;
  std::uint64_t tick_;        // the next to be looked at
  std::uint64_t checkpoint_;  // likewise, at or after it
  bool has_first_ = false;
  bool knows_order_of_history_ = false;
  bool knows_order_of_checkpoints_ = false;
};

/// Reads every row and every chunk. An error is one of the system.
[[nodiscard]] Result<Damage> find_damage(Reader& reader);

/// A recording that was made of a part.
struct Part {
  std::string path;
  std::uint64_t first_tick = 0;  // of its first checkpoint
  std::uint64_t last_tick = 0;
};

struct Repair {
  Damage damage;                            // what the medium lost
  std::vector<LostTicks> lost;              // of that, what could not be had otherwise
  std::vector<LostCheckpoint> not_rebuilt;  // likewise
  std::uint64_t first_known_tick = 0;       // the history that is left comes after it
  std::uint64_t last_known_tick = 0;
  Part main;                // under the old name; all of it, where nothing was damaged
  std::vector<Part> parts;  // of what came before the last loss
  /// Ticks whose commands can be read and whose state cannot be had. They are in the file that was
  /// set aside alone.
  std::vector<LostTicks> without_state;
  std::string set_aside;  // where the damaged file lies now; empty where nothing was damaged
  /// A repair that had been ended in its last steps was completed first.
  bool completed_another = false;
};

struct RepairOptions {
  /// The world that the text of a world file describes, for whoever can read one: what was recorded
  /// from tick 0 on can then be replayed without any checkpoint. `water` is Reader::water().
  std::function<Result<std::unique_ptr<sim::World>>(const std::string& text,
                                                    std::string_view water)>
      build_world;
  Limits limits;
};

/// Makes the file at `path` whole again, if it is not. Needs the writer's lock. May be ended at any
/// moment and be begun again. An error means that nothing was lost by it: the file is what it was,
/// or a later repair completes this one.
[[nodiscard]] Result<Repair> repair(const std::string& path, const RepairOptions& options = {});
/// Completes a repair, or a cut (seal.h), that was ended in its last steps; false where there was
/// none. Takes away what one left that was ended before. To be called before a file is gone on
/// with.
[[nodiscard]] Result<bool> finish_repair(const std::string& path);

/// For people, a line each: what was lost, what was kept where.
[[nodiscard]] std::string describe(const Repair& repair);

/// Copies a recording, of a running server too, to `to`, which is replaced only by a copy that was
/// read whole and that goes on where the old one ends: a good backup never gives way to a bad file.
/// Returns the last tick of the copy.
[[nodiscard]] Result<std::uint64_t> backup(const std::string& path, const std::string& to);

}  // namespace sluice::record
