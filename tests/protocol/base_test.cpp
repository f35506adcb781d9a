#include <gtest/gtest.h>

#include "protocol/base/geometry.h"
#include "protocol/base/varint.h"

namespace sluice::base_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::optional<std::uint64_t> read(const Bytes& bytes) {
  std::size_t offset = 0;
  const auto value = read_varint<std::uint64_t>(std::span<const std::uint8_t>(bytes), offset);
  EXPECT_EQ(offset, value ? bytes.size() : 0);
  return value;
}

TEST(Varint, HoldsUpToSixtyFourBits) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 62, UINT64_MAX}) {
    Bytes bytes;
    append_varint(value, bytes);
    EXPECT_EQ(read(bytes), value);
  }
  Bytes most(9, 0xff);
  most.push_back(1);
  EXPECT_EQ(read(most), UINT64_MAX);
  most.back() = 2;
  EXPECT_FALSE(read(most).has_value());
  most.back() = 0x80;
  most.push_back(0);
  EXPECT_FALSE(read(most).has_value());
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
}

TEST(ChunkShape, IsValidWhenItMakesChunksOfTheirSize) {
  EXPECT_TRUE(kSideViewShape.valid());
  EXPECT_TRUE(kSolidShape.valid());
  EXPECT_TRUE((ChunkShape{12, 0, 0}.valid()));
  EXPECT_FALSE((ChunkShape{6, 6, 1}.valid()));
  EXPECT_FALSE((ChunkShape{13, -1, 0}.valid()));
  EXPECT_FALSE((ChunkShape{255, 255, 255}.valid()));
}

// The coordinates of a message may be anybody's.
TEST(ChunkShape, PlacesOfChunksWrap) {
  EXPECT_EQ(kSideViewShape.origin({INT32_MIN, INT32_MAX, 3}), (Vec3{0, -64, 3}));
  EXPECT_EQ(kSolidShape.cell_at({-1, 0, 1}, 4095), (Vec3{-1, 15, 31}));
  for (const std::int32_t index : {0, 1, 63, 64, 4095}) {
    EXPECT_EQ(kSideViewShape.index_of(kSideViewShape.cell_at({5, -7, 0}, index)), index);
  }
}

}  // namespace
}  // namespace sluice::base_test
