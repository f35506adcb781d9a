#include "protocol/column_lessons.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "protocol/base/assert.h"

namespace sluice::protocol {

namespace {

// The first chance counts as so many decisions beside those that were counted; of fewer than so
// many, nothing is told.
constexpr std::uint64_t kFirstWeight = 8;

using ChanceList = std::array<Chance, kChances>;

std::array<std::uint16_t, 16>::const_iterator nearest(std::uint64_t no) {
  return std::min_element(kChanceLevels.begin(), kChanceLevels.end(), [no](auto a, auto b) {
    const auto off = [no](std::uint64_t level) { return level < no ? no - level : level - no; };
    return off(a) < off(b);
  });
}

// Whether a chance is told of is decided by one chance for all: most worlds show few kinds of
// change.
template <class Coder>
void code_lesson(Coder& coder, const ColumnCounts* counts, ChanceList& chances) {
  Chance told;
  for (std::size_t i = 0; i < kChances; ++i) {
    std::uint32_t level = 0;
    bool enough = false;
    if constexpr (Coder::kEncodes) {
      const std::uint64_t no = (*counts)[i][0];
      const std::uint64_t all = no + (*counts)[i][1];
      enough = all >= kFirstWeight;
      const std::uint64_t of_no =
          ((no << 16) + kFirstWeight * chances[i].of_no) / (all + kFirstWeight);
      level = static_cast<std::uint32_t>(nearest(of_no) - kChanceLevels.begin());
    }
    if (!coder.decide(told, enough)) continue;
    chances[i] = {kChanceLevels[coder.plain(level, 4)], kToldSeen};
  }
}

// In bits, what was counted would take with these chances, were they to stay as they are.
double bits_of(const ColumnCounts& counts, const ColumnChances& chances) {
  const auto list = std::bit_cast<ChanceList>(chances);
  double bits = 0;
  for (std::size_t i = 0; i < kChances; ++i) {
    const double no = list[i].of_no / 65536.0;
    bits -= counts[i][0] * std::log2(no) + counts[i][1] * std::log2(1 - no);
  }
  return bits;
}

}  // namespace

void append_lesson(const ColumnCounts& counts, std::vector<std::uint8_t>& bytes) {
  auto chances = std::bit_cast<ChanceList>(first_chances());
  RangeEncoder encoder(bytes);
  code_lesson(encoder, &counts, chances);
  encoder.finish();
}

Status read_lesson(std::span<const std::uint8_t> bytes, ColumnChances& chances) {
  auto list = std::bit_cast<ChanceList>(first_chances());
  RangeDecoder decoder(bytes, 0);
  code_lesson(decoder, nullptr, list);
  if (decoder.cut_off()) return Error{"lesson, byte " + std::to_string(bytes.size()) + ": cut off"};
  if (decoder.has_more()) {
    return Error{"lesson, byte " + std::to_string(bytes.size()) + ": more bytes than it needs"};
  }
  chances = std::bit_cast<ColumnChances>(list);
  return Done{};
}

void ColumnTeacher::begin_tick() {
  if (!std::exchange(counted_, false) || ++ticks_ < terms_.pause) return;
  ticks_ = 0;
  std::vector<std::uint8_t> lesson;
  append_lesson(counts_, lesson);
  ColumnChances taught;
  SLUICE_ASSERT(read_lesson(lesson, taught).ok());
  const double saved = bits_of(counts_, chances_) - bits_of(counts_, taught);
  // What the water did long ago fades.
  for (auto& count : counts_) count = {count[0] / 2, count[1] / 2};
  // One without bytes says that all chances are the first ones; on the wire it would be none.
  if (lesson.empty()) return;
  if (saved <= terms_.least_saved * 8 * static_cast<double>(lesson.size())) return;
  ++lessons_;
  lesson_ = std::move(lesson);
  chances_ = taught;
}

}  // namespace sluice::protocol
