#include "protocol/column_coding.h"

#include <bit>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "protocol/base/varint.h"
#include "protocol/column_model.h"

namespace sluice::protocol {

namespace {

constexpr unsigned bit(bool set, unsigned place) {
  return set ? 1U << place : 0U;
}

std::int32_t water(std::int32_t cell) {
  return cell < 0 ? 0 : cell;
}

unsigned bits_of(std::uint32_t number) {
  return static_cast<unsigned>(std::bit_width(number));
}

// One change of a chunk, told or heard: the same decisions in the same order at both ends, so the
// code is one. An encoder gives each decision and goes on with it, a decoder is given it.
template <class Coder>
class Columns {
 public:
  using CellsToChange = std::conditional_t<Coder::kEncodes, const ChunkCells, ChunkCells>;

  Columns(Coder& coder, int log_height, const ColumnChances& chances, ColumnCounts* counts)
      : coder_(coder),
        chances_(chances),
        counts_(counts),
        height_(1 << log_height),
        width_(static_cast<int>(kChunkCells) >> log_height) {
    for (auto& set : misses_) set.fill(kFirstMiss);
  }

  /// A decoder turns `cells` into the target, an encoder leaves them.
  void code(CellsToChange& cells, const ChunkCells& target) {
    code_step(cells, target);
    if constexpr (Coder::kEncodes) find_changed(cells, target);
    for (int x = 0; x < width_; ++x) {
      const bool changed = code_column_changed(x);
      if (!changed) {
        pass_over();
        continue;
      }
      for (int y = 0; y < height_; ++y) {
        baseline_[y] = cells[index(x, y)];
        if constexpr (Coder::kEncodes) wanted_[y] = difference(target[index(x, y)], baseline_[y]);
      }
      // Solid ends the column.
      for (int y = 0; y < Column::kMargin; ++y) baseline_[height_ + y] = -1;
      code_column();
      if constexpr (!Coder::kEncodes) {
        for (int y = 0; y < height_; ++y) {
          cells[index(x, y)] = wrapping_add(baseline_[y], (*now_)[y]);
        }
      }
      std::swap(now_, before_);
    }
  }

 private:
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y * width_ + x);
  }
  static std::int32_t difference(std::int32_t a, std::int32_t b) { return wrapping_subtract(a, b); }

  bool decide(Chance& chance, bool yes) {
    if constexpr (Coder::kEncodes) {
      if (counts_ != nullptr) ++(*counts_)[place_of(chance)][yes ? 1 : 0];
    }
    return coder_.decide(chance, yes);
  }
  // In the order of kFirstChances.
  [[nodiscard]] std::size_t place_of(const Chance& chance) const {
    const auto* first = reinterpret_cast<const std::byte*>(&chances_);
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&chance) - first) /
           sizeof(Chance);
  }

  // The largest power of two that divides every difference: some water moves in large parts.
  void code_step(const ChunkCells& cells, const ChunkCells& target) {
    unsigned step = 0;
    if constexpr (Coder::kEncodes) {
      std::uint32_t all = 1U << kLargestStep;
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        all |= static_cast<std::uint32_t>(difference(target[i], cells[i]));
      }
      step = static_cast<unsigned>(std::countr_zero(all));
    }
    if (decide(chances_.coarse, step != 0)) step_ = coder_.plain(step, 4);
  }

  void find_changed(const ChunkCells& cells, const ChunkCells& target) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        changed_[static_cast<std::size_t>(x)] |= target[index(x, y)] ^ cells[index(x, y)];
      }
    }
  }

  bool code_column_changed([[maybe_unused]] int x) {
    bool changed = false;
    if constexpr (Coder::kEncodes) changed = changed_[static_cast<std::size_t>(x)] != 0;
    changed = decide(chances_.column[history_], changed);
    history_ = (history_ << 1 | bit(changed, 0)) & 3;
    return changed;
  }

  // Most columns of most deltas: what the next one looks back at is a column without changes.
  void pass_over() {
    if (!changed_before_) return;
    changed_before_ = false;
    before_->clear(height_);
    gained_before_->clear(height_);
    gained_earlier_->clear(height_);
    changed_groups_before_ = same_groups_before_ = 0;
  }

  void code_column() {
    now_->clear(height_);
    gained_->clear(height_);
    changed_groups_ = same_groups_ = 0;
    foresee(baseline_, height_, *gained_before_, refill_);
    foresee(baseline_, height_, going_on(), gone_on_);
    for (int group = 0; group < height_ / kGroupCells; ++group) code_group(group);
    std::swap(gained_earlier_, gained_before_);
    std::swap(gained_before_, gained_);
    same_groups_before_ = same_groups_;
    changed_groups_before_ = changed_groups_;
    changed_before_ = true;
  }

  // What the runs gain if that changes from column to column as it did, half as much.
  const Column& going_on() {
    for (int y = 0; y < height_; ++y) {
      const auto gain = [y](const Column& of) {
        return std::clamp(of[y], -kMostGained, kMostGained);
      };
      const std::int32_t before = gain(*gained_before_);
      gained_next_[y] = before + ((before - gain(*gained_earlier_)) >> 1);
    }
    return gained_next_;
  }

  void code_group(int group) {
    const int begin = group * kGroupCells;
    const int end = begin + kGroupCells;
    const auto place = static_cast<unsigned>(group);
    const bool left = (changed_groups_before_ >> place & 1) != 0;
    bool changed = false;
    if (left && code_same(begin, place)) {
      for (int y = begin; y < end; ++y) (*now_)[y] = (*before_)[y];
      same_groups_ |= bit(true, place);
      changed_groups_ |= bit(true, place);
    } else {
      changed = code_group_changed(begin, place, left);
    }
    for (int y = begin; y < end; ++y) {
      if (y == 0 || !is_open(baseline_[y - 1])) {
        broken_ = false;
        gain_ = 0;
      }
      if (changed) code_cell(y, left);
      if (is_open(baseline_[y])) note_gain(y);
    }
  }

  // Whether these cells changed as those of the column before did.
  bool code_same(int begin, unsigned place) {
    bool same = true;
    if constexpr (Coder::kEncodes) {
      for (int y = begin; y < begin + kGroupCells; ++y) same &= wanted_[y] == (*before_)[y];
    }
    const bool below = place > 0 && (same_groups_ >> (place - 1) & 1) != 0;
    const bool left = (same_groups_before_ >> place & 1) != 0;
    return decide(chances_.same[bit(below, 0) | bit(left, 1)], same);
  }

  bool code_group_changed(int begin, unsigned place, bool left) {
    bool changed = false;
    bool foreseen = false;
    bool partly_full = false;
    for (int y = begin; y < begin + kGroupCells; ++y) {
      if constexpr (Coder::kEncodes) changed |= wanted_[y] != 0;
      foreseen |= refill_.cells[static_cast<std::size_t>(y)] != baseline_[y];
      partly_full |= baseline_[y] > 0 && baseline_[y] != kFull;
    }
    const bool around = (changed_groups_before_ >> (place + 1) & 1) != 0 ||
                        (place > 0 && (changed_groups_before_ >> (place - 1) & 1) != 0);
    const bool below = place > 0 && (changed_groups_ >> (place - 1) & 1) != 0;
    changed = decide(chances_.group[bit(left, 0) | bit(around, 1) | bit(below, 2) |
                                    bit(foreseen, 3) | bit(partly_full, 4)],
                     changed);
    if (changed) changed_groups_ |= bit(true, place);
    return changed;
  }

  // Where the run's water stands by the refill; once it is seen to end, nothing is above.
  [[nodiscard]] std::int32_t foreseen(int y) const {
    const auto at = static_cast<std::size_t>(y);
    if (!is_open(baseline_[y]) || !broken_) return refill_.cells[at];
    return y <= refill_.surface[at] ? 0 : baseline_[y];
  }

  void code_cell(int y, bool left_group) {
    const std::int32_t cell = baseline_[y];
    const std::int32_t refilled = foreseen(y);
    const unsigned kind = cell < 0 ? 0 : cell == 0 ? 1 : cell < kFull ? 2 : 3;
    const unsigned context =
        bit((*before_)[y] != 0, 0) | bit((*before_)[y + 1] != 0 || (*before_)[y - 1] != 0, 1) |
        bit((*now_)[y - 1] != 0, 2) | bit(refilled != cell, 3) | kind << 4 |
        bit(is_open(baseline_[y + 1]) && baseline_[y + 1] != cell, 6) | bit(left_group, 7);
    if (!decide(chances_.changed[context], wanted_[y] != 0)) return;

    const auto steps = [&](std::int32_t value) { return value >> step_; };
    const std::array<std::int32_t, kGuesses> guesses = {
        steps(difference(refilled, cell)),
        steps((*before_)[y]),
        steps(difference(water(baseline_[y + 1]), cell)),
        steps(difference(water(baseline_[y + 2]), cell)),
        steps(difference(water(baseline_[y + 4]), cell)),
        steps((*now_)[y - 1]),
        steps(difference(broken_ ? refilled : gone_on_.cells[static_cast<std::size_t>(y)], cell))};
    auto& misses = misses_[refilled != cell ? 1 : 0];
    std::size_t best = 0;
    for (std::size_t i = 1; i < kGuesses; ++i) {
      if (misses[i] < misses[best]) best = i;
    }
    const unsigned miss_class =
        std::min(bits_of(static_cast<std::uint32_t>(misses[best]) >> 1), kMissClasses - 1U);
    std::int32_t change = steps(wanted_[y]);
    change =
        wrapping_add(guesses[best], code_rest(difference(change, guesses[best]), best, miss_class,
                                              (*before_)[y] == 0  ? 0
                                              : (*before_)[y] < 0 ? 1
                                                                  : 2));
    (*now_)[y] = static_cast<std::int32_t>(static_cast<std::uint32_t>(change) << step_);
    for (std::size_t i = 0; i < kGuesses; ++i) {
      const std::int32_t miss = difference(change, guesses[i]);
      const std::int32_t size = miss > kLargestMiss || miss < -kLargestMiss ? kLargestMiss
                                : miss < 0                                  ? -miss
                                                                            : miss;
      misses[i] = (misses[i] >> 1) + size;  // neither is below 0
    }
  }

  // By how much the guess is wrong: sign, number of bits, the bit below the highest, the others.
  std::int32_t code_rest(std::int32_t rest, std::size_t guess, unsigned miss_class,
                         std::size_t sign_class) {
    if (!decide(chances_.missed[guess][miss_class], rest != 0)) return 0;
    const bool negative = decide(chances_.negative[guess][sign_class][last_sign_], rest < 0);
    last_sign_ = negative ? 1 : 2;
    const auto value = static_cast<std::uint32_t>(rest);
    const std::uint32_t size = rest < 0 ? 0 - value : value;
    const unsigned wanted_length = bits_of(size);
    const auto length_class = [](unsigned n) { return std::min(n, kLengthClasses - 1U); };
    unsigned length = 1;
    while (length < 32 &&
           decide(chances_.longer[miss_class][length_class(length)], length < wanted_length)) {
      ++length;
    }
    std::uint32_t told = 1;
    if (length > 1) {
      const unsigned others = length - 2;
      const bool second = decide(chances_.second[length_class(length)], (size >> others & 1) != 0);
      told = 2U | (second ? 1U : 0U);
      const std::uint32_t mask = (1U << others) - 1;
      told = told << others | coder_.plain(size & mask, others);
    }
    return static_cast<std::int32_t>(negative ? 0 - told : told);
  }

  void note_gain(int y) {
    gain_ = wrapping_add(gain_, (*now_)[y]);
    if (wrapping_add(baseline_[y], (*now_)[y]) < kFull) broken_ = true;
    if (y + 1 < height_ && is_open(baseline_[y + 1])) return;
    for (int i = refill_.floor[static_cast<std::size_t>(y)]; i <= y; ++i) (*gained_)[i] = gain_;
  }

  Coder& coder_;
  ColumnChances chances_;
  ColumnCounts* counts_;
  int height_;
  int width_;
  unsigned step_ = 0;
  // Of each guess, a fading sum of how far it was off: where the refill sees no change, and where.
  std::array<std::array<std::int32_t, kGuesses>, 2> misses_{};

  Column baseline_;
  Column wanted_;  // differences; of an encoder
  /// By column: not 0 where a cell of it changed; of an encoder.
  std::array<std::int32_t, kChunkCells / kLeastColumnCells> changed_{};
  std::array<Column, 5> columns_;
  Column* now_ = &columns_[0];     // differences as told so far
  Column* before_ = &columns_[1];  // the last column's
  Column* gained_ = &columns_[2];  // by each cell's run
  Column* gained_before_ = &columns_[3];
  Column* gained_earlier_ = &columns_[4];  // of the column before that one
  Column gained_next_;
  bool changed_before_ = false;
  Refill refill_{};
  Refill gone_on_{};
  bool broken_ = false;  // a cell of this run is not full
  std::int32_t gain_ = 0;
  std::size_t last_sign_ = 0;  // of the rests told: 0 none yet, 1 below 0, 2
  unsigned history_ = 0;       // whether the last two columns changed
  unsigned changed_groups_ = 0;
  unsigned changed_groups_before_ = 0;
  unsigned same_groups_ = 0;
  unsigned same_groups_before_ = 0;
};

}  // namespace

void append_columns(const ChunkCells& baseline, const ChunkCells& cells, int log_height,
                    std::vector<std::uint8_t>& bytes, const ColumnChances& chances,
                    ColumnCounts* counts) {
  RangeEncoder encoder(bytes);
  Columns(encoder, log_height, chances, counts).code(baseline, cells);
  encoder.finish();
}

Status read_columns(std::span<const std::uint8_t> bytes, std::size_t offset, int log_height,
                    ChunkCells& cells, const ColumnChances& chances) {
  RangeDecoder decoder(bytes, offset);
  Columns(decoder, log_height, chances, nullptr).code(cells, cells);
  if (decoder.cut_off()) return Error{"byte " + std::to_string(bytes.size()) + ": cut off"};
  if (decoder.has_more()) {
    return Error{"byte " + std::to_string(bytes.size()) + ": more bytes than the chunk needs"};
  }
  return Done{};
}

}  // namespace sluice::protocol
