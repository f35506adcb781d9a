#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/models/stream_phases.h"

namespace sluice::sim {

namespace {

constexpr std::array<Face, 4> kSideways = {kLeft, kRight, kFront, kBack};

/// What a cell sees beside it.
struct Target {
  bool open = false;
  bool edge = false;   // what goes there is drained
  bool falls = false;  // what goes there falls on
  std::int32_t slot = kDryThere;
  std::int32_t level = 0;
};

class Settling {
 public:
  explicit Settling(StreamCells& cells) : cells_(cells) {}

  std::int64_t run() {
    for (std::int32_t slot = 0; slot < cells_.size(); ++slot) {
      StreamCell& cell = cells_[slot];
      if (cell.level > 0) fall(cell);
      if (cell.level > 0 && has_way(cell)) spread(cell);
    }
    return drained_;
  }

 private:
  [[nodiscard]] Target look(const StreamCell& cell, Face face) const {
    Target target;
    target.slot = cell.beside[face];
    target.open = target.slot != kSolidThere;
    if (target.slot == kGutterThere) {
      target.edge = target.falls = true;
    } else if (target.slot == kDryThere) {
      target.level = cells_.fresh_level(cell, face);
      target.falls = !cells_.fresh_supported(cell, face);
    } else if (target.slot >= 0) {
      target.level = cells_[target.slot].level;
      target.falls = !cells_.supported(cells_[target.slot]);
    }
    return target;
  }

  void give(StreamCell& cell, Face face, const Target& target, std::int32_t levels) {
    cell.level -= levels;
    cell.flowed = true;
    cell.mark.direction = static_cast<std::uint8_t>(face + 1);
    // What arrives goes on as it came, until it has a way of its own.
    const auto onward = static_cast<std::uint8_t>(face == kBelow ? 0 : face + 1);
    if (target.edge) {
      drained_ += levels;
    } else if (target.slot >= 0) {
      StreamCell& to = cells_[target.slot];
      to.level += levels;
      to.flowed = true;
      if (to.mark.direction == 0 || to.mark.direction == kBelow + 1) to.mark.direction = onward;
    } else {
      StreamMark mark;
      mark.direction = onward;
      mark.active = 1;
      mark.has_source = cell.mark.has_source;
      mark.largest = cell.mark.largest;
      mark.parents = static_cast<std::uint8_t>(1 << opposite(face));
      cells_.wet(cell, face, levels, mark);
    }
  }

  void fall(StreamCell& cell) {
    const Target below = look(cell, kBelow);
    if (!below.open) return;
    const std::int32_t levels =
        below.edge ? cell.level : std::min(cell.level, kStreamLevels - below.level);
    if (levels > 0) give(cell, kBelow, below, levels);
  }

  // A quick look, before anything is drawn: deep water mostly has none.
  [[nodiscard]] bool has_way(const StreamCell& cell) const {
    return std::any_of(kSideways.begin(), kSideways.end(), [&](Face face) {
      const std::int32_t there = cell.beside[face];
      if (there < 0) return there != kSolidThere;
      return cells_[there].level <= std::min(cell.level, kStreamLevels - 1);
    });
  }

  void spread(StreamCell& cell) {
    order_ = kSideways;
    const std::uint64_t drawn =
        draw(cells_.seed(), cells_.tick(), cell.at, DrawPurpose::kStreamSpread);
    // Each pick from 16 bits of its own.
    for (std::uint32_t left = 4; left > 1; --left) {
      const std::uint32_t pick = choose(drawn << 16 * (left - 2), left);
      std::swap(order_[left - 1], order_[pick]);
    }
    if (!cell.mark.has_source) {
      level_out(cell, kStreamLevels);
    } else if (cell.mark.flow_out) {
      run_out(cell);
    } else {
      explore(cell);
    }
  }

  // Towards everything that holds at least two levels less, or from where water falls on.
  void level_out(StreamCell& cell, std::int32_t most) {
    for (const Face face : order_) {
      const Target target = look(cell, face);
      if (!target.open) continue;
      const std::int32_t less = cell.level - target.level;
      const std::int32_t levels = target.falls ? less : std::min(less / 2, most);
      if (levels > 0) give(cell, face, target, levels);
    }
  }

  // Along the way to the edge; elsewhere only where the way cannot take it all.
  void run_out(StreamCell& cell) {
    const bool brimful = cell.level == kStreamLevels;
    for (const Face face : order_) {
      const std::int32_t there = cell.beside[face];
      const bool onward =
          there >= 0 ? cells_[there].to_edge != kUnreached && cells_[there].to_edge < cell.to_edge
                     : there == kGutterThere;
      if (onward) run_on(cell, face, look(cell, face));
    }
    if (brimful) level_out(cell, cell.mark.largest);
  }

  // On level ground a river runs without a slope, half of what a cell holds at a time.
  void run_on(StreamCell& cell, Face face, const Target& target) {
    const std::int32_t less = cell.level - target.level;
    if (target.falls) {
      stream(cell, face, target);
    } else if (less >= 0 && cell.level > 0 && target.level < kStreamLevels) {
      const std::int32_t levels = std::max((cell.level + 1) / 2, (less + 1) / 2);
      give(cell, face, target,
           std::min({levels, std::int32_t{cell.mark.largest}, kStreamLevels - target.level}));
    }
  }

  // Straight on while that is possible; then wherever water can go that does not lead back.
  void explore(StreamCell& cell) {
    bool went = false;
    for (const Face face : order_) {
      const Target target = look(cell, face);
      if (!went && target.open && target.falls) went = stream(cell, face, target);
    }
    if (!went && cell.mark.direction != 0) {
      const auto ahead = static_cast<Face>(cell.mark.direction - 1);
      if (ahead != kBelow && ahead != kAbove) went = stream_ahead(cell, ahead);
    }
    for (const Face face : order_) {
      if (!went) went = stream_ahead(cell, face);
    }
    if (!went || cell.level == kStreamLevels) level_out(cell, cell.mark.largest);
  }

  bool stream_ahead(StreamCell& cell, Face face) {
    const Target target = look(cell, face);
    if (!target.open) return false;
    if (target.slot >= 0) {
      const StreamCell& to = cells_[target.slot];
      if (to.to_source != kUnreached && to.to_source <= cell.to_source) return false;
    }
    return stream(cell, face, target);
  }

  // Even a difference of one level goes on: that is what keeps a stream running on level ground.
  bool stream(StreamCell& cell, Face face, const Target& target) {
    const std::int32_t less = cell.level - target.level;
    if (less <= 0) return false;
    const std::int32_t levels =
        target.falls ? less : std::min<std::int32_t>((less + 1) / 2, cell.mark.largest);
    give(cell, face, target, levels);
    return true;
  }

  StreamCells& cells_;
  std::array<Face, 4> order_{};
  std::int64_t drained_ = 0;
};

}  // namespace

std::int64_t settle_streams(StreamCells& cells) {
  return Settling(cells).run();
}

}  // namespace sluice::sim
