// Goal: what is told by columns is what was meant, for water and for anything else; its bytes are
// the ones that README.md shows and that the browser's decoder is tested with.
#include "protocol/column_coding.h"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/checksum.h"
#include "protocol/column_model.h"
#include "protocol/limits.h"
#include "protocol/row_coding.h"
#include "tests/protocol/chunk_generators.h"
#include "tests/protocol/payloads.h"

namespace sluice::protocol::column_coding_test {
namespace {

Payload columns_of(std::uint8_t tag, int log_height, const ChunkCells& from, const ChunkCells& to) {
  Payload payload = {tag};
  append_columns(from, to, log_height, payload);
  return payload;
}

// Cells as water makes them: columns full up to a smooth surface, strands that fall, rock.
ChunkCells watery(const ChunkShape& sides, std::int32_t level, std::int32_t slope) {
  ChunkCells cells{};
  for (std::int32_t y = 0; y < sides.height(); ++y) {
    for (std::int32_t x = 0; x < sides.slab(); ++x) {
      const std::int32_t volume = level + slope * x - y * kFull;
      auto& cell = cells[static_cast<std::size_t>(y * sides.slab() + x)];
      cell = x % 13 == 5 && y % 4 == 1 ? kRock : std::clamp(volume, 0, kFull);
    }
  }
  return cells;
}

RC_GTEST_PROP(Columns, ComeBackEvenWhereRowsAreShorter, ()) {
  ChunkCells from{};
  ChunkCells to{};
  scribble(from, 30);
  scribble(to, 30);
  for (const int log_height : {6, 4}) {
    const auto tag = static_cast<std::uint8_t>(log_height == 6 ? 8 : 10);
    ChunkCells mirror = from;
    RC_ASSERT(decode_chunk(columns_of(tag, log_height, from, to), mirror).ok());
    RC_ASSERT(mirror == to);
  }
}

RC_GTEST_PROP(Columns, WaterThatRisesOrFallsIsTheSameAtBothEnds, ()) {
  const ChunkShape sides = *rc::gen::element(kSideViewShape, kSolidShape);
  const auto level = [&] { return *rc::gen::inRange(-kFull, sides.height() * kFull); };
  const auto slope = [] { return *rc::gen::inRange(-600, 600); };
  const ChunkCells from = watery(sides, level(), slope());
  const ChunkCells to = watery(sides, level(), slope());
  ChunkCells mirror = from;
  const Payload payload = delta_of(from, to, Effort::kShortest, sides);
  RC_ASSERT(payload.size() <= delta_of(from, to, Effort::kRows, sides).size());
  RC_ASSERT(decode_chunk(payload, mirror).ok());
  RC_ASSERT(mirror == to);
}

TEST(Columns, AFallingSurfaceCostsAFewBitsAColumn) {
  const ChunkCells from = watery(kSideViewShape, 40 * kFull + 2000, 150);
  const ChunkCells to = watery(kSideViewShape, 40 * kFull + 800, 150);
  EXPECT_LT(delta_of(from, to).size() * 3, delta_row(from, to).size());
}

TEST(Columns, NoiseIsNotWorthTheWorkOnColumns) {
  ChunkCells noise;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    noise[i] = static_cast<std::int32_t>(i * 2654435761U % 4097);
  }
  EXPECT_EQ(delta_of({}, noise), delta_row({}, noise));
  EXPECT_EQ(keyframe_of(noise), keyframe_row(noise));
}

TEST(Columns, LargePartsAreCountedInSteps) {
  for (const std::int32_t part : {1, 512, 4096, 1 << 20}) {
    ChunkCells from{};
    ChunkCells to{};
    for (std::size_t i = 0; i < kChunkCells; i += 7) {
      from[i] = part * static_cast<std::int32_t>(i % 5);
      to[i] = part * static_cast<std::int32_t>(i % 3) - static_cast<std::int32_t>(i % 2) * part;
      from[i] += static_cast<std::int32_t>(i % 11);  // only differences need be whole parts
      to[i] += static_cast<std::int32_t>(i % 11);
    }
    ChunkCells mirror = from;
    ASSERT_TRUE(decode_chunk(columns_of(8, 6, from, to), mirror).ok());
    EXPECT_EQ(mirror, to);
  }
}

TEST(Columns, AreTheDocumentedBytes) {
  ChunkCells floor{};
  for (std::size_t i = 0; i < 64; ++i) floor[i] = kRock;
  for (std::size_t i = 64; i < 128; ++i) floor[i] = kFull;
  for (std::size_t i = 128; i < 192; ++i) floor[i] = 3000 + 3 * static_cast<std::int32_t>(i - 128);
  ChunkCells later = floor;
  for (std::size_t i = 128; i < 192; ++i) later[i] -= 40;
  later[175] += 7;
  const Payload keyframe = keyframe_of(floor);
  const Payload delta = delta_of(floor, later);
  EXPECT_EQ(keyframe[0], 7);
  EXPECT_EQ(delta[0], 8);
  expect_documented(hex(keyframe));
  expect_documented(hex(delta));
  ChunkCells hill{};
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::size_t x = i % 16;
    const std::size_t z = i / 16 % 16;
    if (i / 256 <= (x + z) / 4) hill[i] = kRock;
  }
  ChunkCells rained = hill;
  for (std::size_t i = 256 * 15; i < kChunkCells; i += 3) rained[i] = 512;
  const Payload solid_keyframe = keyframe_of(hill, Effort::kShortest, kSolidShape);
  const Payload solid_delta = delta_of(hill, rained, Effort::kShortest, kSolidShape);
  EXPECT_EQ(solid_keyframe[0], 9);
  EXPECT_EQ(solid_delta[0], 10);
  expect_documented(hex(solid_keyframe));
  expect_documented(hex(solid_delta));
}

std::string digits(const Payload& bytes) {
  std::string text = hex(bytes);
  std::erase(text, ' ');
  return text;
}

// A payload and the checksum after it on each line, for chunks of 64x64x1 and then of 16x16x16, and
// the lessons between them: the page's decoder reads the same file.
std::string chunk_chain() {
  std::ostringstream text;
  ChunkCells held{};
  ColumnTeacher teacher({.pause = 3, .least_saved = 0.1});
  ColumnChances told = first_chances();
  const auto send = [&](const Payload& payload) {
    EXPECT_TRUE(decode_chunk(payload, held, told).ok());
    text << digits(payload) << ' ' << std::hex << std::setw(16) << std::setfill('0')
         << chunk_checksum(held) << '\n';
  };
  const auto send_delta = [&](const ChunkCells& next, const ChunkShape& sides) {
    const std::uint32_t lessons = teacher.lessons();
    teacher.begin_tick();
    if (teacher.lessons() != lessons) {
      EXPECT_TRUE(read_lesson(teacher.lesson(), told).ok());
      text << "lesson " << digits(teacher.lesson()) << '\n';
    }
    Payload payload;
    encode_delta(held, next, sides, payload, Effort::kShortest, &teacher);
    send(payload);
  };
  std::uint32_t dice = 1;
  const auto roll = [&dice](std::int32_t below) {
    dice = dice * 1664525 + 1013904223;
    return static_cast<std::int32_t>((dice >> 8) % static_cast<std::uint32_t>(below));
  };
  for (const ChunkShape& sides : {kSideViewShape, kSolidShape}) {
    for (int step = 0; step < 12; ++step) {
      // One roll a statement: compilers take a call's arguments in different orders.
      const std::int32_t tilt = roll(400) - 200;
      const std::int32_t level = roll(sides.height() * kFull);
      ChunkCells next = watery(sides, level, tilt);
      // Later ones have strands and wild cells, too; one has many.
      for (int i = 0; i < step * 3; ++i) {
        const auto at = static_cast<std::size_t>(roll(static_cast<std::int32_t>(kChunkCells)));
        next[at] = i % 4 == 3 ? INT32_MIN + roll(9) : roll(6000);
      }
      if (step == 9) {
        for (std::size_t at = 5; at < kChunkCells; at += 97) {
          const std::int32_t less = roll(1 << 20);
          next[at] = wrapping_subtract(static_cast<std::int32_t>(dice), less);
        }
      }
      if (step == 10) next = held;
      if (step % 3 == 0) {
        send(keyframe_of(next, Effort::kShortest, sides));
      } else {
        send_delta(next, sides);
      }
      // What a tick changes: a few cells, by whole parts.
      ChunkCells drop = held;
      for (int i = 0; i < 1 + step * step; ++i) {
        const auto at = static_cast<std::size_t>(roll(static_cast<std::int32_t>(kChunkCells)));
        drop[at] = wrapping_add(drop[at], (roll(9) - 4) * 512);
      }
      send_delta(drop, sides);
    }
  }
  return text.str();
}

TEST(Columns, PayloadsAreThoseThatTheBrowserIsTestedWith) {
  const std::string chain = chunk_chain();
  std::ifstream file(SLUICE_CHUNK_CHAIN);
  std::stringstream kept;
  kept << file.rdbuf();
  if (kept.str() == chain) return;
  const std::string written = testing::TempDir() + "chunk_chain.txt";
  std::ofstream(written) << chain;
  ADD_FAILURE() << "the encoder's bytes changed: " << SLUICE_CHUNK_CHAIN << " should be as "
                << written << ", if that is meant";
}

TEST(Columns, TheFirstChancesAreTheDocumentedOnes) {
  for (std::size_t i = 0; i < kFirstChances.size(); i += 64) {
    EXPECT_NE(document().find("    " + std::string(kFirstChances.substr(i, 64)) + "\n"),
              std::string::npos)
        << "protocol/README.md does not show " << kFirstChances.substr(i, 64);
  }
}

TEST(Columns, TheWildestChangeComesBack) {
  ChunkCells from{};
  ChunkCells to;
  for (std::size_t i = 0; i < kChunkCells; ++i) to[i] = i % 2 == 0 ? INT32_MIN : INT32_MAX;
  ChunkCells decoded = from;
  ASSERT_TRUE(decode_chunk(columns_of(8, 6, from, to), decoded).ok());
  EXPECT_EQ(decoded, to);
  ASSERT_TRUE(decode_chunk(columns_of(10, 4, to, from), decoded).ok());
  EXPECT_EQ(decoded, from);
}

}  // namespace
}  // namespace sluice::protocol::column_coding_test
