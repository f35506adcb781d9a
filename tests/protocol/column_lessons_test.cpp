// Goal: a lesson is read as it was made, whatever was counted; with it, deltas take fewer bytes
// than without, its own included; and where it would not pay, there is none.
#include "protocol/column_lessons.h"

#include <bit>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/base/cell.h"
#include "tests/protocol/chunk_generators.h"
#include "tests/protocol/payloads.h"

namespace sluice::protocol::column_lessons_test {
namespace {

using ChanceList = std::array<Chance, kChances>;

ChanceList list_of(const ColumnChances& chances) {
  return std::bit_cast<ChanceList>(chances);
}

RC_GTEST_PROP(Lessons, TellOfWhatWasCountedAndOfNothingElse, ()) {
  ColumnCounts counts{};
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const auto chance = *rc::gen::inRange<std::size_t>(0, kChances);
    counts[chance] = {*rc::gen::inRange(0U, 5000U), *rc::gen::inRange(0U, 5000U)};
  }
  Payload lesson;
  append_lesson(counts, lesson);
  ColumnChances read;
  RC_ASSERT(read_lesson(lesson, read).ok());
  const ChanceList told = list_of(read);
  const ChanceList first = list_of(first_chances());
  for (std::size_t i = 0; i < kChances; ++i) {
    const double all = counts[i][0] + counts[i][1];
    if (told[i].seen == kFirstSeen) {
      RC_ASSERT(told[i].of_no == first[i].of_no);
      RC_ASSERT(all < 50);
      continue;
    }
    RC_ASSERT(told[i].seen == kToldSeen);
    RC_ASSERT(all > 0);
    // The levels lie up to 0.1 apart, and few decisions say little.
    const double share = counts[i][0] / all;
    RC_ASSERT(std::abs(told[i].of_no / 65536.0 - share) < 0.06 + 8 / (all + 8));
  }
}

RC_GTEST_PROP(Lessons, AnyBytesAreSafeAndAnErrorChangesNothing, (const Payload& bytes)) {
  ColumnChances chances = first_chances();
  const Status status = read_lesson(bytes, chances);
  if (!status.ok()) {
    RC_ASSERT(std::bit_cast<ChanceList>(chances) == list_of(first_chances()));
    RC_ASSERT(status.error().starts_with("lesson, byte " + std::to_string(bytes.size()) + ": "));
  }
}

TEST(Lessons, BytesTooFewOrTooManyAreRefused) {
  ColumnCounts counts{};
  for (auto& count : counts) count = {20, 30};
  Payload lesson;
  append_lesson(counts, lesson);
  ColumnChances chances;
  Payload longer = lesson;
  longer.insert(longer.end(), kMostBytesLeftOut + 1, std::uint8_t{1});
  EXPECT_EQ(read_lesson(longer, chances).error(),
            "lesson, byte " + std::to_string(longer.size()) + ": more bytes than it needs");
  const Payload shorter(lesson.begin(), lesson.begin() + 20);
  EXPECT_EQ(read_lesson(shorter, chances).error(), "lesson, byte 20: cut off");
}

// A surface that rises and falls by what its neighbours do, as waves make it.
ChunkCells wave(int tick) {
  ChunkCells cells{};
  for (std::int32_t x = 0; x < 64; ++x) {
    const std::int32_t head = 20 * kFull + 40 * x + ((tick + x) % 7) * 37 * ((tick / 3) % 3);
    for (std::int32_t y = 0; y < 64; ++y) {
      cells[static_cast<std::size_t>(y * 64 + x)] = std::clamp(head - y * kFull, 0, kFull);
    }
  }
  return cells;
}

struct Told {
  std::size_t bytes = 0;
  std::uint32_t lessons = 0;
};

// Each tick's change as a server tells it and a client takes it in.
template <class CellsAt>
Told tell(int ticks, const LessonTerms& terms, CellsAt&& cells_at) {
  Told told;
  ColumnTeacher teacher(terms);
  ColumnChances learnt = first_chances();
  ChunkCells held = cells_at(0);
  for (int tick = 1; tick <= ticks; ++tick) {
    teacher.begin_tick();
    if (teacher.lessons() != told.lessons) {
      told.lessons = teacher.lessons();
      told.bytes += teacher.lesson().size();
      EXPECT_FALSE(teacher.lesson().empty());  // a tick without a lesson has none
      EXPECT_TRUE(read_lesson(teacher.lesson(), learnt).ok());
    }
    const ChunkCells next = cells_at(tick);
    Payload payload;
    encode_delta(held, next, kSideViewShape, payload, Effort::kShortest, &teacher);
    told.bytes += payload.size();
    EXPECT_TRUE(decode_chunk(payload, held, learnt).ok());
    EXPECT_EQ(held, next);
  }
  return told;
}

TEST(Lessons, PayForThemselvesWhereWaterGoesOnMoving) {
  const Told without = tell(200, {.pause = UINT32_MAX}, wave);
  const Told with = tell(200, {}, wave);
  EXPECT_EQ(without.lessons, 0U);
  EXPECT_GT(with.lessons, 0U);
  EXPECT_LE(with.lessons, 200U / LessonTerms{}.pause);
  EXPECT_LT(with.bytes * 10, without.bytes * 9);
}

TEST(Lessons, AreNotToldWhereTheyWouldCostMoreThanTheySave) {
  const auto drip = [](int tick) {
    ChunkCells cells{};
    cells[static_cast<std::size_t>(tick * 577) % cells.size()] = tick;
    cells[static_cast<std::size_t>(tick * 131) % cells.size()] = tick;
    return cells;
  };
  EXPECT_EQ(tell(20, {}, drip).lessons, 0U);
  EXPECT_GT(tell(64, {.pause = 1, .least_saved = -1e9}, drip).lessons, 50U);
}

TEST(Lessons, TheirCountsTakeWhatTheNetworksDocumentSays) {
  EXPECT_LE(sizeof(ColumnTeacher), 8U << 10);
}

TEST(Lessons, AWorldThatStandsStillTeachesNothing) {
  ColumnTeacher teacher({.pause = 1, .least_saved = -1e9});
  for (int tick = 0; tick < 100; ++tick) teacher.begin_tick();
  EXPECT_EQ(teacher.lessons(), 0U);
}

RC_GTEST_PROP(Lessons, AnyCellsComeBackWithWhateverWasTaught, ()) {
  const LessonTerms terms = {.pause = *rc::gen::inRange(1U, 4U), .least_saved = -1e9};
  ChunkCells cells{};
  tell(*rc::gen::inRange(1, 12), terms, [&](int) {
    protocol::scribble(cells, 30);
    return cells;
  });
}

TEST(Lessons, AKeyframeIsReadWithoutThem) {
  ColumnCounts counts{};
  for (auto& count : counts) count = {1, 9};
  Payload lesson;
  append_lesson(counts, lesson);
  ColumnChances learnt;
  ASSERT_TRUE(read_lesson(lesson, learnt).ok());
  const Payload keyframe = keyframe_of(wave(5));
  ASSERT_EQ(keyframe[0], static_cast<std::uint8_t>(PayloadTag::kKeyframeOf64));
  ChunkCells read{};
  ASSERT_TRUE(decode_chunk(keyframe, read, learnt).ok());
  EXPECT_EQ(read, wave(5));
}

TEST(Lessons, AreTheDocumentedBytes) {
  ColumnCounts counts{};
  counts[1] = {1000, 10};  // column[0]: hardly any changed
  counts[300] = {0, 500};  // missed[0][3]: each was
  Payload lesson;
  append_lesson(counts, lesson);
  expect_documented(hex(lesson));
}

}  // namespace
}  // namespace sluice::protocol::column_lessons_test
