#include "server/sim/models/hydro/push.h"

#include <algorithm>
#include <set>

namespace sluice::sim::hydro {

namespace {

/// Strengths are flows in Q16 of a link in the middle. With the greatest weight and distance they
/// stay within 64 bits.
constexpr Q16 kStrongest = std::int64_t{1} << 40;

class Pushed {
 public:
  Pushed(Columns& columns, const WaterPush& push, std::int32_t first)
      : columns_(columns), push_(push) {
    // Grows as it is gone through.
    std::vector<std::int32_t> reached = {first};
    std::set<std::int32_t> seen = {first};
    std::set<std::int32_t> links;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::int32_t id : columns_.run(reached[i]).links) {
        if (!joins(columns_.link(id))) continue;
        if (links.insert(id).second) list(id);
        const std::int32_t other = columns_.link(id).other(reached[i]);
        if (within(columns_.run(other)) && seen.insert(other).second) reached.push_back(other);
      }
    }
  }

  std::vector<std::int32_t> give(std::vector<std::int32_t>& woken) {
    std::vector<std::int32_t> changed;
    const std::int64_t most = energy(0) + push_.energy;
    Q16 strength = 0;
    // What it adds at some strength is looked at, not worked out: water may flow already.
    for (Q16 bit = kStrongest / 2; bit > 0; bit /= 2) {
      if (energy(strength + bit) <= most) strength += bit;
    }
    for (const One& one : links_) {
      HydroLinkState state = columns_.state_of_link(one.link);
      const Q16 flow = flow_at(one, strength);
      if (flow == state.flow) continue;
      state.flow = flow;
      columns_.store_link(one.link, state);
      changed.push_back(one.link);
      for (const std::int32_t id : {columns_.link(one.link).low, columns_.link(one.link).high}) {
        columns_.run(id).event = true;
        woken.push_back(id);
      }
    }
    return changed;
  }

 private:
  struct One {
    std::int32_t link;
    std::int64_t pull;  // of the strength, over the greatest
    Units depth;
    Q16 before;
  };

  /// Whether a wave goes through: water stands in the opening on both sides, with air over it.
  [[nodiscard]] bool joins(const Link& link) {
    const Run& low = columns_.run(link.low);
    const Run& high = columns_.run(link.high);
    for (const Run* const run : {&low, &high}) {
      if (!run->wet() || run->volume >= run->capacity()) return false;
    }
    return std::min(low.level(), high.level()) > link.sill();
  }
  [[nodiscard]] bool within(const Run& run) const {
    const std::int64_t x = run.x - push_.at.x;
    const std::int64_t z = run.z - push_.at.z;
    return x * x + z * z <= std::int64_t{push_.radius} * push_.radius;
  }

  void list(std::int32_t id) {
    const Link& link = columns_.link(id);
    const Run& low = columns_.run(link.low);
    const Run& high = columns_.run(link.high);
    // Of the link's middle, in half columns.
    const std::int64_t x = 2 * (low.x - push_.at.x) + (link.along_z ? 0 : 1);
    const std::int64_t z = 2 * (low.z - push_.at.z) + (link.along_z ? 1 : 0);
    const std::int64_t weight = std::max<std::int64_t>(0, reach() * reach() - x * x - z * z);
    const std::int64_t outwards = weight * (link.along_z ? z : x);
    const std::int64_t aside = link.along_z ? 0 : weight * reach() * push_.direction;
    const std::int64_t pull = push_.direction == 0 ? outwards : aside;
    if (pull == 0) return;
    const Units depth = std::min(std::max(low.level(), high.level()) - link.sill(), link.opening());
    links_.push_back({id, pull, depth, columns_.state_of_link(id).flow});
  }

  /// Never faster than water may be made to flow, or flowed already.
  [[nodiscard]] Q16 flow_at(const One& one, Q16 strength) const {
    const Q16 most = std::max(fastest_push(one.depth), absolute(one.before));
    return std::clamp(one.before + strength * one.pull / (reach() * reach() * reach()), -most,
                      most);
  }
  [[nodiscard]] std::int64_t energy(Q16 strength) const {
    std::int64_t sum = 0;
    for (const One& one : links_) {
      const Q16 flow = std::min(absolute(flow_at(one, strength)), fastest_push(one.depth));
      sum += energy_of_flow(flow, one.depth);
    }
    return sum;
  }
  /// The radius and a column, in half columns.
  [[nodiscard]] std::int64_t reach() const { return 2 * (std::int64_t{push_.radius} + 1); }

  Columns& columns_;
  const WaterPush& push_;
  std::vector<One> links_;
};

}  // namespace

std::vector<std::int32_t> give_push(Columns& columns, const WaterPush& push,
                                    std::vector<std::int32_t>& woken) {
  const std::int32_t first = columns.run_at(push.at);
  if (first == kNone) return {};
  return Pushed(columns, push, first).give(woken);
}

}  // namespace sluice::sim::hydro
