// Goal: what is decoded is what was encoded, for any chunks and chains of changes; no bytes can
// harm the decoder; and the bytes are the ones that README.md shows.
#include "protocol/codec.h"

#include <iomanip>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/base/varint.h"
#include "protocol/checksum.h"
#include "protocol/limits.h"
#include "tests/protocol/chunk_generators.h"
#include "tests/protocol/payloads.h"

namespace sluice::protocol::codec_test {
namespace {

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
  for (const Payload& bytes : {payload, delta_of(from, to)}) {
    ChunkCells decoded = from;
    ASSERT_TRUE(decode_chunk(bytes, decoded).ok());
    EXPECT_EQ(decoded, to);
  }
  EXPECT_LE(delta_of(from, to).size(), payload.size());
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
  for (const int tag : {0, 3, 6, 11}) {
    expect_error({static_cast<std::uint8_t>(tag)},
                 "0: unknown tag " + std::to_string(tag) + " (1, 7, 9 keyframe, 2, 8, 10 delta)");
  }
  expect_error({0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00},
               "10: more bytes than the chunk needs");
  expect_error({0x08, 0xff, 0xff, 0xff, 0xff}, "5: cut off");
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
    payload[0] = *rc::gen::elementOf(std::vector<std::uint8_t>{1, 2, 7, 8, 9, 10, 11});
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
}  // namespace sluice::protocol::codec_test
