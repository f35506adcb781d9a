#include "server/sim/pipes/share.h"

#include <algorithm>
#include <tuple>

#include "server/sim/int_math.h"

namespace sluice::sim {

std::vector<std::int64_t> share_out(std::int64_t units, const std::vector<std::int64_t>& weights,
                                    const std::vector<std::int64_t>& most) {
  std::vector<std::int64_t> shares(weights.size());
  std::int64_t total = 0;
  for (const std::int64_t weight : weights) total += weight;
  if (total <= 0) return shares;
  units = std::min(units, total);
  struct Candidate {
    std::int64_t remainder = 0;
    std::int64_t weight = 0;
    std::size_t index = 0;
  };
  std::vector<Candidate> candidates;
  std::int64_t left = units;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // units < 2^31 or weight = units; both products fit 63 bits.
    const std::int64_t product = units * weights[i];
    shares[i] = std::min(product / total, most[i]);
    left -= shares[i];
    if (shares[i] < most[i]) candidates.push_back({product % total, weights[i], i});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.remainder, b.weight) < std::tie(a.remainder, a.weight);
  });
  for (std::size_t from = 0; from < candidates.size() && left > 0;) {
    std::size_t to = from + 1;
    while (to < candidates.size() && candidates[to].remainder == candidates[from].remainder &&
           candidates[to].weight == candidates[from].weight) {
      ++to;
    }
    const auto group = static_cast<std::int64_t>(to - from);
    if (candidates[from].remainder == 0) break;
    if (group <= left) {
      for (std::size_t i = from; i < to; ++i) ++shares[candidates[i].index];
      left -= group;
    }
    from = to;
  }
  return shares;
}

}  // namespace sluice::sim
