// What nodes share: each combination of kind and measures is stored once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/base/pipes.h"

namespace sluice::sim {

struct PipeType {
  NodeKind kind = NodeKind::kPipe;
  std::int32_t capacity = 1;    // units
  std::int32_t height = 1;      // level units over which the capacity spreads
  std::int32_t throughput = 0;  // units a tick in, and out; 0: no limit

  friend auto operator<=>(const PipeType&, const PipeType&) = default;
};

/// A type as the inner loop wants it.
struct PipeTypeRow {
  /// Level (32 fractional bits) a unit, times 2^shift; as many bits as fit beside an amount.
  std::uint64_t slope = 0;
  std::uint32_t capacity = 0;
  std::uint32_t throughput = 0;  // UINT32_MAX: no limit
  std::uint32_t users = 0;       // nodes of this type
  std::uint8_t shift = 0;
  NodeKind kind = NodeKind::kPipe;
  std::int32_t height = 0;

  [[nodiscard]] PipeType type() const;
  /// Level units that one unit makes, with 32 fractional bits, rounded up.
  [[nodiscard]] std::uint64_t unit_rise() const;
};

/// Types by number; a number whose last node went is given out again.
class PipeTypes {
 public:
  /// The number of a type, with one more node that uses it.
  std::uint32_t acquire(const PipeType& type);
  void release(std::uint32_t number);
  [[nodiscard]] const PipeTypeRow& operator[](std::uint32_t number) const { return rows_[number]; }
  [[nodiscard]] const PipeTypeRow* data() const { return rows_.data(); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<PipeTypeRow> rows_;
  std::vector<std::uint32_t> free_;
  std::map<PipeType, std::uint32_t> numbers_;
  std::uint32_t last_ = UINT32_MAX;  // the type asked for last: most builds repeat it
};

}  // namespace sluice::sim
