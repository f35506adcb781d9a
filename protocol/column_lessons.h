// What the deltas of a world teach of its water: how likely each decision of columns
// (column_coding.h) is there. A server counts, and now and then makes a *lesson* of it, which it
// tells to its viewers. From then on every delta begins with the chances of the last lesson told: a
// chunk of few bytes need not learn anew what the whole world shows. README.md has the bytes.
//
//   chunks coded ──► counts ──► does a lesson pay? ──► the chances at the start of each delta
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/column_model.h"

namespace sluice::protocol {

/// Of how many decisions a chance that was told counts as learnt.
inline constexpr std::uint8_t kToldSeen = 8;
/// How often each decision was "no", and "yes"; in the order of kFirstChances.
using ColumnCounts = std::array<std::array<std::uint32_t, 2>, kChances>;

/// Appends what was counted, each chance as the nearest of kChanceLevels. What was decided too
/// rarely is left as it is in first_chances().
void append_lesson(const ColumnCounts& counts, std::vector<std::uint8_t>& bytes);

/// The chances of a lesson. Any bytes are safe to give; on an error `chances` stay as they are.
[[nodiscard]] Status read_lesson(std::span<const std::uint8_t> bytes, ColumnChances& chances);

/// When there is a lesson. What ships has these values; tests have others, so that small worlds
/// teach much.
struct LessonTerms {
  /// One at the most in so many ticks, of those in which chunks were coded.
  std::uint32_t pause = 8;
  /// What was counted would have taken so many bytes less with it, for each byte that it has.
  double least_saved = 1;
};

/// Counts, and says when there is a lesson.
class ColumnTeacher {
 public:
  explicit ColumnTeacher(const LessonTerms& terms = {}) : terms_(terms) {}

  /// The chunks of another tick are about to be coded: the only time at which there may be another
  /// lesson.
  void begin_tick();

  /// What deltas begin with.
  [[nodiscard]] const ColumnChances& chances() const { return chances_; }
  /// How many lessons there were; with 0, chances() are the first ones.
  [[nodiscard]] std::uint32_t lessons() const { return lessons_; }
  /// The last lesson's bytes; empty: there was none.
  [[nodiscard]] const std::vector<std::uint8_t>& lesson() const { return lesson_; }
  /// For append_columns(), which adds to them.
  [[nodiscard]] ColumnCounts& counts() {
    counted_ = true;
    return counts_;
  }

 private:
  LessonTerms terms_;
  std::uint32_t ticks_ = 0;  // in which something was counted, since a lesson was thought of
  bool counted_ = false;
  std::uint32_t lessons_ = 0;
  ColumnCounts counts_{};
  ColumnChances chances_ = first_chances();
  std::vector<std::uint8_t> lesson_;
};

}  // namespace sluice::protocol
