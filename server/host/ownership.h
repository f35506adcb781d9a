// Who built what stands in a world, so that a role can be bound in how much (access::RoleLimits).
//
//   a cell of rock          belongs to whoever's set_cells made it rock last
//   a pipe, pump or valve   belongs to whoever's command added it
//
// until it is removed, or another's command sets it. All of it follows from the commands that
// applied, in their order: no cell is looked at, so a recording's commands tell it, too
// (owned_file.h). The simulation knows nothing of it.
//
// Of each chunk that holds owned cells the owners are kept as runs, in the order of its cells:
//
//   [end, owner] [end, owner] ... up to kChunkCells; owner 0: nobody
//
// That is at most 8 bytes for each owned cell and kBytesOfPlot for each such chunk, whatever
// somebody builds. Not for two threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/access/role_limits.h"
#include "server/sim/commands/commands.h"
#include "server/sim/world.h"

namespace sluice::host {

/// Who owns anything in one world at a time. Who comes when there are so many owns nothing, and
/// with a bound may add nothing.
inline constexpr std::size_t kMostOwners = 65'535;
/// What it takes to count and to change the owners of a chunk's cells, in units of
/// sim::CommandCost.
inline constexpr std::int64_t kWorkOfPlot = 2048;
/// A plot without its runs, and its place among the others.
inline constexpr std::size_t kBytesOfPlot = 104;
/// An owned pipe, beside its name; and an owner beside theirs.
inline constexpr std::size_t kBytesOfOwnedName = 120;

/// What somebody owns.
struct Owned {
  std::int64_t cells = 0;
  std::int64_t pipes = 0;
  friend bool operator==(const Owned&, const Owned&) = default;
};

/// How much of it there may be; 0: no bound.
struct OwnedBound {
  std::uint32_t cells = 0;
  std::uint32_t pipes = 0;
  [[nodiscard]] bool any() const { return cells != 0 || pipes != 0; }
};

class Ownership {
 public:
  explicit Ownership(ChunkShape shape, std::size_t most_owners = kMostOwners);

  /// Takes in a command that applied. `owner`: an account, or a visitor's mark (visitor_mark.h);
  /// empty: nobody whose things are counted.
  void apply(const sim::Command& command, const std::string& owner);

  /// Why a role so bound may not give that command to a world of this size now; empty when it may.
  /// A command that the world would refuse may be let through.
  [[nodiscard]] std::string refusal_of(const sim::Command& command, const std::string& owner,
                                       access::Role role, const OwnedBound& bound, Vec3 size) const;
  /// What refusal_of() and apply() take together, at the most.
  [[nodiscard]] std::int64_t work_of(const sim::Command& command, Vec3 size) const;
  /// Whether the command may change who owns what.
  [[nodiscard]] static bool concerns(const sim::Command& command);

  [[nodiscard]] Owned of(std::string_view owner) const;
  /// Of all.
  [[nodiscard]] const Owned& all() const { return all_; }
  [[nodiscard]] std::size_t owners() const { return ids_.size(); }
  /// Those who own most cells and pipes, `most` of them, the first first.
  [[nodiscard]] std::vector<std::pair<std::string, Owned>> largest(std::size_t most) const;
  /// In memory.
  [[nodiscard]] std::size_t bytes() const;

  /// Drops what the world does not have, for where the commands are not all known.
  void keep_to(const sim::World& world);

  /// As bytes, the same for the same owners of the same things.
  [[nodiscard]] std::vector<std::byte> image() const;
  /// Any bytes are safe to give.
  [[nodiscard]] static Result<Ownership> read(std::span<const std::byte> image, ChunkShape shape,
                                              std::size_t most_owners = kMostOwners);

 private:
  using Id = std::uint16_t;  // 0: nobody
  struct Run {
    std::uint16_t end = 0;  // the index after its last cell
    Id owner = 0;
  };
  using Plot = std::vector<Run>;
  using Cells = std::array<Id, kChunkCells>;
  struct Holder {
    std::string name;
    Owned owned;
  };

  [[nodiscard]] static std::size_t bytes_of(const Plot& plot);
  /// Cells of a chunk by their index, the last not among them.
  struct Span {
    std::int32_t begin = 0;
    std::int32_t end = kChunkCells;
  };
  /// From the first cell of a part of a chunk to its last, with what lies between.
  [[nodiscard]] Span span_of(const Box& part) const;
  static void unfold(const Plot& plot, Span span, Cells& cells);
  void fold(const Cells& cells, Span span, Plot& plot);
  template <class F>
  void for_each_part(const Box& box, F&& f) const;
  template <class F>
  void for_each_plot_in(const Box& box, F&& f) const;
  void assign(const Box& box, Id owner);
  void assign_part(ChunkCoord coord, const Box& part, Id owner);
  [[nodiscard]] std::int64_t count_in(const Box& box, Id owner) const;
  /// 0 where there is no room for another owner.
  [[nodiscard]] Id id_for(const std::string& owner);
  [[nodiscard]] Id id_of(std::string_view owner) const;
  void add_cells(Id owner, std::int64_t cells);
  void add_pipe(const std::string& name, Id owner);
  void drop_pipe(const std::string& name);
  void forget_who_owns_nothing();

  ChunkShape shape_;
  std::size_t most_owners_;
  std::map<ChunkCoord, Plot> plots_;
  std::map<std::string, Id, std::less<>> pipes_;
  std::vector<Holder> holders_;  // by id; the first is nobody
  std::map<std::string, Id, std::less<>> ids_;
  std::vector<Id> free_ids_;
  std::vector<Id> emptied_;  // whose last thing went in the command under way
  Owned all_;
  Plot folded_;  // in the making
  std::size_t run_bytes_ = 0;
  std::size_t name_bytes_ = 0;
};

}  // namespace sluice::host
