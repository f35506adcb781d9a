// What the coding of a chunk by columns (column_coding.h) expects: the chances of its decisions,
// and how a column of water is foreseen. README.md says the same for other languages.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/base/cell.h"
#include "protocol/range_coder.h"
#include "protocol/row_coding.h"

namespace sluice::protocol {

/// Columns are 64 or 16 cells high: chunks of 64x64x1 and of 16x16x16.
inline constexpr int kMostColumnCells = 64;
inline constexpr int kLeastColumnCells = 16;
/// Cells that one decision calls unchanged.
inline constexpr int kGroupCells = 8;
/// Foreseen changes among which the one that did best of late is taken.
inline constexpr std::size_t kGuesses = 7;
inline constexpr std::int32_t kLargestMiss = 4096;
inline constexpr std::int32_t kFirstMiss = 64;
inline constexpr int kMissClasses = 12;
inline constexpr int kLengthClasses = 16;
/// More than a column can hold counts as so much: then no sum overflows.
inline constexpr std::int32_t kMostGained = 1 << 20;
static_assert(kMostGained > kMostColumnCells * kFull);
/// Differences are counted in steps of 2^0 to 2^12.
inline constexpr int kLargestStep = 12;

/// Every chance, in the order of kFirstChances.
struct ColumnChances {
  Chance coarse;
  std::array<Chance, 4> column;
  std::array<Chance, 32> group;
  std::array<Chance, 4> same;
  std::array<Chance, 256> changed;
  std::array<std::array<Chance, kMissClasses>, kGuesses> missed;
  /// By the guess, the sign of the cell's neighbour, that of the last rest: 0 none, 1 below 0, 2.
  std::array<std::array<std::array<Chance, 3>, 3>, kGuesses> negative;
  std::array<std::array<Chance, kLengthClasses>, kMissClasses> longer;
  std::array<Chance, kLengthClasses> second;
};
inline constexpr std::size_t kChances = sizeof(ColumnChances) / sizeof(Chance);

/// The chances at the start of a chunk of which nothing better was told (column_lessons.h), a
/// hexadecimal digit each: an index into kChanceLevels. They are what chunks of the worlds in
/// server/worlds/ and tests/scenes/ taught, in each of the water models. Another table is another
/// coding, with tags of its own.
inline constexpr std::string_view kFirstChances =
    "9b694e9ebeafbc27497c85484555341215361caa4f7f7f77777777777d7b7d78"
    "7670737077767775737478747c7b7c7c7c7d7c7c7f777f777777777775707270"
    "7070777773717372747076717a7876757b757b7a7ffffffff77777777f8ecdbe"
    "b91443332a785678320335162ebcacab5cccbccc9ffffffff777777777170235"
    "1022200556543454221113110b9c86774b68798a441222222234664433322211"
    "1877776733442765345333444a76775543453855542111124333332334556888"
    "7a878678a7997677aa7bc7ab77977a77977979a77a7887a97877887997767a88"
    "65697a659de7799976787998af777779879968878f777667879978788f777656"
    "779a99798f777655569a9987af77755455799889cf77733334579999af777222"
    "3346789aaf77722223345789af77721122334578af77711111223356af777799"
    "998a99998de7";
static_assert(kFirstChances.size() == kChances);
/// In 1/65536: how likely is "no".
inline constexpr std::array<std::uint16_t, 16> kChanceLevels = {
    256,   1024,  2731,  5461,  9830,  16384, 22938, 29491,
    36045, 42598, 49152, 55706, 60075, 62805, 64512, 65280};
/// Of how many decisions the first chances count as learnt.
inline constexpr std::uint8_t kFirstSeen = 3;

[[nodiscard]] const ColumnChances& first_chances();

/// A column's cells from the lowest up, with room to look beyond both ends.
struct Column {
  static constexpr int kMargin = 4;
  std::array<std::int32_t, kMostColumnCells + 2 * kMargin> values{};

  [[nodiscard]] std::int32_t operator[](int y) const { return values[index(y)]; }
  std::int32_t& operator[](int y) { return values[index(y)]; }
  /// Of a column so high, with what lies beyond its ends.
  void clear(int height) { std::fill_n(values.begin(), height + 2 * kMargin, 0); }

 private:
  static std::size_t index(int y) { return static_cast<std::size_t>(y + kMargin); }
};

/// How the water of a column would stand if each of its runs (cells between two solid ones) gained
/// what the runs at the same height gained in the column before.
struct Refill {
  std::array<std::int32_t, kMostColumnCells> cells;
  /// Of the cell's run: the lowest cell; the lowest that is not full (the run's end: all are).
  std::array<std::int8_t, kMostColumnCells> floor;
  std::array<std::int8_t, kMostColumnCells> surface;
};

/// `gained`: for each cell of the column before, the sum of its run's differences.
void foresee(const Column& baseline, int height, const Column& gained, Refill& refill);

}  // namespace sluice::protocol
