#include "server/sim/pipes/body.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "server/sim/int_math.h"

namespace sluice::sim {

namespace {

/// Units of a node whose own place in the pile lies at or below `surface`. The place of a node's
/// n-th unit is base + (n - 1/2) * height / capacity: where its middle comes to lie.
std::int32_t units_below(const BodyNode& node, Level surface) {
  const Level bottom = Level{node.base} << kLevelFraction;
  if (surface <= bottom) return 0;
  const auto depth = static_cast<std::uint64_t>(surface - bottom);
  const auto height = static_cast<std::uint32_t>(node.height);
  if (depth >= std::uint64_t{height} << kLevelFraction) return node.capacity;
  const std::uint64_t units =
      multiply_divide(depth, static_cast<std::uint32_t>(node.capacity), height);
  const std::uint64_t rounded =
      (units + (std::uint64_t{1} << (kLevelFraction - 1))) >> kLevelFraction;
  return static_cast<std::int32_t>(std::min(rounded, static_cast<std::uint64_t>(node.capacity)));
}

/// Equal nodes are counted once.
struct Group {
  BodyNode node;
  std::int64_t count = 0;
};

std::vector<Group> group_equal(const std::vector<BodyNode>& nodes) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int64_t> counts;
  auto last = counts.end();
  for (const BodyNode& node : nodes) {
    const std::tuple key(node.base, node.height, node.capacity);
    if (last == counts.end() || last->first != key) last = counts.try_emplace(key, 0).first;
    ++last->second;
  }
  std::vector<Group> groups;
  for (const auto& [key, count] : counts) {
    groups.push_back({{std::get<0>(key), std::get<1>(key), std::get<2>(key), 0}, count});
  }
  return groups;
}

}  // namespace

BodyFilling fill_body(const std::vector<BodyNode>& nodes) {
  const std::vector<Group> groups = group_equal(nodes);
  std::int64_t total = 0;
  Level low = INT64_MAX;
  Level high = INT64_MIN;
  for (const BodyNode& node : nodes) {
    total += node.amount;
    low = std::min(low, Level{node.base} << kLevelFraction);
    high = std::max(high, (Level{node.base} + node.height) << kLevelFraction);
  }
  const auto below = [&](Level surface) {
    std::int64_t units = 0;
    for (const Group& group : groups) units += group.count * units_below(group.node, surface);
    return units;
  };
  while (low < high) {  // the lowest surface below which all units have their places
    const Level middle = low + (high - low) / 2;
    if (below(middle) >= total)
      high = middle;
    else
      low = middle + 1;
  }
  BodyFilling filling;
  filling.surface = low;
  filling.least.resize(nodes.size());
  filling.may_have_more.resize(nodes.size());
  filling.extra = total;
  std::int64_t candidates = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    filling.least[i] = units_below(nodes[i], low - 1);
    filling.may_have_more[i] = units_below(nodes[i], low) > filling.least[i] ? 1 : 0;
    filling.extra -= filling.least[i];
    candidates += filling.may_have_more[i];
  }
  filling.undecided = filling.extra < candidates;
  return filling;
}

std::vector<std::vector<std::size_t>> BodyLinks::parts() const {
  std::vector<std::vector<std::size_t>> parts;
  std::vector<bool> seen(next_.size());
  for (std::size_t start = 0; start < next_.size(); ++start) {
    if (seen[start]) continue;
    seen[start] = true;
    std::vector<std::size_t> part = {start};
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (const std::size_t other : next_[part[i]]) {
        if (seen[other]) continue;
        seen[other] = true;
        part.push_back(other);
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

namespace {

/// Rounds in which each node's colour takes in its neighbours' (Weisfeiler and Leman 1968).
constexpr int kColourRounds = 8;

/// Links from the nearest of the fullest nodes.
std::vector<std::uint32_t> distances(const std::vector<std::int64_t>& excess,
                                     const BodyLinks& links) {
  const std::int64_t most = *std::max_element(excess.begin(), excess.end());
  std::vector<std::uint32_t> distance(excess.size(), UINT32_MAX);
  std::vector<std::size_t> reached;
  for (std::size_t i = 0; i < excess.size(); ++i) {
    if (excess[i] != most) continue;
    distance[i] = 0;
    reached.push_back(i);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::size_t other : links.of(reached[i])) {
      if (distance[other] != UINT32_MAX) continue;
      distance[other] = distance[reached[i]] + 1;
      reached.push_back(other);
    }
  }
  return distance;
}

std::vector<Digest> colours(const std::vector<BodyNode>& nodes,
                            const std::vector<std::uint32_t>& distance, const BodyLinks& links,
                            const std::vector<BodyTraits>& traits) {
  std::vector<Digest> colour(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 at = traits[i].place;
    for (const std::int64_t value :
         {std::int64_t{nodes[i].base}, std::int64_t{nodes[i].height},
          std::int64_t{nodes[i].capacity}, std::int64_t{nodes[i].amount}, std::int64_t{at.x},
          std::int64_t{at.y}, std::int64_t{at.z}, std::int64_t{distance[i]}}) {
      colour[i] = combine(colour[i], static_cast<std::uint64_t>(value));
    }
    colour[i] = combine(colour[i], traits[i].kind);
  }
  for (int round = 0; round < kColourRounds; ++round) {
    std::vector<Digest> next(colour.size());
    for (std::size_t i = 0; i < colour.size(); ++i) {
      Digest around = 0;  // a sum: the order of links means nothing
      for (const std::size_t other : links.of(i)) around += mix64(colour[other]);
      next[i] = combine(colour[i], around);
    }
    colour = std::move(next);
  }
  return colour;
}

/// Who comes first when units are handed out, and who cannot be told apart.
struct Claim {
  std::int64_t excess = 0;  // units held beyond the least
  std::uint32_t distance = 0;
  Vec3 place;
  Digest colour = 0;
  std::size_t index = 0;

  [[nodiscard]] bool same(const Claim& other) const {
    return excess == other.excess && distance == other.distance && place == other.place &&
           colour == other.colour;
  }
  bool operator<(const Claim& other) const {
    if (excess != other.excess) return excess > other.excess;
    if (distance != other.distance) return distance < other.distance;
    if (place != other.place) return place < other.place;
    return colour < other.colour;
  }
};

std::vector<std::int32_t> amounts_of(const std::vector<BodyNode>& nodes) {
  std::vector<std::int32_t> amounts;
  for (const BodyNode& node : nodes) amounts.push_back(node.amount);
  return amounts;
}

/// Claims that nothing tells apart: they get the same.
struct Claimants {
  std::vector<std::size_t> nodes;
  bool may_have_more = false;
  std::int32_t extra = 0;  // units each

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(nodes.size()); }
};

std::vector<Claimants> group_claims(std::vector<Claim> claims, const BodyFilling& filling) {
  std::sort(claims.begin(), claims.end());
  std::vector<Claimants> groups;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (i == 0 || !claims[i].same(claims[i - 1])) {
      groups.push_back({{}, filling.may_have_more[claims[i].index] != 0, 0});
    }
    groups.back().nodes.push_back(claims[i].index);
  }
  return groups;
}

/// Goes through the groups in their order. A group whose nodes may have a unit more gets one for
/// each of them, if that many units are left; otherwise it gets none. True when no unit is left
/// over.
bool hand_out_in_order(std::vector<Claimants>& groups, std::int64_t units) {
  for (Claimants& group : groups) {
    group.extra = group.may_have_more && group.count() <= units ? 1 : 0;
    units -= group.extra * group.count();
  }
  return units == 0;
}

/// The cheapest way to give each group none, one or two units each and be left with nothing: so all
/// stand within two units, if sizes allow that at all. False when they do not, or the search would
/// be too long.
bool hand_out_exactly(std::vector<Claimants>& groups, std::int64_t units) {
  constexpr std::size_t kLongestSearch = std::size_t{1} << 22;
  const auto rows = static_cast<std::size_t>(units) + 1;
  if (groups.size() > kLongestSearch / rows) return false;
  constexpr std::int64_t kNoWay = INT64_MAX;
  std::vector<std::int64_t> cost(rows, kNoWay);  // by units given so far
  std::vector<std::uint8_t> choice(groups.size() * rows);
  cost[0] = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::int64_t> next(rows, kNoWay);
    const auto size = static_cast<std::size_t>(groups[g].count());
    for (std::size_t each = 0; each <= (groups[g].may_have_more ? 2U : 0U); ++each) {
      for (std::size_t given = 0; given + each * size < rows; ++given) {
        if (cost[given] == kNoWay) continue;
        const std::int64_t sum = cost[given] + static_cast<std::int64_t>(each * each * size);
        if (sum >= next[given + each * size]) continue;
        next[given + each * size] = sum;
        choice[g * rows + given + each * size] = static_cast<std::uint8_t>(each);
      }
    }
    cost = std::move(next);
  }
  if (cost.back() == kNoWay) return false;
  std::size_t given = rows - 1;
  for (std::size_t g = groups.size(); g-- > 0;) {
    groups[g].extra = choice[g * rows + given];
    given -= static_cast<std::size_t>(groups[g].extra * groups[g].count());
  }
  return true;
}

/// What those that are alike cannot share stays with the fullest.
bool leave_with_donors(std::vector<Claimants>& groups, std::int64_t units,
                       const std::vector<std::int32_t>& room) {
  hand_out_in_order(groups, units);
  for (const Claimants& group : groups) units -= group.extra * group.count();
  for (Claimants& group : groups) {
    std::int64_t each = units / group.count();
    for (const std::size_t node : group.nodes) {
      each = std::min(each, std::int64_t{room[node]} - group.extra);
    }
    group.extra += static_cast<std::int32_t>(each);
    units -= each * group.count();
  }
  return units == 0;
}

}  // namespace

std::vector<std::int32_t> decide_filling(const std::vector<BodyNode>& nodes,
                                         const BodyFilling& filling, const BodyLinks& links,
                                         const std::vector<BodyTraits>& traits) {
  std::vector<std::int32_t> amounts = filling.least;
  if (!filling.undecided) {
    for (std::size_t i = 0; i < amounts.size(); ++i) amounts[i] += filling.may_have_more[i];
    return amounts;
  }
  std::vector<std::int64_t> excess(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    excess[i] = std::int64_t{nodes[i].amount} - filling.least[i];
  }
  const std::vector<std::uint32_t> distance = distances(excess, links);
  const std::vector<Digest> colour = colours(nodes, distance, links, traits);
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    claims.push_back({excess[i], distance[i], traits[i].place, colour[i], i});
  }
  std::vector<Claimants> groups = group_claims(std::move(claims), filling);
  std::vector<std::int32_t> room(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) room[i] = nodes[i].capacity - filling.least[i];
  if (!hand_out_in_order(groups, filling.extra) && !hand_out_exactly(groups, filling.extra) &&
      !leave_with_donors(groups, filling.extra, room)) {
    return amounts_of(nodes);
  }
  for (const Claimants& group : groups) {
    for (const std::size_t node : group.nodes) {
      if (group.extra > room[node]) return amounts_of(nodes);
      amounts[node] += group.extra;
    }
  }
  return amounts;
}

}  // namespace sluice::sim
