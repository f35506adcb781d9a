// Goal: names of pipes are found and read back whatever was added, cleared and moved, and memory
// stays in proportion to what is there.
// Method: random changes beside a map, with text in blocks of few bytes and of the real size.
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/grow_ahead.h"
#include "server/sim/pipes/names.h"

namespace sluice::sim::pipe_names_test {
namespace {

using Model = std::map<std::uint32_t, std::string>;

void expect_same(const PipeNames& names, const Model& model) {
  for (const auto& [slot, name] : model) {
    RC_ASSERT(names.name(slot) == name);
    RC_ASSERT(names.find(name) == slot);
    RC_ASSERT(names.weight(slot) == PipeNames::weight_of(name));
  }
}

std::string random_name(std::uint32_t number) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 60);
  std::string name = std::to_string(number) + "/";
  name.resize(std::max(name.size(), size), 'x');
  return name;
}

/// What is left moves to the first slots, in another order.
void move_all(PipeNames& names, Model& model, std::uint32_t slots) {
  std::vector<std::uint32_t> to(slots, UINT32_MAX);
  Model moved;
  auto next = static_cast<std::uint32_t>(model.size());
  for (const auto& [slot, name] : model) {
    to[slot] = --next;
    moved[next] = name;
  }
  names.move(to, model.size());
  model = std::move(moved);
}

RC_GTEST_PROP(PipeNames, HoldWhatAMapHolds, ()) {
  PipeNames names(*rc::gen::element<std::size_t>(1, 80, 200, PipeNames::kBlockBytes));
  Model model;
  std::uint32_t slots = 0;
  const auto steps = *rc::gen::inRange(0, 600);
  for (int step = 0; step < steps; ++step) {
    const auto what = *rc::gen::inRange(0, 100);
    if (what < 55) {
      std::uint32_t slot = slots;
      for (std::uint32_t i = 0; i < slots && what < 25; ++i) {
        if (!model.contains(i)) slot = i;
      }
      slots = std::max(slots, slot + 1);
      model[slot] = random_name(static_cast<std::uint32_t>(step));
      RC_ASSERT(names.find(model[slot]) == UINT32_MAX);
      names.set(slot, model[slot]);
    } else if (what < 99 && !model.empty()) {
      auto gone = model.begin();
      std::advance(gone, *rc::gen::inRange<std::size_t>(0, model.size()));
      names.clear(gone->first);
      RC_ASSERT(names.name(gone->first).empty());
      RC_ASSERT(names.find(gone->second) == UINT32_MAX);
      model.erase(gone);
    } else if (what == 99) {
      move_all(names, model, slots);
      slots = static_cast<std::uint32_t>(model.size());
    }
  }
  expect_same(names, model);
  const PipeNames copy = names;
  expect_same(copy, model);
}

TEST(PipeNames, TextOfNamesThatWentIsUsedAgain) {
  constexpr std::uint32_t kPipes = 4096;
  PipeNames names;
  for (std::uint32_t slot = 0; slot < kPipes; ++slot) names.set(slot, "p" + std::to_string(slot));
  const std::size_t before = names.bytes();
  for (std::uint32_t round = 1; round <= 50; ++round) {
    for (std::uint32_t slot = 0; slot < kPipes; ++slot) {
      names.clear(slot);
      names.set(slot, "p" + std::to_string(slot + round * kPipes));
    }
  }
  EXPECT_LT(names.bytes(), 3 * before);
}

TEST(GrowAhead, TablesDoubleWhileTheyAreSmallAndMoveOnlyOnceAfterwards) {
  constexpr std::size_t kDoubling = 4;
  constexpr std::size_t kMost = 1000;
  std::vector<int> table;
  int moved = 0;
  for (std::size_t i = 0; i < kMost; ++i) {
    const int* before = table.data();
    grow_ahead(table, table.size() + 1, kMost, kDoubling);
    table.push_back(0);
    moved += i > kDoubling && table.data() != before ? 1 : 0;
    EXPECT_LE(table.capacity(), i < kDoubling ? kDoubling : kMost);
  }
  EXPECT_EQ(moved, 0);
  grow_ahead(table, kMost + 1, kMost, kDoubling);  // no room is made beyond
  EXPECT_EQ(table.capacity(), kMost);
}

}  // namespace
}  // namespace sluice::sim::pipe_names_test
