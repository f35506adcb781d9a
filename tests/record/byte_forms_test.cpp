// Goal: the byte forms inside a recording's blobs come back as they went in, and any other bytes
// are refused with a message, at no more memory than the bytes justify.
// Method: random contents (rapidcheck prints its seed), and every truncation and bit flip of one.
#include <cstdio>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "server/record/checkpoint.h"
#include "server/record/command_batch.h"
#include "server/record/format.h"
#include "server/record/packing.h"
#include "tests/record/support.h"

namespace sluice::record::test::byte_forms_test {
namespace {

std::vector<TickRecord> random_ticks(std::uint32_t seed, std::size_t count, double rate) {
  CommandSource source(seed, 9);
  std::mt19937_64 random(seed);
  std::vector<TickRecord> ticks(count);
  for (std::size_t i = 0; i < count; ++i) {
    ticks[i].tick = 1000 + i;
    ticks[i].digest = random();
    ticks[i].commands = source.some(rate * static_cast<double>(random() % 3));
    for (RecordedCommand& recorded : ticks[i].commands) {
      if (random() % 5 == 0) recorded.seq = random();
      recorded.applied = random() % 4 != 0;
      if (!recorded.applied) recorded.reason = "no room at " + std::to_string(random() % 3);
    }
  }
  return ticks;
}

std::vector<TickRecord> without_commands(std::vector<TickRecord> ticks) {
  for (TickRecord& tick : ticks) tick.commands.clear();
  return ticks;
}

TEST(ByteForms, IntegersComeBack) {
  EXPECT_TRUE(rc::check("varint and zigzag", [](std::int64_t value) {
    Bytes bytes;
    append_varint(zigzag(value), bytes);
    put_u64(static_cast<std::uint64_t>(value), bytes);
    ByteReader reader(bytes);
    RC_ASSERT(unzigzag(reader.varint()) == value);
    RC_ASSERT(reader.u64() == static_cast<std::uint64_t>(value));
    RC_ASSERT(reader.rest().empty() && !reader.failed());
  }));
}

TEST(ByteForms, VarintsBeyondSixtyFourBitsAreRefused) {
  const Bytes endless(11, std::byte{0xff});
  ByteReader reader(endless);
  reader.varint();
  EXPECT_TRUE(reader.failed());
}

TEST(ByteForms, CommandsComeBackWithTheirTicks) {
  EXPECT_TRUE(rc::check("commands", [](std::uint32_t seed) {
    const std::vector<TickRecord> ticks = random_ticks(seed, 1 + seed % 50, 0.7);
    Bytes blob;
    encode_commands(ticks, 3, blob);
    std::vector<TickRecord> back = without_commands(ticks);
    RC_ASSERT(decode_commands(blob, Limits().batch_bytes, back).ok());
    for (std::size_t i = 0; i < ticks.size(); ++i) expect_equal(ticks[i], back[i]);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(ByteForms, TheShortestCommandsComeBack) {
  // Of all commands those with one short name take the fewest bytes.
  std::vector<TickRecord> ticks(3);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ticks[i].tick = 1 + i;
    for (int n = 0; n < 40; ++n) {
      RecordedCommand recorded;
      recorded.command.body = sim::RemovePipe{"a"};
      ticks[i].commands.push_back(recorded);
    }
  }
  Bytes blob;
  encode_commands(ticks, 1, blob);
  std::vector<TickRecord> back(ticks.size());
  for (std::size_t i = 0; i < back.size(); ++i) back[i].tick = 1 + i;
  ASSERT_TRUE(decode_commands(blob, Limits().batch_bytes, back).ok());
  EXPECT_EQ(back[2].commands.size(), 40U);
}

TEST(ByteForms, DamagedCommandsNeverCrash) {
  const std::vector<TickRecord> ticks = random_ticks(5, 20, 0.7);
  // Packed and unpacked: damage inside a zstd frame seldom reaches the columns.
  Bytes packed;
  encode_commands(ticks, 3, packed);
  Bytes stored{std::byte{0}};
  const Bytes batch = must(unpack(packed, Limits().batch_bytes));
  stored.insert(stored.end(), batch.begin(), batch.end());
  for (const Bytes& blob : {packed, stored}) {
    for (std::size_t size = 1; size < blob.size(); ++size) {
      std::vector<TickRecord> back = without_commands(ticks);
      EXPECT_FALSE(decode_commands(std::span(blob).first(size), Limits().batch_bytes, back).ok())
          << size;
    }
    for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
      Bytes flipped = blob;
      flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      std::vector<TickRecord> back = without_commands(ticks);
      (void)decode_commands(flipped, Limits().batch_bytes, back);
    }
  }
}

/// The hexadecimal digits of the worked example in the format's document: the indented lines from
/// its first to its last, each up to the three spaces before its explanation.
Bytes documented_example() {
  std::istringstream document(read_file(SLUICE_SOURCE_DIR "/server/record/README.md"));
  Bytes bytes;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line == "### A worked example") inside = true;
    if (line.starts_with("## ")) inside = false;
    if (!inside || !line.starts_with("    ")) continue;
    std::istringstream digits(line.substr(4, line.find("   ", 4) - 4));
    for (std::string byte; digits >> byte;) {
      bytes.push_back(static_cast<std::byte>(std::stoi(byte, nullptr, 16)));
    }
  }
  return bytes;
}

TEST(ByteForms, TheDocumentsExampleIsTrue) {
  std::vector<TickRecord> ticks = {{5, 0, {}}, {6, 0, {}}};
  ticks[1].commands = {{{sim::Pour{{2, 4, 0}, 4096}}, "ann", 1, true, ""},
                       {{sim::Pour{{2, 40, 0}, 4096}}, "ann", 2, false, "outside"}};
  // A batch of this size would be worth compressing; the example shows it as it is.
  Bytes blob;
  encode_commands(ticks, 1, blob);
  Bytes stored{std::byte{0}};
  const Bytes batch = must(unpack(blob, Limits().batch_bytes));
  stored.insert(stored.end(), batch.begin(), batch.end());
  EXPECT_EQ(stored, documented_example());
  std::vector<TickRecord> back = without_commands(ticks);
  must(decode_commands(documented_example(), Limits().batch_bytes, back));
  expect_equal(back[1], ticks[1]);
}

TEST(ByteForms, TheDocumentsNumbersAreTrue) {
  const std::string document = read_file(SLUICE_SOURCE_DIR "/server/record/README.md");
  const auto says = [&document](const std::string& words) {
    EXPECT_NE(document.find(words), std::string::npos) << words;
  };
  says("Format version " + std::to_string(kFormatVersion) + ".");
  char id[16];
  std::snprintf(id, sizeof(id), "0x%llx", static_cast<unsigned long long>(kApplicationId));
  says(id);
  for (const Table& table : kTables) says("| `" + std::string(table.name) + "` |");
}

TEST(ByteForms, CommandsOfAnotherTickAreRefused) {
  const std::vector<TickRecord> ticks = random_ticks(5, 20, 0.7);
  Bytes blob;
  encode_commands(ticks, 3, blob);
  std::vector<TickRecord> fewer = without_commands(ticks);
  fewer.resize(3);
  const Status read = decode_commands(blob, Limits().batch_bytes, fewer);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error(), "holds a command of a tick outside its row");
}

TEST(ByteForms, ChunkListsComeBack) {
  using Values = std::vector<std::tuple<int, int, int, std::int64_t, std::int64_t>>;
  EXPECT_TRUE(rc::check("chunk list", [](const Values& values) {
    std::vector<ListedChunk> listed;
    for (const auto& [x, y, z, id, marks] : values) {
      const auto wake = static_cast<std::uint8_t>(id & sim::kWakeAll);
      listed.push_back({{x, y, z}, wake, id, marks});
    }
    Bytes blob;
    encode_chunk_list(listed, blob);
    const auto back = decode_chunk_list(blob, Limits().chunk_list_bytes);
    RC_ASSERT(back.ok());
    RC_ASSERT(back->size() == listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      RC_ASSERT((*back)[i].coord == listed[i].coord);
      RC_ASSERT((*back)[i].wake == listed[i].wake);
      RC_ASSERT((*back)[i].row_id == listed[i].row_id);
      RC_ASSERT((*back)[i].marks_row_id == listed[i].marks_row_id);
    }
  }));
}

TEST(ByteForms, ListsThatStateTooManyChunksAreRefused) {
  Bytes list;
  append_varint(std::uint64_t{1} << 40, list);
  Bytes blob;
  pack(list, 3, blob);
  EXPECT_FALSE(decode_chunk_list(blob, Limits().chunk_list_bytes).ok());
}

TEST(ByteForms, UnpackingKeepsItsLimit) {
  const Bytes zeros(1 << 20);
  Bytes packed;
  pack(zeros, 3, packed);
  EXPECT_LT(packed.size(), 200U);
  EXPECT_EQ(must(unpack(packed, zeros.size())), zeros);
  EXPECT_FALSE(unpack(packed, zeros.size() - 1).ok());
  EXPECT_FALSE(unpack({}, 10).ok());
  const Bytes unknown{std::byte{9}, std::byte{1}};
  EXPECT_NE(unpack(unknown, 10).error().find("unknown codec 9"), std::string::npos);
}

// A few bytes that claim two gigabytes must not get them, where the limit would allow it.
TEST(ByteForms, UnpackingBelievesASizeOnlyAsFarAsItsBytesGo) {
  constexpr std::size_t kLimit = std::size_t{1} << 31;
  Bytes claim{std::byte{1}};
  append_varint(0x7ffffffe, claim);
  claim.insert(claim.end(), 8, std::byte{0xff});
  EXPECT_EQ(unpack(claim, kLimit).error(), "states an impossible size");

  // Two blocks of a frame: 256 KiB are believed, one byte more is not.
  for (const std::uint64_t extra : {0U, 1U}) {
    Bytes edge{std::byte{1}};
    append_varint((std::uint64_t{1} << 18) + extra, edge);
    edge.insert(edge.end(), 8, std::byte{0xff});
    EXPECT_EQ(unpack(edge, kLimit).error() == "states an impossible size", extra == 1);
  }

  // The densest frame that there is, of one value over and over, is taken.
  const Bytes zeros(std::size_t{1} << 26);
  Bytes packed;
  pack(zeros, 6, packed);
  EXPECT_EQ(must(unpack(packed, kLimit)), zeros);
}

TEST(ByteForms, RowChecksumsSeeEveryPart) {
  const Bytes a{std::byte{1}, std::byte{2}};
  const Bytes b{std::byte{3}};
  const std::int64_t sum = row_checksum(7, a, b);
  EXPECT_NE(sum, row_checksum(8, a, b));
  EXPECT_NE(sum, row_checksum(7, b, a));
  EXPECT_NE(row_checksum(7, a, {}), row_checksum(7, {}, a));
}

}  // namespace
}  // namespace sluice::record::test::byte_forms_test
