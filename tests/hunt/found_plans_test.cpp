// Goal: what the hunt found once stays mended. Method: the plan of each failure, made small, is run
// again; those that need a special world or medium have tests of their own.
#include <string>

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tests/hunt/run.h"

namespace sluice::hunt::found_plans_test {
namespace {

class FoundPlans : public testing::Test {
 protected:
  FoundPlans() { spdlog::set_level(spdlog::level::off); }
};

/// Runs a plan that failed once.
void expect_survives(const std::string& text) {
  const auto plan = Plan::parse(text);
  ASSERT_TRUE(plan.ok()) << plan.error();
  const Outcome outcome = run(*plan);
  EXPECT_FALSE(outcome.failure) << *outcome.failure;
}

// A client that was sent away a moment before all was to be still was taken for one that is there.
TEST_F(FoundPlans, WhoIsSentAwayComesAgainBeforeAllIsLookedAt) {
  expect_survives(
      "seed = 5000113\nstalls = 5\nadmin_acts = 8\nticks = 464\nheat = 1\nside = 4\n"
      "commands = 28\nbad_commands = 0\nquiet = 56\ntick_rate = 34\ncheckpoint_ticks = 11\n");
}

// The verifier took a disk that was away when it opened the file for damage, and gave up for good.
TEST_F(FoundPlans, ADiskThatIsAwayIsNoDamage) {
  expect_survives(
      "seed = 148\ngone_disk = 1\nsecond_deaths = 28\nstops = 3\nclients = 0\nticks = 288\n"
      "side = 4\ncommands = 0\nbad_commands = 0\nquiet = 20\ntick_rate = 16\n");
}

// Two bodies of hydro water that press on each other over a spill were solved one after the other,
// in an order that a restore changed.
TEST_F(FoundPlans, BodiesComeInNoOrder) {
  expect_survives(
      "seed = 400074\n"
      "stalls = 1\n"
      "restores = 1\n"
      "views = 20\n"
      "clients = 3\n"
      "ticks = 127\n"
      "pipes = 1\n"
      "edges = 1\n"
      "side = 133\n"
      "commands = 58\n"
      "burst = 33\n"
      "bad_commands = 31\n"
      "quiet = 107\n"
      "model = 3\n"
      "tick_rate = 2\n"
      "messages_per_second = 47\n");
}

// A pool beside moving hydro water that was known as its neighbour, and woke without any new link
// or neighbour, belonged to no body until the shape changed or the world was restored.
TEST_F(FoundPlans, APoolThatWakesAsANeighbourIsABody) {
  expect_survives(
      "seed = 5003634\nadmin_acts = 3\nrestores = 100\nliars = 1\nclients = 1\nticks = 802\n"
      "pushes = 1\npipes = 2\nside = 4\ncommands = 23\nquiet = 54\nmodel = 3\ntick_rate = 4\n"
      "checkpoint_ticks = 16\n");
}

// Views that a client above its rate had asked for lay unread when all was said to be still.
TEST_F(FoundPlans, WhatIsReadSlowlyIsWaitedFor) {
  expect_survives(
      "seed = 8515192\nstalls = 2\nviews = 15\nclients = 4\nticks = 63\npipes = 1\nside = 4\n"
      "commands = 0\nbad_commands = 0\nquiet = 88\ntick_rate = 4\nwaiting_replies = 1\n"
      "messages_per_second = 30\n");
}

// A process that died after a failed sync left pages that were seen and not on the medium; what the
// next one acknowledged stood behind them in the log, and went with the power.
TEST_F(FoundPlans, WhatAFailedSyncForgotIsWrittenAnewByTheNextProcess) {
  expect_survives(
      "seed = 1000113\n"
      "bad_syncs = 1\n"
      "crashes = 5\n"
      "clients = 1\n"
      "ticks = 218\n"
      "side = 4\n"
      "commands = 1\n"
      "bad_commands = 0\n"
      "quiet = 53\n"
      "tick_rate = 3\n");
}

// A device that did not read once ended the transaction of a checkpoint, whose pieces were gone
// then and their numbers given to others; what came after it was written all the same.
TEST_F(FoundPlans, AReadThatFailsOnceLeavesNoHalfACheckpoint) {
  expect_survives(
      "seed = 701203\n"
      "bad_reads = 2\n"
      "power_cuts = 3\n"
      "dying_writes = 1\n"
      "stalls = 1\n"
      "views = 19\n"
      "clients = 3\n"
      "ticks = 126\n"
      "edges = 1\n"
      "side = 137\n"
      "commands = 33\n"
      "bad_commands = 0\n"
      "quiet = 68\n"
      "model = 3\n"
      "tick_rate = 1\n"
      "core_piece_bytes = 122\n"
      "waiting_commands = 4\n");
}

// The end of a connection was on its way when all were taken for settled; the client had not come
// back when its mirror was looked at.
TEST_F(FoundPlans, AConnectionThatIsAboutToEndIsWaitedFor) {
  expect_survives(
      "seed = 1000702\n"
      "breaks = 1\n"
      "slow_disk = 327\n"
      "delay = 386\n"
      "clients = 1\n"
      "ticks = 148\n"
      "side = 13\n"
      "commands = 0\n"
      "bad_commands = 0\n"
      "quiet = 27\n"
      "tick_rate = 40\n");
}

// A page was damaged that a start does not read: each server went on, met it as it wrote, and stood
// still, and so did the next one.
TEST_F(FoundPlans, DamageThatOnlyAWriteMeetsIsRepairedByTheNextStart) {
  expect_survives(
      "seed = 1107083\n"
      "flips = 1\n"
      "bad_syncs = 3\n"
      "power_cuts = 4\n"
      "dying_writes = 1\n"
      "views = 6\n"
      "ticks = 836\n"
      "springs = 1\n"
      "side = 93\n"
      "commands = 0\n"
      "bad_commands = 0\n"
      "quiet = 53\n"
      "model = 1\n"
      "tick_rate = 18\n"
      "ticks_per_row = 8\n"
      "messages_per_second = 27\n"
      "writer_ticks = 4\n");
}

// A bit of the first page made it another program's file; the failed recording said so and not that
// it is damaged, and nobody loaded the world anew.
TEST_F(FoundPlans, AFileThatSaysAnotherProgramsNumberIsLoadedAnew) {
  expect_survives(
      "seed = 2000178\nflips = 1\nbad_syncs = 1\nclients = 0\nticks = 226\nside = 4\n"
      "commands = 0\nbad_commands = 0\nquiet = 20\ntick_rate = 1\n");
}

// Likewise, that it is of a later format.
TEST_F(FoundPlans, AFileThatSaysAnotherFormatIsLoadedAnew) {
  expect_survives(
      "seed = 20000671\nflips = 2\nbad_syncs = 1\nsecond_deaths = 44\ndying_writes = 1\n"
      "crashes = 1\nclock_jumps = 1\nclients = 0\nticks = 1000\nside = 4\ncommands = 0\n"
      "bad_commands = 0\nquiet = 20\ntick_rate = 40\nwriter_ticks = 13\n");
}

// Of a text that is longer than any that can be, a recording keeps the beginning.
TEST_F(FoundPlans, ANameThatIsTooLongIsKeptInPart) {
  expect_survives(
      "seed = 3\nclients = 1\nticks = 72\npipes = 1\nside = 4\ncommands = 8\n"
      "bad_commands = 0\naimed = 6\nquiet = 20\ntick_rate = 1\n");
}

// The last unit of room in a shaft was offered to two ways at once, and given to neither: the water
// beside it stood as a wall.
TEST_F(FoundPlans, AShaftIsFilledToItsSill) {
  expect_survives(
      "seed = 8200752\nclock_jumps = 1\nrest = 400000\nclients = 1\nticks = 32\npipes = 1\n"
      "solid = 1\nside = 20\ncommands = 6\nbad_commands = 0\nquiet = 36\nmodel = 3\n"
      "tick_rate = 3\nwithout = 0.1\n");
}

// Rows of chunks went with a sector, and the next ones got their numbers: a checkpoint was made of
// other chunks, and a repair called it whole.
TEST_F(FoundPlans, ACheckpointOfOtherChunksIsRepaired) {
  expect_survives(
      "seed = 9311673\nlost_sectors = 3\nsecond_deaths = 41\nname_deaths = 78\n"
      "hand_repairs = 5\nstops = 3\nclients = 0\nticks = 165\nsprings = 1\nside = 4\n"
      "commands = 0\nbad_commands = 0\nquiet = 79\ntick_rate = 29\nhistory = 12\n");
}

// A lost sector let a table of pieces say less than it holds, and the next piece got a number that
// was taken: the writer tried it again for ever.
TEST_F(FoundPlans, ARowThatNobodyWroteIsDamage) {
  expect_survives(
      "seed = 9402347\nlost_sectors = 3\nstops = 1\nclock_jumps = 1\nclients = 0\nticks = 21\n"
      "pipes = 1\nside = 4\ncommands = 0\nbad_commands = 0\nquiet = 20\ntick_rate = 5\n"
      "core_piece_bytes = 430\n");
}

// Lost sectors took the table of facts and the first rows of history: a repair began with the first
// checkpoint that was left, and no tick was said to be lost.
TEST_F(FoundPlans, ABeginningThatWasLostIsTold) {
  expect_survives(
      "seed = 9806642\nlost_sectors = 6\nclients = 4\nticks = 31\nedges = 1\nside = 11\n"
      "commands = 1\nbad_commands = 0\nquiet = 20\nmodel = 3\ntick_rate = 2\n"
      "checkpoint_ticks = 33\n");
}

// Lost sectors left a table of checkpoints that was not in order: a repair looked for the
// checkpoint before another one for ever.
TEST_F(FoundPlans, ARepairEndsWhereCheckpointsAreOutOfOrder) {
  expect_survives(
      "seed = 12001307\nlost_sectors = 2\nbad_syncs = 2\nname_deaths = 88\ncrashes = 3\n"
      "stops = 4\nclock_jumps = 4\noperator_acts = 3\nlooks_back = 10\nrestores = 3\n"
      "liars = 1\nticks = 476\nheat = 1\nedges = 1\nside = 14\ncommands = 46\nburst = 23\n"
      "bad_commands = 36\nextremes = 82\nquiet = 106\ntick_rate = 19\nticks_per_merge = 14\n"
      "commands_per_row = 38\ncheckpoint_ticks = 16\npipe_block = 4\n"
      "waiting_frame_bytes = 569\nwaiting_replies = 1\ncommands_per_second = 15\n"
      "queued_commands = 4\nwriter_checkpoints = 1\nresults_kept = 1\n");
}

// Ice that moved, and was what it had been before when it was next looked at, was not looked at.
TEST_F(FoundPlans, FloesThatMeltAtOneEndAndFreezeAtTheOtherAreLookedAt) {
  expect_survives(
      "seed = 75\nrestores = 1\nclients = 0\nticks = 131\nheat = 1\nside = 18\ncommands = 0\n"
      "bad_commands = 0\nlayer_extremes = 63\nfloating = 1\nquiet = 20\nmodel = 1\n"
      "tick_rate = 1\n");
}

}  // namespace
}  // namespace sluice::hunt::found_plans_test
