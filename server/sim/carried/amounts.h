// What each cell of a world holds of one thing that water carries: energy, or a tracer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/digest.h"

namespace sluice::sim {

/// The amounts of one chunk's cells. Where all are equal they are kept as one number.
class AmountPage {
 public:
  [[nodiscard]] std::int64_t at(std::size_t index) const {
    return own_.empty() ? all_ : own_[index];
  }
  [[nodiscard]] bool uniform() const { return own_.empty(); }
  [[nodiscard]] bool nothing() const { return own_.empty() && all_ == 0; }
  /// kChunkCells numbers, to be written to.
  [[nodiscard]] std::int64_t* edit() {
    if (own_.empty()) own_.assign(kChunkCells, all_);
    return own_.data();
  }
  /// Null where all are equal.
  [[nodiscard]] const std::int64_t* data() const { return own_.empty() ? nullptr : own_.data(); }
  void fill(std::int64_t amount) {
    own_ = {};
    all_ = amount;
  }
  /// Keeps one number where all are equal.
  void share_if_uniform() {
    if (own_.empty()) return;
    const std::int64_t first = own_.front();
    if (std::all_of(own_.begin(), own_.end(), [&](std::int64_t a) { return a == first; })) {
      fill(first);
    }
  }

 private:
  std::int64_t all_ = 0;
  std::vector<std::int64_t> own_;
};

/// Of chunks that hold any.
using AmountPages = std::map<ChunkCoord, AmountPage>;

/// 0 where there is no page.
[[nodiscard]] inline std::int64_t amount_at(const AmountPages& pages, const ChunkShape& shape,
                                            Vec3 at) {
  const auto page = pages.find(shape.chunk_of(at));
  if (page == pages.end()) return 0;
  return page->second.at(static_cast<std::size_t>(shape.index_of(at)));
}

/// Cells with the same amount, one after the other in their chunk's order.
struct AmountRun {
  std::int32_t cells = 0;
  std::int64_t amount = 0;  // of each

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("cells", self.cells);
    v.field("amount", self.amount);
  }
};

/// By the first cell, without those that hold nothing.
[[nodiscard]] std::map<Vec3, AmountRun> runs_of(const AmountPages& pages, const ChunkShape& shape);
/// What runs_of() made of them; false if there can be no such runs.
[[nodiscard]] bool take_runs(const std::map<Vec3, AmountRun>& runs, const ChunkShape& shape,
                             AmountPages& pages);

/// initial + in - out == now, always, in the arithmetic of 64 bits.
struct AmountTotals {
  std::int64_t initial = 0;
  std::int64_t now = 0;  // in the grid
  std::int64_t in = 0;   // with water, and from what gives it to cells
  std::int64_t out = 0;  // with water, and to what takes it from cells

  void come(std::int64_t amount) {
    now = wrapped(now, amount);
    in = wrapped(in, amount);
  }
  void go(std::int64_t amount) {
    now = wrapped(now, -amount);
    out = wrapped(out, amount);
  }
  [[nodiscard]] bool balanced() const { return wrapped(wrapped(initial, in), -out) == now; }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("initial", self.initial);
    v.field("now", self.now);
    v.field("in", self.in);
    v.field("out", self.out);
  }

 private:
  static std::int64_t wrapped(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};

/// The digest of amounts, chunk by chunk: only those that were noted are looked at again.
class AmountDigest {
 public:
  void clear() { *this = AmountDigest(); }
  /// The chunk's amounts may differ from what they were.
  void note(ChunkCoord coord);
  /// Brings the digest up to date, keeps pages small, and drops those that hold nothing.
  void finish(AmountPages& pages);
  [[nodiscard]] Digest digest() const { return digest_; }
  /// Those that finish() looked at last, each once.
  [[nodiscard]] const std::vector<ChunkCoord>& changed() const { return changed_; }

 private:
  struct Known {
    Digest digest = 0;
    bool stale = false;
  };
  std::map<ChunkCoord, Known> known_;
  std::vector<ChunkCoord> stale_;
  std::vector<ChunkCoord> changed_;
  Digest digest_ = 0;
};

/// The same from scratch.
[[nodiscard]] Digest digest_of(const AmountPages& pages);

/// floor(amount * moved / units), what so much of the water takes along. moved <= units.
constexpr std::int64_t carried(std::int64_t amount, std::int64_t moved, std::int64_t units) {
  if (moved == units) return amount;
  if (amount <= INT32_MAX) return amount * moved / units;  // what is usual takes one division
  // The remainder is less than 2^31 as the units are, and so is what moves.
  return amount / units * moved + amount % units * moved / units;
}

}  // namespace sluice::sim
