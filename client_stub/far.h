// A large world from afar: where a pixel stands for several cells the terminal asks for a level of
// detail, of which one coarse cell stands for 2, 4 or 8 cells each way, in place of the cells.
//
//   asked   the level that the server is to send; 0: the cells
//   shown   the one that is drawn: another one until what was asked for has come
//
// Meanwhile the picture stays: the server takes back what is shown as it sends the other.
#pragma once

#include <chrono>
#include <optional>

#include "protocol/mirror.h"

namespace sluice::client {

class Far {
 public:
  using Clock = std::chrono::steady_clock;

  /// After what was asked for, or the first of it, it is drawn whatever is missing.
  static constexpr std::chrono::milliseconds kPatience{500};

  /// The level for a picture of 2^zoom pixels a cell.
  [[nodiscard]] static int level_for(int zoom, int levels);

  /// Of a new connection nothing is held yet.
  void welcomed();
  /// Cells are needed for some time, as of an edit that others are likely to follow.
  void keep_cells(Clock::time_point now);
  /// Decides what to ask for. `needs_cells`: what is laid over the picture is of cells; `keeps`:
  /// cells that are held are needed on.
  void look(const protocol::Mirror& mirror, int zoom, bool needs_cells, bool keeps,
            Clock::time_point now);
  /// A message came.
  void ticked(const protocol::Mirror& mirror);

  [[nodiscard]] int asked() const { return asked_; }
  [[nodiscard]] int shown() const { return shown_; }
  [[nodiscard]] bool waits() const { return asked_ != shown_; }
  /// What tools look at is there.
  [[nodiscard]] bool has_cells() const { return asked_ == 0 && shown_ == 0; }

 private:
  void ask(const protocol::Mirror& mirror, int level, Clock::time_point now);

  int asked_ = 0;
  int shown_ = 0;
  Clock::time_point asked_at_;
  Clock::time_point cells_until_;
};

/// The cell, or the coarse one of the level that stands for it.
[[nodiscard]] inline std::int32_t shown_cell(const protocol::Mirror& mirror, int level, Vec3 at) {
  return level == 0 ? mirror.cell(at) : mirror.coarse_cell(level, at);
}

}  // namespace sluice::client
