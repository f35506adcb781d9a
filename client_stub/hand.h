// The terminal viewer's tools for cells: what is in the hand, and the commands that a stroke of it
// makes. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client_stub/edits.h"
#include "client_stub/pouring.h"
#include "client_stub/shapes.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// What a key or a button did.
struct Act {
  std::vector<std::string> commands;  // lines of a command script, in order
  std::string said;                   // for the status line; may be empty
};

class Hand {
 public:
  Tool tool = Tool::kDig;
  Shape shape = Shape::kBrush;
  std::int32_t brush = 1;  // cells along one side
  Mixture mixture;         // of what is poured

  /// A stroke of the tool, or of `instead`, begins at the cell, goes on, and ends: the mouse's.
  [[nodiscard]] Act begin(const protocol::Mirror& mirror, Vec3 at,
                          std::optional<Tool> instead = {});
  [[nodiscard]] Act move(const protocol::Mirror& mirror, Vec3 at);
  [[nodiscard]] Act end(const protocol::Mirror& mirror);
  /// The tool by a key: a whole stroke, or one end of a line or a box.
  [[nodiscard]] Act use(const protocol::Mirror& mirror, Vec3 at);
  /// What was begun is not meant. Cells that were changed already stay so, and can be undone.
  void cancel();

  /// One corner, and then the other one: what lies between is held.
  [[nodiscard]] Act copy(const protocol::Mirror& mirror, Vec3 at);
  /// Puts what is held there, with its middle into the cell.
  [[nodiscard]] Act paste(const protocol::Mirror& mirror, Vec3 at);
  [[nodiscard]] bool copies() const { return corner_.has_value(); }
  /// Nothing is begun.
  [[nodiscard]] bool is_free() const { return !stroke_ && !copies(); }

  /// `is_seen`: whether the mirror shows all that was sent.
  [[nodiscard]] Act undo(const protocol::Mirror& mirror, bool is_seen);
  [[nodiscard]] Act redo(const protocol::Mirror& mirror);
  /// Takes up the tool that would make what lies there.
  [[nodiscard]] Act pick(const protocol::Mirror& mirror, Vec3 at);

  /// What a line, a box or a copy that was begun will cover if it ends at the cell.
  [[nodiscard]] std::vector<Box> preview(const protocol::Mirror& mirror, Vec3 at) const;

 private:
  [[nodiscard]] std::vector<std::string> apply(const protocol::Mirror& mirror, const Box& box);
  [[nodiscard]] std::vector<std::string> take(const protocol::Mirror& mirror, const Box& box);
  [[nodiscard]] Act fill(const protocol::Mirror& mirror, Vec3 at);

  std::optional<Edit> stroke_;
  Tool stroked_ = Tool::kDig;
  Vec3 start_;
  Vec3 last_;
  std::optional<Vec3> corner_;  // of a copy
  std::optional<Region> region_;
  std::uint64_t named_ = 0;  // pipes that were pasted
  History history_;
};

}  // namespace sluice::client
