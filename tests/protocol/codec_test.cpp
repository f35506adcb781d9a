// Goal: what is decoded is what was encoded, for any chunks and chains of changes; no bytes can
// harm the decoder; and the bytes are the ones that README.md shows.
#include "protocol/codec.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/base/varint.h"
#include "protocol/checksum.h"
#include "protocol/column_coding.h"
#include "protocol/column_model.h"
#include "protocol/limits.h"
#include "protocol/row_coding.h"
#include "tests/protocol/chunk_generators.h"

namespace sluice::protocol {
namespace {

using Payload = std::vector<std::uint8_t>;

Payload keyframe_of(const ChunkCells& cells, Effort effort = Effort::kShortest,
                    const ChunkShape& sides = kSideViewShape) {
  Payload payload;
  encode_keyframe(cells, sides, payload, effort);
  return payload;
}

Payload delta_of(const ChunkCells& from, const ChunkCells& to, Effort effort = Effort::kShortest,
                 const ChunkShape& sides = kSideViewShape) {
  Payload payload;
  encode_delta(from, to, sides, payload, effort);
  return payload;
}

// Rows are what README.md shows first.
Payload keyframe_row(const ChunkCells& cells) {
  return keyframe_of(cells, Effort::kRows);
}
Payload delta_row(const ChunkCells& from, const ChunkCells& to) {
  return delta_of(from, to, Effort::kRows);
}

Payload columns_of(std::uint8_t tag, int log_height, const ChunkCells& from, const ChunkCells& to) {
  Payload payload = {tag};
  append_columns(from, to, log_height, payload);
  return payload;
}

std::string hex(const Payload& payload) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : payload) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

const std::string& document() {
  static const std::string kText = [] {
    std::ifstream file(SLUICE_PROTOCOL_README);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }();
  return kText;
}

void expect_documented(const std::string& text) {
  EXPECT_NE(document().find("`" + text + "`"), std::string::npos)
      << "protocol/README.md does not show `" << text << "`";
}

TEST(Varint, SpellsEveryWidthAndReadsItBack) {
  for (const std::uint32_t value : {0U, 1U, 127U, 128U, 16383U, 16384U, 0x7fffffffU, 0xffffffffU}) {
    Payload bytes;
    append_varint(value, bytes);
    std::size_t offset = 0;
    EXPECT_EQ(read_varint<std::uint32_t>(std::span<const std::uint8_t>(bytes), offset), value);
    EXPECT_EQ(offset, bytes.size());
  }
  for (const std::int32_t value : {0, -1, 1, -64, 63, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
  EXPECT_EQ(zigzag(-2), 3U);
}

TEST(Varint, RefusesWhatIsCutOffOrTooLarge) {
  for (const Payload& bytes : {Payload{}, Payload{0x80}, Payload{0xff, 0xff, 0xff, 0xff, 0x1f},
                               Payload{0x80, 0x80, 0x80, 0x80, 0x80, 0x01}}) {
    std::size_t offset = 0;
    EXPECT_FALSE(
        read_varint<std::uint32_t>(std::span<const std::uint8_t>(bytes), offset).has_value());
    EXPECT_EQ(offset, 0U);
  }
}

TEST(Codec, BytesAreTheDocumentedOnes) {
  ChunkCells cells{};
  EXPECT_EQ(hex(keyframe_row(cells)), "01");
  expect_documented("01");

  ChunkCells rock;
  rock.fill(kRock);
  EXPECT_EQ(hex(keyframe_row(rock)), "01 00 01 01");
  expect_documented("01 00 01 01");

  ChunkCells floor{};
  std::fill(floor.begin(), floor.begin() + 64, kRock);
  floor[64 + 2] = 4096;
  EXPECT_EQ(hex(keyframe_row(floor)), "01 00 01 01 3f 04 02 00 80 40 ff 3f");
  expect_documented("01 00 01 01 3f 04 02 00 80 40 ff 3f");

  ChunkCells fallen = floor;
  fallen[64 + 1] = 1024;
  fallen[64 + 2] = 2048;
  fallen[64 + 3] = 1024;
  EXPECT_EQ(hex(delta_row(floor, fallen)), "02 41 03 80 10 ff 1f 80 10");
  expect_documented("02 41 03 80 10 ff 1f 80 10");
}

TEST(Codec, ASingleUnchangedCellDoesNotSplitAGroup) {
  ChunkCells cells{};
  cells[10] = 1;
  cells[12] = 1;
  EXPECT_EQ(hex(delta_row({}, cells)), "02 0a 03 02 00 02");
  expect_documented("02 0a 03 02 00 02");
}

TEST(Codec, ChecksumsAreTheDocumentedOnes) {
  const auto text_of = [](std::uint64_t value) {
    std::ostringstream text;
    text << std::hex << std::setw(16) << std::setfill('0') << value;
    return text.str();
  };
  ChunkCells rock;
  rock.fill(kRock);
  ChunkCells rising;
  for (std::size_t i = 0; i < kChunkCells; ++i) rising[i] = static_cast<std::int32_t>(i);
  EXPECT_EQ(air_checksum(), chunk_checksum({}));
  expect_documented(text_of(air_checksum()));
  expect_documented(text_of(chunk_checksum(rock)));
  expect_documented(text_of(chunk_checksum(rising)));
}

ChunkShape any_sides() {
  return *rc::gen::elementOf(std::vector<ChunkShape>{kSideViewShape, kSolidShape, {5, 5, 2}});
}
Effort any_effort() {
  return *rc::gen::element(Effort::kRows, Effort::kShortest);
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

RC_GTEST_PROP(Codec, KeyframesComeBack, ()) {
  ChunkCells cells{};
  scribble(cells, 30);
  const Payload payload = keyframe_of(cells, any_effort(), any_sides());
  RC_ASSERT(payload.size() <= kMaxChunkPayloadBytes);
  ChunkCells decoded;
  decoded.fill(77);  // a keyframe must not look at the baseline
  RC_ASSERT(decode_chunk(payload, decoded).ok());
  RC_ASSERT(decoded == cells);
}

RC_GTEST_PROP(Codec, ChainsOfDeltasComeBack, ()) {
  ChunkCells cells{};
  ChunkCells mirror{};
  const ChunkShape sides = any_sides();
  for (int i = 0; i < 6; ++i) {
    const ChunkCells before = cells;
    scribble(cells, 8);
    RC_ASSERT(decode_chunk(delta_of(before, cells, any_effort(), sides), mirror).ok());
    RC_ASSERT(mirror == cells);
  }
}

RC_GTEST_PROP(Codec, ColumnsComeBackEvenWhereRowsAreShorter, ()) {
  ChunkCells from{};
  ChunkCells to{};
  scribble(from, 30);
  scribble(to, 30);
  for (const int log_height : {6, 4}) {
    const auto tag = static_cast<std::uint8_t>(log_height == 6 ? 4 : 6);
    ChunkCells mirror = from;
    RC_ASSERT(decode_chunk(columns_of(tag, log_height, from, to), mirror).ok());
    RC_ASSERT(mirror == to);
  }
}

RC_GTEST_PROP(Codec, WaterThatRisesOrFallsIsTheSameAtBothEnds, ()) {
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

TEST(Codec, AFallingSurfaceCostsAFewBitsAColumn) {
  const ChunkCells from = watery(kSideViewShape, 40 * kFull + 2000, 150);
  const ChunkCells to = watery(kSideViewShape, 40 * kFull + 800, 150);
  EXPECT_LT(delta_of(from, to).size() * 3, delta_row(from, to).size());
}

TEST(Codec, LargePartsAreCountedInSteps) {
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
    ASSERT_TRUE(decode_chunk(columns_of(4, 6, from, to), mirror).ok());
    EXPECT_EQ(mirror, to);
  }
}

TEST(Codec, TheLargestPayloadKeepsItsLimit) {
  ChunkCells from;
  ChunkCells to;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    from[i] = 0;
    to[i] = i % 2 == 0 ? INT32_MIN : INT32_MAX;
  }
  const Payload payload = delta_row(from, to);
  EXPECT_LE(payload.size(), kMaxChunkPayloadBytes);
  EXPECT_GT(payload.size(), kMaxChunkPayloadBytes - 8);
  for (const Payload& bytes : {payload, columns_of(4, 6, from, to), delta_of(from, to)}) {
    ChunkCells decoded = from;
    ASSERT_TRUE(decode_chunk(bytes, decoded).ok());
    EXPECT_EQ(decoded, to);
  }
  EXPECT_LE(delta_of(from, to).size(), payload.size());
}

TEST(Codec, ColumnsAreTheDocumentedBytes) {
  ChunkCells floor{};
  for (std::size_t i = 0; i < 64; ++i) floor[i] = kRock;
  for (std::size_t i = 64; i < 128; ++i) floor[i] = kFull;
  for (std::size_t i = 128; i < 192; ++i) floor[i] = 3000 + 3 * static_cast<std::int32_t>(i - 128);
  ChunkCells later = floor;
  for (std::size_t i = 128; i < 192; ++i) later[i] -= 40;
  later[175] += 7;
  const Payload keyframe = keyframe_of(floor);
  const Payload delta = delta_of(floor, later);
  EXPECT_EQ(keyframe[0], 3);
  EXPECT_EQ(delta[0], 4);
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
  EXPECT_EQ(solid_keyframe[0], 5);
  EXPECT_EQ(solid_delta[0], 6);
  expect_documented(hex(solid_keyframe));
  expect_documented(hex(solid_delta));
}

// A payload and the check sum after it on each line, for chunks of 64x64x1 and then of 16x16x16:
// the page's decoder reads the same file.
std::string chunk_chain() {
  std::ostringstream text;
  ChunkCells held{};
  const auto send = [&](const Payload& payload) {
    EXPECT_TRUE(decode_chunk(payload, held).ok());
    std::string bytes = hex(payload);
    std::erase(bytes, ' ');
    text << bytes << ' ' << std::hex << std::setw(16) << std::setfill('0') << chunk_checksum(held)
         << '\n';
  };
  std::uint32_t dice = 1;
  const auto roll = [&dice](std::int32_t below) {
    dice = dice * 1664525 + 1013904223;
    return static_cast<std::int32_t>((dice >> 8) % static_cast<std::uint32_t>(below));
  };
  for (const ChunkShape& sides : {kSideViewShape, kSolidShape}) {
    for (int step = 0; step < 12; ++step) {
      ChunkCells next = watery(sides, roll(sides.height() * kFull), roll(400) - 200);
      // Later ones have strands and wild cells, too; one has many.
      for (int i = 0; i < step * 3; ++i) {
        const auto at = static_cast<std::size_t>(roll(static_cast<std::int32_t>(kChunkCells)));
        next[at] = i % 4 == 3 ? INT32_MIN + roll(9) : roll(6000);
      }
      if (step == 9) {
        for (std::size_t at = 5; at < kChunkCells; at += 97) {
          next[at] = wrapping_subtract(static_cast<std::int32_t>(dice), roll(1 << 20));
        }
      }
      if (step == 10) next = held;
      if (step % 3 == 0) {
        send(keyframe_of(next, Effort::kShortest, sides));
      } else {
        send(delta_of(held, next, Effort::kShortest, sides));
      }
      // What a tick changes: a few cells, by whole parts.
      ChunkCells drop = held;
      for (int i = 0; i < 1 + step * step; ++i) {
        const auto at = static_cast<std::size_t>(roll(static_cast<std::int32_t>(kChunkCells)));
        drop[at] = wrapping_add(drop[at], (roll(9) - 4) * 512);
      }
      send(delta_of(held, drop, Effort::kShortest, sides));
    }
  }
  return text.str();
}

TEST(Codec, PayloadsAreThoseThatTheBrowserIsTestedWith) {
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

TEST(Codec, TheFirstChancesAreTheDocumentedOnes) {
  for (std::size_t i = 0; i < kFirstChances.size(); i += 64) {
    EXPECT_NE(document().find("    " + std::string(kFirstChances.substr(i, 64)) + "\n"),
              std::string::npos)
        << "protocol/README.md does not show " << kFirstChances.substr(i, 64);
  }
}

TEST(Codec, ErrorsNameTheOffsetAndLeaveTheChunk) {
  const auto expect_error = [](const Payload& payload, const std::string& message) {
    ChunkCells cells;
    cells.fill(5);
    const ChunkCells before = cells;
    const Status status = decode_chunk(payload, cells);
    ASSERT_FALSE(status.ok()) << hex(payload);
    EXPECT_EQ(status.error(), "chunk payload, byte " + message);
    EXPECT_EQ(cells, before);
  };
  expect_error({}, "0: no tag");
  expect_error({0x07}, "0: unknown tag 7 (1, 3, 5 keyframe, 2, 4, 6 delta)");
  expect_error({0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00},
               "10: more bytes than the chunk needs");
  expect_error({0x04, 0xff, 0xff, 0xff, 0xff}, "5: cut off");
  expect_error({0x01, 0x00}, "2: not a number");
  expect_error({0x01, 0x00, 0x00}, "1: a group without values");
  expect_error({0x02, 0x80, 0x20, 0x01, 0x02}, "1: a group that reaches past the row's end");
  expect_error({0x02, 0x01, 0x80, 0x20}, "1: a group that reaches past the row's end");
  expect_error({0x02, 0x00, 0x02, 0x01}, "4: not a number");
  expect_error({0x02, 0x00, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff}, "3: not a number");
}

RC_GTEST_PROP(Codec, AnyBytesAreAValueOrAnError, ()) {
  Payload payload = *rc::gen::arbitrary<Payload>();
  if (!payload.empty())
    payload[0] = *rc::gen::elementOf(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7});
  ChunkCells cells{};
  const ChunkCells before = cells;
  const Status status = decode_chunk(payload, cells);
  if (!status.ok()) RC_ASSERT(cells == before);
}

RC_GTEST_PROP(Codec, DamagedPayloadsAreAValueOrAnError, ()) {
  ChunkCells cells{};
  scribble(cells, 30);
  Payload payload = keyframe_of(cells, any_effort(), any_sides());
  const auto at = *rc::gen::inRange<std::size_t>(0, payload.size());
  payload[at] = static_cast<std::uint8_t>(payload[at] ^ (1 << *rc::gen::inRange(0, 8)));
  payload.resize(*rc::gen::inRange<std::size_t>(0, payload.size() + 1));
  ChunkCells decoded{};
  const ChunkCells before = decoded;
  const Status status = decode_chunk(payload, decoded);
  if (!status.ok()) RC_ASSERT(decoded == before);
}

RC_GTEST_PROP(Checksum, OneWrongCellShows, ()) {
  ChunkCells cells{};
  scribble(cells, 10);
  const std::uint64_t before = chunk_checksum(cells);
  const auto at = *rc::gen::inRange<std::size_t>(0, kChunkCells);
  cells[at] = static_cast<std::int32_t>(static_cast<std::uint32_t>(cells[at]) +
                                        *rc::gen::inRange<std::uint32_t>(1, 5000));
  RC_ASSERT(chunk_checksum(cells) != before);
}

}  // namespace
}  // namespace sluice::protocol
