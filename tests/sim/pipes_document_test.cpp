// Goal: the table of what a line of pipes lets through, in server/sim/pipes/pipes.md, is true.
// Method: each row's line is built between a lake and a sea, run until what comes out is steady,
// and the row that follows from it is looked for in the document.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/drawn_world.h"

namespace sluice::tests::pipes_document_test {
namespace {

sim::PipeNode node(const std::string& name, std::int32_t base, std::int32_t amount,
                   std::int32_t capacity, std::int32_t height) {
  sim::PipeNode made;
  made.fields.name = name;
  made.fields.base = base;
  made.fields.amount = amount;
  made.fields.capacity = capacity;
  made.fields.height = height;
  return made;
}

/// Units a tick that reach the sea. The lake stands at level 10,000, the sea far below the line.
std::int64_t throughput(int pipes, bool pump) {
  sim::WorldSpec spec;
  spec.config.size = {1, 1, 1};
  // So large that neither's level moves by a unit while this runs.
  spec.pipes.push_back(node("lake", 9999, 1 << 29, sim::kMaxPipeCapacity, 2));
  std::string last = "lake";
  const auto join = [&](sim::PipeNode next) {
    spec.pipe_links.push_back({last, next.fields.name, false});
    last = next.fields.name;
    spec.pipes.push_back(std::move(next));
  };
  for (int i = 0; i < pipes; ++i) {
    if (pump && i == pipes / 2) {
      sim::PipeNode middle = node("pump", 0, 0, 20000, 10000);
      middle.kind = NodeKind::kPump;
      middle.rate = 4000;
      join(std::move(middle));
    }
    join(node("p" + std::to_string(i), 0, 0, 20000, 10000));
  }
  join(node("sea", -(1 << 28), 0, sim::kMaxPipeCapacity, 2));
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  const auto sea = *world->pipes().find("sea");
  const auto run = [&](int ticks) {
    const std::int32_t before = world->pipes().amount(sea);
    for (int tick = 0; tick < ticks; ++tick) (void)world->tick({}, serial);
    return (world->pipes().amount(*world->pipes().find("sea")) - before) / ticks;
  };
  std::int64_t units = -1;
  for (std::int64_t before = -2; units != before || units == 0;) {
    before = units;
    units = run(20000);
  }
  return units;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() > 3) digits.insert(digits.size() - 3, ",");
  return digits;
}

TEST(PipesDocument, TheTableOfThroughputIsTrue) {
  std::ifstream file(SLUICE_SOURCE_DIR "/server/sim/pipes/pipes.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const int pipes : {2, 5, 10, 20, 40, 80, 160}) {
    const std::string row = "| " + std::to_string(pipes) + " | " +
                            grouped(throughput(pipes, false)) + " | " +
                            grouped(throughput(pipes, true)) + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace sluice::tests::pipes_document_test
