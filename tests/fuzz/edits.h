// What a fuzzer does to bytes that were whole: so it starts behind magic numbers, lengths and
// headers, and needs no corpus that grows old with the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::tests {

/// Each edit takes four bytes of `plan`: what to do, a place (16 bits, scaled to the size), a
/// value. At most 64 of them.
inline void apply_edits(std::span<const std::uint8_t> plan, std::vector<std::byte>& bytes) {
  constexpr std::size_t kMostEdits = 64;
  for (std::size_t i = 0; i + 4 <= plan.size() && i < 4 * kMostEdits && !bytes.empty(); i += 4) {
    const std::size_t share = plan[i + 1] + std::size_t{256} * plan[i + 2];
    const std::size_t at = share * bytes.size() / 65536;
    const auto value = static_cast<std::byte>(plan[i + 3]);
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (plan[i] % 4) {
      case 0:
        *place = value;
        break;
      case 1:
        *place ^= value;
        break;
      case 2:
        bytes.insert(place, value);
        break;
      default:
        bytes.erase(place);
        break;
    }
  }
}

}  // namespace sluice::tests
