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
inline constexpr std::size_t kGuesses = 6;
inline constexpr std::int32_t kLargestMiss = 4096;
inline constexpr std::int32_t kFirstMiss = 64;
inline constexpr int kMissClasses = 12;
inline constexpr int kLengthClasses = 16;
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
  std::array<Chance, 3> negative;
  std::array<std::array<Chance, kLengthClasses>, kMissClasses> longer;
  std::array<Chance, kLengthClasses> second;
};
inline constexpr std::size_t kChances = sizeof(ColumnChances) / sizeof(Chance);

/// The chances at the start of a chunk, a hexadecimal digit each: an index into kChanceLevels. They
/// are what chunks of the worlds in server/worlds/ taught, in each of the water models. Another
/// table is another coding, with tags of its own.
inline constexpr std::string_view kFirstChances =
    "6da74e8ebcafbb26589a96494556330217362ca73f7e7e7b777777777d757c78"
    "7275707478767878747377737c7a7c7d7c7b7b7c7f7a77777777777771707070"
    "7272777472727373747078717a7874757b737a757fffeeff977777777f7dccbe"
    "b12221252a99a779830336262facab9a4cabcacb6ffff7777777777779242224"
    "1111076226754355320113220b8b86763a677897371122222334574433333200"
    "2a889a92011217455420012226654621322429544322222238977b9964566c77"
    "8c777999867579845e777679879779995c77766888a868777e77765678998897"
    "8d777644579989858e77765445777899ae777222234689989e77721122346799"
    "adc7711112235689af77700111233568bf77700011123456bfa7779999989999"
    "9ec7";
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
