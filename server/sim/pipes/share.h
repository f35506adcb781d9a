// Division of whole units in proportion, in a way that no order can influence.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::sim {

/// Divides `units` in proportion to `weights` (none negative, each below 2^31), giving nobody more
/// than its `most`. Units left over by rounding go to the largest remainders; where several with
/// equal remainder and weight are left with fewer units than they are, none of them gets one. The
/// sum may thus fall short of `units` by a few.
[[nodiscard]] std::vector<std::int64_t> share_out(std::int64_t units,
                                                  const std::vector<std::int64_t>& weights,
                                                  const std::vector<std::int64_t>& most);

}  // namespace sluice::sim
