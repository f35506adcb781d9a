#include "server/sim/models/hydro/elimination.h"

#include <utility>

#include "server/sim/int_math.h"

namespace sluice::sim::hydro {

namespace {

constexpr int kPartBits = 30;

/// value * part, toward zero; the part is at most one, in Q30.
std::int64_t part_of(std::int64_t value, std::uint32_t part) {
  const auto size = static_cast<std::uint64_t>(absolute(value));
  const auto product = static_cast<std::int64_t>(((size >> 32) * part << (32 - kPartBits)) +
                                                 ((size & 0xffffffffU) * part >> kPartBits));
  return value < 0 ? -product : product;
}

/// Of a diagonal, Q32.
std::int64_t passed_on(Q16 conductance, std::uint32_t part) {
  return conductance * part >> (kPartBits - 16);
}

}  // namespace

void Elimination::look_at(std::int32_t run, std::span<const Joined> joined) {
  Node& node = nodes_[static_cast<std::size_t>(run)];
  std::int64_t diagonal = node.diagonal;
  Step step;
  step.run = run;
  if (node.ways == 1) {
    const Joined& way = joined[static_cast<std::size_t>(node.way)];
    step.beside = way.low == run ? way.high : way.low;
    const Node& beside = nodes_[static_cast<std::size_t>(step.beside)];
    const bool pair = beside.ways == 1;
    step.kind = pair ? Kind::kPair : Kind::kLeaf;
    // Of a pair, what the other one passes on.
    const Node& gone = pair ? beside : node;
    const auto above = static_cast<std::uint64_t>(way.conductance) << (16 + kPartBits);
    step.part = static_cast<std::uint32_t>(above / static_cast<std::uint64_t>(gone.diagonal));
    if (pair) diagonal -= passed_on(way.conductance, step.part);
  }
  node.inverse = UINT64_MAX / static_cast<std::uint64_t>(diagonal) << 16;
  steps_.push_back(step);
}

bool Elimination::prepare(std::span<const Joined> joined, std::span<const Q16> diagonal) {
  nodes_.assign(diagonal.size(), {});
  for (std::size_t i = 0; i < diagonal.size(); ++i) nodes_[i].diagonal = diagonal[i] << 16;
  for (std::size_t w = 0; w < joined.size(); ++w) {
    for (const std::int32_t run : {joined[w].low, joined[w].high}) {
      Node& node = nodes_[static_cast<std::size_t>(run)];
      ++node.ways;
      node.way ^= static_cast<std::int32_t>(w);
    }
  }
  steps_.clear();
  leaves_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].ways <= 1) leaves_.push_back(static_cast<std::int32_t>(i));
  }
  while (!leaves_.empty()) {
    const std::size_t first = steps_.size();
    for (const std::int32_t run : leaves_) look_at(run, joined);
    next_.clear();
    for (std::size_t i = first; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.kind != Kind::kLeaf) continue;
      const std::int32_t way = nodes_[static_cast<std::size_t>(step.run)].way;
      Node& beside = nodes_[static_cast<std::size_t>(step.beside)];
      const Q16 conductance = joined[static_cast<std::size_t>(way)].conductance;
      beside.diagonal -= passed_on(conductance, step.part);
      beside.way ^= way;
      --beside.ways;
      // It is looked at when all the leaves of this round are gone: the last of its ways, too, may
      // go with them.
      if (beside.ways == 1) next_.push_back(step.beside);
    }
    std::swap(leaves_, next_);
  }
  return steps_.size() == nodes_.size();
}

std::int64_t Elimination::quotient_of(std::int64_t rest, std::int32_t run) const {
  constexpr std::uint64_t kFits = std::uint64_t{1} << 48;
  const auto size = static_cast<std::uint64_t>(absolute(rest));
  const std::uint64_t inverse = nodes_[static_cast<std::size_t>(run)].inverse;
  const auto result = static_cast<std::int64_t>(size < kFits ? multiply_high(size << 16, inverse)
                                                             : multiply_high(size, inverse) << 16);
  return rest < 0 ? -result : result;
}

void Elimination::solve(std::span<const std::int64_t> rest, std::vector<std::int64_t>& correction) {
  rest_.assign(rest.begin(), rest.end());
  correction.resize(rest.size());
  for (const Step& step : steps_) {
    if (step.kind != Kind::kLeaf) continue;
    rest_[static_cast<std::size_t>(step.beside)] +=
        part_of(rest_[static_cast<std::size_t>(step.run)], step.part);
  }
  for (std::size_t i = steps_.size(); i > 0; --i) {
    const Step& step = steps_[i - 1];
    const auto run = static_cast<std::size_t>(step.run);
    std::int64_t& found = correction[run];
    if (step.kind == Kind::kPair) {
      const std::int64_t both =
          rest_[run] + part_of(rest_[static_cast<std::size_t>(step.beside)], step.part);
      found = quotient_of(both, step.run);
    } else {
      found = quotient_of(rest_[run], step.run);
    }
    if (step.kind == Kind::kLeaf) {
      found += part_of(correction[static_cast<std::size_t>(step.beside)], step.part);
    }
  }
}

}  // namespace sluice::sim::hydro
