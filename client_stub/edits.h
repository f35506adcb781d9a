// One's own edits, so that they can be taken back and made again. The world is shared and its water
// moves: taking back is a new edit that gives each cell what it had, as far as nobody else has
// changed it since. As client_stub/web/src/history.ts and region.ts have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_stub/pipe_copy.h"
#include "client_stub/pouring.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// A part of a slice that was copied, water to the unit, with the pipes that stand in it; ice is
/// the water in it.
struct Region {
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<std::int32_t> cells;  // [y][x]
  PipeCopy pipes;

  /// "12 x 5 cells: 20 rock, 8 with water, 2 pipes".
  [[nodiscard]] std::string describe() const;
};

[[nodiscard]] Region copy_region(const protocol::Mirror& mirror, const Box& box);

/// What was done to cells by a tool, or by putting a region there.
class Edit {
 public:
  /// `mixture`: what a pour brings.
  explicit Edit(std::optional<Tool> tool, Mixture mixture = {})
      : tool_(tool), mixture_(std::move(mixture)) {}

  /// What the cells hold now is what they had, the first time; those that already are as they will
  /// be made are left out, and those without water where it is taken. For a tool.
  void touch(const protocol::Mirror& mirror, const std::vector<Vec3>& cells);
  /// The region, with its left lower cell at `at`. What lies outside the world is left out.
  /// `named`: as pipes_to_build() has it.
  static Edit paste(const protocol::Mirror& mirror, const Region& region, Vec3 at,
                    std::uint64_t& named);

  [[nodiscard]] bool empty() const { return cells_.empty() && build_.commands.empty(); }
  /// What makes a pasted edit.
  [[nodiscard]] std::vector<std::string> commands() const;

  struct Reversal {
    std::vector<std::string> commands;
    std::size_t conflicts = 0;  // cells that somebody else has changed since
  };
  /// `is_seen`: whether the mirror shows the edit already; else nobody can have changed it.
  [[nodiscard]] Reversal reverse(const protocol::Mirror& mirror, bool is_seen) const;
  /// The same once more; the edit remembers what the cells hold now.
  [[nodiscard]] std::vector<std::string> repeat(const protocol::Mirror& mirror,
                                                std::uint64_t& named);

 private:
  struct Change {
    std::int32_t had = 0;
    std::int32_t made = 0;
  };
  [[nodiscard]] Reversal reverse_stroke(const protocol::Mirror& mirror, bool is_seen) const;
  [[nodiscard]] Reversal reverse_paste(const protocol::Mirror& mirror, bool is_seen) const;

  std::optional<Tool> tool_;  // nothing: pasted
  Mixture mixture_;
  std::map<Vec3, Change> cells_;
  // Of a region that was pasted: its pipes, where its left lower cell is, and what builds them.
  PipeCopy pipes_;
  Vec3 at_;
  PipesToBuild build_;
};

/// Edits in the order in which they were made, and those that were taken back.
class History {
 public:
  void add(Edit edit);
  /// Nothing: there is none.
  [[nodiscard]] std::optional<Edit::Reversal> undo(const protocol::Mirror& mirror, bool is_seen);
  /// `named`: as pipes_to_build() has it.
  [[nodiscard]] std::optional<std::vector<std::string>> redo(const protocol::Mirror& mirror,
                                                             std::uint64_t& named);

 private:
  std::vector<Edit> done_;
  std::vector<Edit> undone_;
};

}  // namespace sluice::client
