// Random sections of pipe networks for property tests: all that the limits allow, in small.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "protocol/pipes.h"

namespace sluice::protocol {

inline constexpr ChunkShape kPipeSides = {6, 6, 0};

inline PipeKey any_key() {
  PipeKey key;
  if (*rc::gen::inRange(0, 3) != 0) {
    key.coord = {*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 3), 0};
  }
  key.part = *rc::gen::inRange<std::uint32_t>(0, 3);
  return key;
}

inline std::string any_name() {
  return *rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcxyz019_-.:/#@+"))));
}

/// Small numbers, and those at the ends.
inline std::int32_t any_amount() {
  return *rc::gen::weightedOneOf<std::int32_t>(
      {{8, rc::gen::inRange<std::int32_t>(0, 30000)},
       {1, rc::gen::just(std::numeric_limits<std::int32_t>::max())}});
}

inline std::int32_t any_value() {
  return *rc::gen::weightedOneOf<std::int32_t>(
      {{4, rc::gen::just(std::int32_t{0})},
       {8, rc::gen::inRange<std::int32_t>(-3000, 30000)},
       {1,
        rc::gen::elementOf(std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max(),
                                                     std::numeric_limits<std::int32_t>::min()})}});
}

inline PipePlan any_plan(const PipeKey& key) {
  PipePlan plan;
  const int nodes = key.block() == 0 ? *rc::gen::inRange(0, 12) : 0;
  int index = 0;
  for (int i = 0; i < nodes; ++i) {
    PipeNode node;
    node.index = static_cast<std::uint8_t>(index);
    index += *rc::gen::inRange(1, 20);
    node.kind = static_cast<NodeKind>(*rc::gen::inRange(0, 3));
    node.open = *rc::gen::inRange(0, 2) == 0;
    node.name = any_name().substr(0, kMaxPipeNameBytes);
    node.fluid = *rc::gen::elementOf(std::vector<std::string>{"water", "oil", "lava"});
    node.capacity = 1 + any_amount() / 2;
    node.height = any_amount();
    node.base = any_value();
    node.throughput = any_amount();
    if (node.kind == NodeKind::kPump) node.rate = any_amount();
    if (key.placed()) {
      node.at = kPipeSides.cell_at(key.coord, *rc::gen::inRange(0, kChunkCells));
    }
    plan.nodes.push_back(std::move(node));
  }
  const auto any_index = [] { return static_cast<std::uint8_t>(*rc::gen::inRange(0, 256)); };
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
    const PipeKey to = *rc::gen::inRange(0, 2) == 0 ? key.nodes() : any_key().nodes();
    plan.links.push_back({any_index(), {to, any_index()}, *rc::gen::inRange(0, 2) == 0});
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    plan.ports.push_back({any_index(),
                          static_cast<PortKind>(*rc::gen::inRange(0, 3)),
                          {any_value(), any_value(), any_value()},
                          any_amount()});
  }
  return plan;
}

inline std::vector<std::int32_t> any_values(const PipePlan& plan) {
  std::vector<std::int32_t> values(plan.value_count());
  for (std::int32_t& value : values) value = any_value();
  return values;
}

}  // namespace sluice::protocol
