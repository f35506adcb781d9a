// Goal: each key that puts something into a cell takes it away again; whatever it sends is a
// command that the server reads.
#include "client_stub/placing.h"

#include <gtest/gtest.h>

#include "server/formats/script.h"
#include "tests/client_stub/mirrors.h"

namespace sluice::client::placing_test {
namespace {

protocol::Mirror world_with(const std::vector<std::string>& layers) {
  return mirror_of([](protocol::ChunkCells& cells) { cells[70] = kFull; }, layers);
}

std::string line_of_key(char key, const Fixtures& fixtures, const Mixture& mixture = {}) {
  EXPECT_TRUE(is_placed_by(key));
  const Act act = place(key, {6, 1, 0}, world_with({"temperature"}), fixtures, mixture);
  EXPECT_FALSE(act.said.empty());
  EXPECT_EQ(act.commands.size(), 1U);
  const auto parsed = formats::parse_command(act.commands.at(0), "key");
  EXPECT_TRUE(parsed.ok()) << parsed.error();
  return act.commands.at(0);
}

TEST(Placing, TheSameKeyTakesAway) {
  EXPECT_EQ(line_of_key('g', {}), R"({"cmd":"add_source","at":[6,1,0],"rate":512})");
  EXPECT_EQ(line_of_key('U', {}), R"({"cmd":"add_drain","at":[6,1,0],"rate":512})");
  EXPECT_EQ(line_of_key('H', {}), R"({"cmd":"add_heater","at":[6,1,0],"rate":200000})");
  EXPECT_EQ(line_of_key('J', {}), R"({"cmd":"add_heater","at":[6,1,0],"rate":-200000})");
  Fixtures there;
  there.sources = there.drains = there.heaters = {{{6, 1, 0}, 7}};
  EXPECT_EQ(line_of_key('g', there), R"({"cmd":"remove_source","at":[6,1,0]})");
  EXPECT_EQ(line_of_key('U', there), R"({"cmd":"remove_drain","at":[6,1,0]})");
  EXPECT_EQ(line_of_key('H', there), R"({"cmd":"remove_heater","at":[6,1,0]})");
  EXPECT_EQ(line_of_key('J', there), R"({"cmd":"remove_heater","at":[6,1,0]})");
}

TEST(Placing, SpringsBringWhatIsMixed) {
  EXPECT_EQ(line_of_key('g', {}, {"red", {}}),
            R"({"cmd":"add_source","at":[6,1,0],"rate":512,"tracer":{"red":2048}})");
  EXPECT_EQ(line_of_key('g', {}, {"", 20480}),
            R"({"cmd":"add_source","at":[6,1,0],"rate":512,"temperature":20480})");
}

TEST(Placing, LevelsAreTheTopOfTheCell) {
  EXPECT_EQ(line_of_key('F', {}), R"({"cmd":"fill_level","at":[6,1,0],"level":8192})");
  EXPECT_EQ(line_of_key('V', {}), R"({"cmd":"evaporate_level","at":[6,1,0],"level":8192})");
}

TEST(Placing, AirIsKeptFromTheCellUp) {
  EXPECT_EQ(line_of_key('*', {}), R"({"cmd":"trap_air","at":[6,1,0],"level":4096})");
}

TEST(Placing, NothingIsHeatedWhereThereIsNoHeat) {
  const Act act = place('H', {6, 1, 0}, world_with({}), {}, {});
  EXPECT_TRUE(act.commands.empty());
  EXPECT_EQ(act.said, "this world has no heat");
}

}  // namespace
}  // namespace sluice::client::placing_test
