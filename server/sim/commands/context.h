// What each command does to a world; the only code besides the water models and the springs that
// writes cells.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "server/sim/commands/commands.h"
#include "server/sim/marks/levels.h"
#include "server/sim/world.h"

namespace sluice::sim {

/// Applies commands to one world. A command that cannot apply changes nothing.
class CommandContext {
 public:
  explicit CommandContext(World& world) : world_(world), measure_(world.measure()) {}

  CommandOutcome apply(const Command& command) {
    return std::visit([this](const auto& body) { return apply(body); }, command.body);
  }
  CommandOutcome apply(const SetCells& command);
  CommandOutcome apply(const Pour& command);
  CommandOutcome apply(const RisingPour& command);
  CommandOutcome apply(const RemoveWater& command);
  CommandOutcome apply(const AddSourceUpTo& command);
  CommandOutcome apply(const AddSource& command);
  CommandOutcome apply(const RemoveSource& command);
  CommandOutcome apply(const AddDrain& command);
  CommandOutcome apply(const RemoveDrain& command);
  CommandOutcome apply(const AddPipe& command);
  CommandOutcome apply(const AddPump& command);
  CommandOutcome apply(const AddValve& command);
  CommandOutcome apply(const RemovePipe& command);
  CommandOutcome apply(const UpgradePipe& command);
  CommandOutcome apply(const UpgradePipeAndBase& command);
  CommandOutcome apply(const LinkPipes& command);
  CommandOutcome apply(const UnlinkPipes& command);
  CommandOutcome apply(const SetValve& command);
  CommandOutcome apply(const SetPump& command);
  CommandOutcome apply(const AddPort& command);
  CommandOutcome apply(const RemovePort& command);

  // marks/level_commands.cpp
  CommandOutcome apply(const FillLevel& command);
  CommandOutcome apply(const EvaporateLevel& command);
  CommandOutcome apply(const TrapAir& command);
  /// The marks of a world file. The units that each one brought or keeps out go to `units`.
  CommandOutcome fill(std::span<const Mark> marks, std::vector<std::int64_t>& units);

  // waves/wave_commands.cpp
  CommandOutcome apply(const Splash& command);
  CommandOutcome apply(const Explode& command);
  CommandOutcome apply(const MoveBody& command);
  CommandOutcome apply(const SetWind& command);

  // heat/heat_commands.cpp
  CommandOutcome apply(const WarmPour& command);
  CommandOutcome apply(const AddWarmSource& command);
  CommandOutcome apply(const SetAir& command);
  CommandOutcome apply(const AddHeater& command);
  CommandOutcome apply(const RemoveHeater& command);
  // tracers/tracer_commands.cpp
  CommandOutcome apply(const DyedPour& command);
  CommandOutcome apply(const MixedPour& command);
  // commands/resting_pour.cpp
  CommandOutcome apply(const RestingPour& command);
  CommandOutcome apply(const AddDyedSource& command);

  /// Of a world file.
  CommandOutcome add_source(const Spring& source);

  /// What add_pipe, add_pump and add_valve share.
  CommandOutcome add_node(const PipeFields& fields, NodeKind kind, std::int32_t rate, bool open);

 private:
  static constexpr const char* kNoHeat = "this world has no heat: its world file has no [heat]";

  /// Of the water that stands in the open run of cells around a place.
  [[nodiscard]] std::optional<Vec3> surface_of_run(Vec3 at) const;
  [[nodiscard]] Status check_tracers(const TracerAmounts& amounts) const;
  [[nodiscard]] Status check_temperature(std::optional<std::int32_t> temperature) const;
  /// Empty when the box is not empty and lies in the world.
  [[nodiscard]] Status check_box(const Box& box) const;
  [[nodiscard]] Status check_place(Vec3 at) const;
  /// Whether anything at all can be poured there.
  [[nodiscard]] Status check_pour(Vec3 at, std::int32_t units) const;
  struct SpringKind {
    const char* name;
    Springs& springs;
    SpringSchedule& schedule;
  };
  [[nodiscard]] SpringKind sources() const {
    return {"source", world_.core_.sources, world_.source_schedule_};
  }
  [[nodiscard]] SpringKind drains() const {
    return {"drain", world_.core_.drains, world_.drain_schedule_};
  }
  CommandOutcome add_spring(const SpringKind& kind, Vec3 at, std::int32_t rate);
  CommandOutcome remove_spring(const SpringKind& kind, Vec3 at);
  /// What a command did to cells.
  struct Change {
    std::int64_t came = 0;  // units
    std::int64_t went = 0;
    bool any = false;
    void add(Cell before, Cell after, std::int64_t times) {
      const std::int64_t units = times * (std::int64_t{held_in(after)} - held_in(before));
      came += units > 0 ? units : 0;
      went -= units < 0 ? units : 0;
      any = any || before != after;
    }
  };
  void count(const Change& change);
  /// Makes every cell of a chunk that lies wholly in the world of one kind.
  void refill(Chunk& chunk, Cell kind);
  /// Sets every cell of `part`, which lies in one chunk, to next(cell).
  template <class Next>
  void rewrite(Chunk& chunk, const Box& part, Next&& next);
  void rewrite_cell(Vec3 at, Cell cell);
  /// Pours into a cell and those above it, and lists what each of them got.
  CommandOutcome pour_upwards(const RisingPour& command,
                              std::vector<std::pair<Vec3, std::int32_t>>& poured);
  /// A pour that does not lie at rest, though it has the key.
  CommandOutcome apply_moving(const RestingPour& command);
  /// The cells of a pour at rest; an error where nothing can be poured there.
  [[nodiscard]] Result<Box> box_of(const RestingPour& command) const;
  /// What a pour into several cells, `units` in all, brings along: each cell gets its part of the
  /// whole, so that what is rounded off comes with a later one.
  void mix_into(const std::vector<std::pair<Vec3, std::int32_t>>& poured, std::int64_t units,
                std::optional<std::int32_t> temperature,
                const std::array<std::int64_t, kMostTracers>& amounts);
  /// So many units of water were poured into a cell just now: what they bring along.
  void mix_in(Vec3 at, std::int32_t units, std::optional<std::int32_t> temperature,
              const std::array<std::int64_t, kMostTracers>& amounts);
  /// Empty when the world takes in so much more of each tracer.
  [[nodiscard]] Status check_tracer_room(
      const std::array<std::int64_t, kMostTracers>& amounts) const;
  /// Calls f(chunk coordinate, the part of the box in it), in ChunkCoord's order.
  template <class F>
  void for_each_part(const Box& box, F&& f);
  /// As for_each_part, for stored chunks only: f(chunk, part). Its cost does not grow with the air.
  template <class F>
  void for_each_stored_part(const Box& box, F&& f);

  [[nodiscard]] Status check_level(std::int64_t level) const;
  CommandOutcome write(Filling& filling, const LevelSums& sums);
  [[nodiscard]] Status check_quantum(std::int32_t units) const;
  /// Empty when the world may take in so many units more (WorldLimits::units).
  [[nodiscard]] Status check_intake(std::int64_t units) const;
  /// Empty when so many more chunks may hold something (WorldLimits::chunks).
  [[nodiscard]] Status check_chunks(std::int64_t chunks) const;
  /// Whether that cell's chunk counts among those that hold something.
  [[nodiscard]] bool chunk_holds(Vec3 at) const;

  World& world_;
  WaterMeasure measure_;
};

}  // namespace sluice::sim
