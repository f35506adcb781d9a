// What is left of a damaged recording, and a backup that is known to be good.
//
//   history   ####### xx ########## x #####      x: rows that the medium lost
//   repair    part-1  .. part-2     . main        each from its first usable checkpoint on
//
// The main part is the last one, because it holds the world as it is now; earlier parts become
// recordings of their own. The damaged file itself is set aside, never changed and never deleted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/record/reader.h"
#include "server/sim/result.h"

namespace sluice::record {

struct LostTicks {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::string why;
};

struct LostCheckpoint {
  std::uint64_t tick = 0;
  std::string why;
};

/// What of a recording cannot be read.
struct Survey {
  std::vector<LostTicks> ticks;
  std::vector<LostCheckpoint> checkpoints;
  [[nodiscard]] bool whole() const { return ticks.empty() && checkpoints.empty(); }
};

/// Reads every row and every chunk.
[[nodiscard]] Survey survey(Reader& reader);

/// A recording that was made of a part.
struct Part {
  std::string path;
  std::uint64_t first_tick = 0;  // of its first checkpoint
  std::uint64_t last_tick = 0;
};

struct Repair {
  Survey survey;
  Part main;                // under the old name; all of it, where nothing was damaged
  std::vector<Part> parts;  // of what came before the last loss
  /// Ticks whose commands can be read and whose state cannot be had: no usable checkpoint lies
  /// between a loss and them. They are in the file that was set aside alone.
  std::vector<LostTicks> without_state;
  std::string set_aside;  // where the damaged file lies now; empty where nothing was damaged
};

/// Makes the file at `path` whole again, if it is not. Needs the writer's lock. An error means that
/// nothing was changed.
[[nodiscard]] sim::Result<Repair> repair(const std::string& path);

/// For people, a line each: what was lost, what was kept where.
[[nodiscard]] std::string describe(const Repair& repair);

/// Copies a recording, of a running server too, to `to`, which is replaced only by a copy that was
/// read whole and that goes on where the old one ends: a good backup never gives way to a bad file.
/// Returns the last tick of the copy.
[[nodiscard]] sim::Result<std::uint64_t> backup(const std::string& path, const std::string& to);

}  // namespace sluice::record
