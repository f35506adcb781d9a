// What one run is: all that its seed decides, as numbers with names. A run is a function of its
// plan; a smaller plan is a smaller run (shrink.h), and a file of its lines replays it.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/base/result.h"
#include "server/record/format.h"
#include "server/sim/spec.h"

namespace sluice::hunt {

/// Milliseconds from one moment of a client to its next: as many at the most, one at the least.
inline constexpr std::int32_t kLongestPause = 300;

struct Plan {
  std::int64_t seed = 0;
  std::int64_t ticks = 300;

  // The world.
  std::int64_t model = 0;  // its place in the registry
  std::int64_t solid = 0;
  std::int64_t side = 40;
  std::int64_t edges = 0;
  std::int64_t springs = 0;
  std::int64_t pipes = 0;
  std::int64_t waves = 0;  // 1: in some of such worlds; 2: in all
  std::int64_t heat = 0;
  std::int64_t tracers = 0;
  std::int64_t little_room = 0;  // it may grow but a little
  std::int64_t tick_rate = 10;

  // Who comes, and what they do.
  std::int64_t clients = 2;
  std::int64_t liars = 0;
  std::int64_t commands = 20;       // percent of a client's moments
  std::int64_t burst = 1;           // at the most, at one moment
  std::int64_t bad_commands = 10;   // percent of commands
  std::int64_t aimed = 0;           // percent of commands that go where things are
  std::int64_t views = 0;           // percent of moments with another view
  std::int64_t details = 0;         // 1: at any level of detail
  std::int64_t pushes = 0;          // percent of commands that are explosions and moved bodies
  std::int64_t areas = 0;           // parts of the world that no client may change
  std::int64_t looks_back = 0;      // percent of commands that ask for a position in the recording
  std::int64_t resumes = 0;         // 1: honest clients come back as themselves
  std::int64_t points = 0;          // percent of moments in which a client points somewhere
  std::int64_t extremes = 0;        // percent of the model's options that are unusual
  std::int64_t layer_extremes = 0;  // likewise of heat, waves and tracers
  std::int64_t floating = 0;        // ice floats
  std::int64_t keep_shape = 0;      // ice keeps the shape of the wave that it froze
  std::int64_t admin_acts = 0;      // saves, backups, clients sent away, nobody may build
  std::int64_t resets = 0;          // of the world to its start
  std::int64_t operator_acts = 0;   // pauses, steps, another speed
  std::int64_t seals = 0;           // cuts of old history that are asked for while it runs

  // Sizes inside the code.
  std::int64_t ticks_per_row = 2000;
  std::int64_t ticks_per_merge = 200;
  std::int64_t commands_per_row = 16384;
  std::int64_t core_piece_bytes = 16384;
  std::int64_t checkpoint_ticks = 0;  // from one to the next; 0: as it ships
  std::int64_t pipe_block = 0;        // logarithm; 0: as it ships
  std::int64_t waiting_frames = 4;
  std::int64_t waiting_frame_bytes = 262144;
  std::int64_t waiting_replies = 256;
  std::int64_t waiting_commands = 512;
  std::int64_t commands_per_second = 2000;
  std::int64_t messages_per_second = 4000;
  std::int64_t steady_messages = 400;  // a second; of a client
  std::int64_t spare_messages = 8000;  // likewise; of all together
  std::int64_t tick_work = 4000000;
  std::int64_t queued_commands = 8192;
  std::int64_t writer_ticks = 4096;
  std::int64_t writer_checkpoints = 4;
  std::int64_t writer_bytes = 64 << 20;
  std::int64_t tick_bytes = 1 << 20;
  std::int64_t thorough_chunks = 64;
  std::int64_t lessons = 0;  // ticks between them, whether they pay or not; 0: as it ships
  std::int64_t layer_chunks = 64;
  std::int64_t layer_events = 4096;
  std::int64_t results_kept = 512;
  std::int64_t stale_air = 4096;
  std::int64_t verifies = 1;  // 0: nobody reads the recording while it is written
  std::int64_t history = 0;   // ticks that a start leaves in the recording; 0: all

  // Faults; 0 is none.
  std::int64_t delay = 0;          // milliseconds, at the most
  std::int64_t pieces = 1;         // of a message, at the most
  std::int64_t stalls = 0;         // clients stop reading
  std::int64_t breaks = 0;         // connections
  std::int64_t crashes = 0;        // of the process, the power stays
  std::int64_t power_cuts = 0;     // what is not synced may be lost
  std::int64_t dying_writes = 0;   // crashes come within a change of the medium
  std::int64_t second_deaths = 0;  // percent of starts in which the process dies, too
  std::int64_t name_deaths = 0;    // percent of starts, likewise, in a change of a name
  std::int64_t hand_repairs = 0;   // percent of starts before which an operator repairs
  std::int64_t stops = 0;          // clean ones
  std::int64_t slow_disk = 0;      // milliseconds, at the most
  std::int64_t full_disk = 0;
  std::int64_t gone_disk = 0;
  std::int64_t bad_syncs = 0;
  std::int64_t bad_reads = 0;
  std::int64_t flips = 0;         // of bits, at most so many
  std::int64_t lost_sectors = 0;  // likewise
  std::int64_t clock_jumps = 0;
  std::int64_t shuffle = 0;  // pieces of a phase in any order

  // How it is looked at.
  std::int64_t quiet = 100;   // ticks between two moments in which all is let settle
  std::int64_t restores = 0;  // the reference goes through snapshots
  std::int64_t rest = 0;      // ticks within which it is at rest, with its springs closed

  /// Commands left out, by client and number: for shrinking.
  std::set<std::pair<std::int64_t, std::int64_t>> without;

  [[nodiscard]] static Plan of_seed(std::uint64_t seed);
  [[nodiscard]] sim::WorldSpec world() const;
  [[nodiscard]] record::Limits record_limits() const;
  /// Hundredths of a command that all clients together give in a tick, on average.
  [[nodiscard]] std::int64_t commands_a_tick() const;
  /// A line "name = value" each, of what differs from a plan without faults.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static Result<Plan> parse(std::string_view text);
  /// Lines like these over what it is already.
  [[nodiscard]] Status take(std::string_view lines);
};

struct PlanField {
  const char* name;
  std::int64_t Plan::*value;
  std::int64_t least;  // what shrinking goes towards
  bool ships;          // a size inside the code: shrinking goes towards what ships instead
};
/// But for the seed, in the order in which shrinking tries them.
[[nodiscard]] std::span<const PlanField> plan_fields();

}  // namespace sluice::hunt
