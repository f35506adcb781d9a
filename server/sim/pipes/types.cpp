#include "server/sim/pipes/types.h"

#include <bit>

#include "server/sim/limits.h"

namespace sluice::sim {

// slope < 2^62 / capacity and amount <= capacity, so that their product stays under 2^62.
static_assert(kMaxPipeHeight <= 1 << 29 && kMaxPipeCapacity <= 1 << 30);

PipeType PipeTypeRow::type() const {
  return {kind, static_cast<std::int32_t>(capacity), height,
          throughput == UINT32_MAX ? 0 : static_cast<std::int32_t>(throughput)};
}

std::uint64_t PipeTypeRow::unit_rise() const {
  return ((static_cast<std::uint64_t>(height) << 32) + capacity - 1) / capacity;
}

namespace {

PipeTypeRow row_of(const PipeType& type) {
  PipeTypeRow row;
  row.capacity = static_cast<std::uint32_t>(type.capacity);
  row.throughput = type.throughput == 0 ? UINT32_MAX : static_cast<std::uint32_t>(type.throughput);
  row.kind = type.kind;
  row.height = type.height;
  const auto height = static_cast<std::uint64_t>(type.height);
  row.shift = static_cast<std::uint8_t>(30 - std::bit_width(height));
  row.slope = (height << (32 + row.shift)) / row.capacity;
  return row;
}

}  // namespace

std::uint32_t PipeTypes::acquire(const PipeType& type) {
  if (last_ != UINT32_MAX && rows_[last_].users > 0 && rows_[last_].type() == type) {
    ++rows_[last_].users;
    return last_;
  }
  if (const auto found = numbers_.find(type); found != numbers_.end()) {
    last_ = found->second;
    ++rows_[last_].users;
    return last_;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(rows_.size()));
    rows_.emplace_back();
  }
  last_ = free_.back();
  free_.pop_back();
  rows_[last_] = row_of(type);
  rows_[last_].users = 1;
  numbers_.emplace(type, last_);
  return last_;
}

void PipeTypes::release(std::uint32_t number) {
  if (--rows_[number].users > 0) return;
  numbers_.erase(rows_[number].type());
  free_.push_back(number);
}

std::size_t PipeTypes::bytes() const {
  constexpr std::size_t kMapNode = sizeof(PipeType) + sizeof(std::uint32_t) + 40;
  return rows_.capacity() * sizeof(PipeTypeRow) + free_.capacity() * sizeof(std::uint32_t) +
         numbers_.size() * kMapNode;
}

}  // namespace sluice::sim
