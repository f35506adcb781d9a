// Goal: what an account owns stays within its role's bound, exactly, whatever becomes of the server
// and the world meanwhile; and it costs nothing where no role is bound.
// Method: hosted worlds in a folder, loaded, killed, reset, cut and damaged; commands as the
// network hands them over.
#include "server/host/holdings.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "server/host/hosted_worlds.h"
#include "server/host/visitor_mark.h"
#include "server/record/database.h"
#include "server/record/reader.h"
#include "server/record/verify.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::host::holdings_test {
namespace {

namespace fs = std::filesystem;
using access::Role;
using ::testing::HasSubstr;

constexpr const char* kWorld = "[world]\nname = \"pond\"\nsize = [128, 128, 1]\ntick_rate = 200\n";

access::LimitsByRole bound(std::uint32_t cells, std::uint32_t pipes) {
  access::LimitsByRole limits;
  auto& build = limits[static_cast<std::size_t>(Role::kBuild)];
  build.cells_owned = cells;
  build.pipes_owned = pipes;
  return limits;
}

/// A set_cells command.
std::string cells(int x, int y, int width, int height, const char* cell = "#") {
  std::ostringstream text;
  text << R"({"cmd": "set_cells", "from": [)" << x << ", " << y << R"(, 0], "size": [)" << width
       << ", " << height << R"(, 1], "cell": ")" << cell << "\"}";
  return text.str();
}
std::string pipe(const std::string& command, const std::string& name) {
  return R"({"cmd": ")" + command + R"(", "name": ")" + name + "\"}";
}

class HoldingsTest : public testing::Test {
 protected:
  void SetUp() override {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
    start(bound(10, 2));
    ASSERT_TRUE(worlds_->create(kWorld).ok());
  }
  void TearDown() override {
    if (worlds_) end();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("quiet"));
  }
  void start(const access::LimitsByRole& limits) {
    HostedWorlds::Options options;
    options.data_directory = folder_.file("");
    options.verify = false;
    options.work_limits.busy_seconds = 1e9;
    options.history = history_;
    options.now = [] { return 0; };
    worlds_ = std::make_unique<HostedWorlds>(std::move(options), executor_, metrics_);
    ASSERT_TRUE(worlds_->read_file().ok());
    worlds_->set_role_limits(limits);
    worlds_->add_made();
    worlds_->start();
  }
  void end() {
    EXPECT_TRUE(worlds_->stop());
    worlds_.reset();
    metrics_.remove_world("pond");
  }
  void restart(const access::LimitsByRole& limits) {
    end();
    start(limits);
  }

  /// Gives the commands at once, and returns why each was refused; "" where it applied.
  std::vector<std::string> give(const std::vector<std::string>& commands,
                                const std::string& account, const std::string& address = "",
                                Role role = Role::kBuild) {
    WorldRunner& runner = *worlds_->runner("pond");
    std::vector<std::string> reasons(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
      net::ClientCommand command{{i + 1, commands[i]}, 7, "tester", account, "", role, address};
      const Status taken = runner.submit(std::move(command));
      EXPECT_TRUE(taken.ok()) << taken.error();
    }
    std::size_t left = commands.size();
    EXPECT_TRUE(tests::wait_until([&] {
      for (const net::CommandReply& reply : runner.feed().take().replies) {
        reasons[reply.result.seq - 1] = reply.result.applied ? "" : reply.result.reason;
        --left;
      }
      return left == 0;
    }));
    return reasons;
  }
  std::string one(const std::string& command, const std::string& account,
                  const std::string& address = "", Role role = Role::kBuild) {
    return give({command}, account, address, role).front();
  }
  /// Lets the world take so many ticks.
  void run(std::uint64_t ticks) {
    const net::WorldFeed& feed = worlds_->runner("pond")->feed();
    const std::uint64_t last = feed.tick() + ticks;
    EXPECT_TRUE(tests::wait_until([&] { return feed.tick() >= last; }));
  }
  [[nodiscard]] Owned of(const std::string& owner) const {
    for (const auto& [name, owned] : worlds_->runner("pond")->largest_owners(100)) {
      if (name == owner) return owned;
    }
    return {};
  }
  [[nodiscard]] std::string file() const { return folder_.file("pond.owners"); }
  [[nodiscard]] std::string recording() const { return folder_.file("pond.sluice"); }
  void wait_until_counted() {
    ASSERT_TRUE(tests::wait_until([&] { return worlds_->runner("pond")->owned().followed; }));
  }

  tests::TemporaryDirectory folder_;
  std::ostringstream log_;
  HistoryRule history_;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<HostedWorlds> worlds_;
};

TEST_F(HoldingsTest, CellsGoToTheBoundAndNoFurtherForEachAccountAlone) {
  EXPECT_EQ(one(cells(0, 0, 10, 1), "ada"), "");
  EXPECT_EQ(one(cells(0, 1, 1, 1), "ada"),
            "too many cells: you own 10 in this world, and this adds 1; the role build may own 10, "
            "so none until some are removed");
  EXPECT_EQ(one(cells(0, 0, 10, 1), "ada"), "") << "they are hers already";
  EXPECT_EQ(one(cells(0, 2, 10, 1), "bert"), "");
  EXPECT_EQ(one(cells(0, 3, 50, 1), "olga", "", Role::kOperate), "") << "her role has no bound";
  EXPECT_EQ(of("olga"), (Owned{50, 0}));
  EXPECT_EQ(worlds_->runner("pond")->feed().counters().over_limits.load(), 1U);
}

TEST_F(HoldingsTest, ABoxThatIsLargerThanWhatIsLeftIsRefusedWhole) {
  EXPECT_EQ(one(cells(0, 0, 6, 1), "ada"), "");
  EXPECT_THAT(one(cells(0, 1, 5, 1), "ada"), HasSubstr("you own 6 in this world, and this adds 5"));
  EXPECT_EQ(of("ada"), (Owned{6, 0}));
  EXPECT_EQ(one(cells(0, 1, 4, 1), "ada"), "");
}

TEST_F(HoldingsTest, OfABatchWhatFitsAppliesInItsOrder) {
  std::vector<std::string> batch;
  for (int i = 0; i < 12; ++i) batch.push_back(cells(i, 5, 1, 1));
  const auto reasons = give(batch, "ada");
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(reasons[static_cast<std::size_t>(i)].empty(), i < 10) << i << reasons.back();
  }
  // What it makes room for itself counts at once, in the same tick, too.
  EXPECT_EQ(give({cells(0, 5, 10, 1, " "), cells(0, 6, 10, 1), cells(0, 7, 1, 1)}, "ada")[1], "");
  EXPECT_EQ(of("ada"), (Owned{10, 0}));
}

TEST_F(HoldingsTest, RemovalAndOthersCommandsFree) {
  EXPECT_EQ(one(cells(0, 0, 10, 1), "ada"), "");
  EXPECT_EQ(one(cells(0, 0, 4, 1, " "), "bert"), "");
  EXPECT_EQ(one(cells(4, 0, 2, 1, "~"), "ada"), "") << "water is nobody's";
  EXPECT_EQ(of("ada"), (Owned{4, 0}));
  EXPECT_EQ(one(cells(6, 0, 4, 1), "bert"), "");
  EXPECT_EQ(of("ada"), Owned{});
  EXPECT_EQ(of("bert"), (Owned{4, 0}));
  EXPECT_EQ(one(cells(0, 1, 10, 1), "ada"), "");
}

TEST_F(HoldingsTest, AnUndoAndAPasteAreCommandsLikeOthers) {
  EXPECT_EQ(one(cells(0, 0, 10, 1), "ada"), "");
  EXPECT_EQ(one(cells(0, 0, 10, 1, " "), "ada"), "");
  EXPECT_EQ(one(cells(0, 0, 10, 1), "ada"), "") << "undone";
  EXPECT_EQ(of("ada"), (Owned{10, 0}));
  EXPECT_EQ(one(cells(0, 0, 3, 1, " "), "bert"), "");
  EXPECT_EQ(one(cells(0, 0, 3, 1), "bert"), "") << "undone, and his from then on";
  EXPECT_EQ(of("ada"), (Owned{7, 0}));
  EXPECT_EQ(of("bert"), (Owned{3, 0}));
  // A paste is a box for each run of equal cells.
  const auto pasted = give({cells(20, 1, 2, 1), cells(20, 2, 1, 1), cells(21, 2, 1, 1)}, "ada");
  EXPECT_EQ(pasted[1], "");
  EXPECT_THAT(pasted[2], HasSubstr("you own 10"));
}

TEST_F(HoldingsTest, PipesPumpsAndValvesGoToTheBound) {
  EXPECT_EQ(one(pipe("add_pipe", "a"), "ada"), "");
  EXPECT_EQ(one(pipe("add_pipe", "a"), "ada"), "there is a pipe, pump or valve 'a' already");
  EXPECT_EQ(of("ada"), (Owned{0, 1})) << "what was refused is nobody's";
  EXPECT_EQ(one(pipe("add_valve", "b"), "ada"), "");
  EXPECT_EQ(one(R"({"cmd": "add_pump", "name": "c", "rate": 5})", "ada"),
            "too many pipes: you own 2 in this world, and this adds 1; the role build may own 2, "
            "so none until some are removed");
  EXPECT_EQ(one(pipe("remove_pipe", "a"), "bert"), "");
  EXPECT_EQ(one(R"({"cmd": "add_pump", "name": "c", "rate": 5})", "ada"), "");
  EXPECT_EQ(
      one(R"({"cmd": "upgrade_pipe", "name": "b", "capacity": 30000, "height": 10000})", "bert"),
      "");
  EXPECT_EQ(of("ada"), (Owned{0, 2})) << "who changes one does not own it";
}

TEST_F(HoldingsTest, VisitorsOwnByTheirAddressAndTheRecordingDoesNotTellIt) {
  EXPECT_EQ(one(cells(0, 0, 10, 1), "", "203.0.113.77"), "");
  EXPECT_THAT(one(cells(0, 1, 1, 1), "", "203.0.113.77"),
              HasSubstr("those of your address own 10"));
  EXPECT_EQ(one(cells(0, 1, 10, 1), "", "203.0.113.78"), "");
  EXPECT_THAT(one(cells(0, 2, 1, 1), "", "2001:db8::1"), "");
  restart(bound(10, 2));
  EXPECT_THAT(one(cells(0, 3, 1, 1), "", "203.0.113.77"), HasSubstr("own 10"));
  end();
  for (const std::string& path : {recording(), file()}) {
    std::ifstream bytes(path, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(bytes), {}};
    EXPECT_GT(all.size(), 10U) << path;
    EXPECT_EQ(all.find("203.0.113"), std::string::npos) << path;
  }
}

TEST_F(HoldingsTest, ItHoldsOverRestartsUnloadsAndWithoutItsFile) {
  EXPECT_EQ(one(cells(0, 0, 8, 1), "ada"), "");
  EXPECT_EQ(one(pipe("add_pipe", "a"), "ada"), "");
  const auto still = [this](const char* how) {
    SCOPED_TRACE(how);
    EXPECT_EQ(of("ada"), (Owned{8, 1}));
    EXPECT_THAT(one(cells(0, 1, 3, 1), "ada"), HasSubstr("you own 8"));
  };
  restart(bound(10, 2));
  EXPECT_THAT(log_.str(), HasSubstr("(0 commands counted)"));
  still("a restart");
  ASSERT_TRUE(worlds_->unload("pond").ok());
  ASSERT_TRUE(worlds_->load("pond").ok());
  still("an unload");
  end();
  fs::remove(file());
  start(bound(10, 2));
  still("its file lost");
  end();
  std::ofstream(file(), std::ios::binary | std::ios::in) << "sluice owners 2";
  start(bound(10, 2));
  still("its file damaged");
  // A server that had no bound keeps no file up to date: the next counts on from the old one.
  restart({});
  EXPECT_FALSE(worlds_->runner("pond")->owned().followed);
  EXPECT_EQ(one(cells(0, 0, 4, 1, " "), "bert"), "");
  restart(bound(10, 2));
  EXPECT_EQ(of("ada"), (Owned{4, 1}));
}

TEST_F(HoldingsTest, AServerThatWasKilledCountsOnFromItsFile) {
  EXPECT_EQ(one(cells(0, 0, 4, 1), "ada"), "");
  restart(bound(10, 2));
  EXPECT_EQ(one(cells(0, 1, 4, 1), "ada"), "");  // acknowledged, so durable
  fs::copy_file(file(), folder_.file("kept"));
  end();
  // As the medium was when it was killed: the file of the start before.
  fs::rename(folder_.file("kept"), file());
  start(bound(10, 2));
  EXPECT_EQ(of("ada"), (Owned{8, 0}));
  EXPECT_THAT(log_.str(), HasSubstr("(1 commands counted)"));
}

TEST_F(HoldingsTest, AResetOrAnotherHistoryBeginsAnew) {
  EXPECT_EQ(one(cells(0, 0, 8, 1), "ada"), "");
  ASSERT_TRUE(worlds_->reset("pond", RecordingFate::kKeep).ok());
  EXPECT_EQ(of("ada"), Owned{});
  EXPECT_EQ(one(cells(0, 0, 10, 1), "ada"), "");
  // The file of another history, put in its place.
  end();
  Ownership other(kSideViewShape);
  other.apply({sim::SetCells{{0, 0, 0}, {64, 64, 1}, kRock}}, "ada");
  ASSERT_TRUE(keep_owned(file(), other, 1, 12345).ok());
  start(bound(10, 2));
  EXPECT_EQ(of("ada"), (Owned{10, 0}));
}

TEST_F(HoldingsTest, ARepairLosesWhatTheWorldLosesAndNoMore) {
  EXPECT_EQ(one(cells(0, 0, 4, 1), "ada"), "");
  // Rows of history are long enough by then that the next command stands in one of its own.
  run(500);
  const std::uint64_t before = worlds_->runner("pond")->feed().tick();
  EXPECT_EQ(one(cells(0, 1, 4, 1), "ada"), "");
  end();
  const auto damage = [this](const std::string& sql) {
    auto database = record::Database::open(recording(), record::Database::Mode::kWrite);
    ASSERT_TRUE(database.ok()) << database.error();
    ASSERT_TRUE((*database)->execute(sql.c_str()).ok());
  };
  fs::copy_file(recording(), folder_.file("whole"));
  fs::copy_file(file(), folder_.file("kept"));
  const std::string row =
      "UPDATE history SET digests = zeroblob(16) WHERE first_tick = (SELECT max(first_tick) FROM "
      "history WHERE commands IS NOT NULL)";
  damage(row);
  start(bound(10, 2));
  EXPECT_THAT(log_.str(), HasSubstr("lost: ticks"));
  EXPECT_EQ(of("ada"), (Owned{8, 0})) << "the last checkpoint has it, and the file is of that tick";
  end();
  fs::remove(recording());
  fs::rename(folder_.file("whole"), recording());
  fs::remove(file());
  fs::rename(folder_.file("kept"), file());
  damage(row + "; UPDATE checkpoints SET core = x'00' WHERE tick > " + std::to_string(before));
  start(bound(10, 2));
  EXPECT_EQ(of("ada"), (Owned{4, 0})) << "the file is of a tick that the recording lost";
}

TEST_F(HoldingsTest, ABoundThatIsSetWhileTheWorldRunsCountsFirst) {
  restart({});
  EXPECT_EQ(one(cells(0, 0, 12, 1), "ada"), "");
  EXPECT_EQ(worlds_->runner("pond")->owned().bytes, 0U);
  worlds_->set_role_limits(bound(10, 2));
  std::string reason = one(cells(0, 1, 1, 1), "ada");
  if (reason.starts_with("not yet: who owns what")) {
    wait_until_counted();
    reason = one(cells(0, 1, 1, 1), "ada");
  }
  EXPECT_THAT(reason, HasSubstr("you own 12"));
  EXPECT_EQ(one(cells(0, 0, 12, 1, " "), "ada"), "");
  worlds_->set_role_limits(bound(3, 0));
  EXPECT_EQ(give({cells(0, 1, 3, 1), cells(0, 2, 1, 1)}, "ada")[1],
            "too many cells: you own 3 in this world, and this adds 1; the role build may own 3, "
            "so none until some are removed");
  worlds_->set_role_limits({});
  EXPECT_EQ(one(cells(0, 2, 100, 1), "ada"), "");
  EXPECT_FALSE(worlds_->runner("pond")->owned().followed);
}

TEST_F(HoldingsTest, NoDigestDependsOnItAndTheRecordingVerifies) {
  give({cells(0, 0, 10, 1), cells(0, 1, 5, 1), pipe("add_pipe", "a")}, "ada", "203.0.113.7");
  give({cells(0, 4, 10, 1), cells(0, 1, 5, 1)}, "", "203.0.113.7");
  end();
  auto reader = record::Reader::open(recording());
  ASSERT_TRUE(reader.ok()) << reader.error();
  const auto verified = record::verify(**reader, {}, executor_);
  ASSERT_TRUE(verified.ok()) << verified.error();
  EXPECT_FALSE(verified->divergence);
  std::size_t commands = 0;
  ASSERT_TRUE((*reader)
                  ->read_commands(1, (*reader)->last_tick(),
                                  [&](const record::TickRecord& tick) {
                                    commands += tick.commands.size();
                                    return true;
                                  })
                  .ok());
  EXPECT_EQ(commands, 3U) << "what was refused never came to a tick";
}

TEST_F(HoldingsTest, HistoryThatIsDroppedTakesNothingWithIt) {
  EXPECT_EQ(one(cells(0, 0, 8, 1), "ada"), "");
  restart(bound(10, 2));
  EXPECT_EQ(one(cells(0, 0, 2, 1, " "), "ada"), "");
  fs::copy_file(file(), folder_.file("kept"));
  run(20);  // a checkpoint that is worth a cut
  ASSERT_TRUE(worlds_->runner("pond")->save(std::chrono::seconds(10)).ok());
  end();
  fs::rename(folder_.file("kept"), file());  // killed
  WorldSource source{recording(), "", "", {}, {1, true}};
  source.ticks_per_hour = 1;
  bool kept = false;
  source.before_cut = [&](const sim::World& world) {
    const auto counted = count_owned(recording(), file(), world.tick_number(), kSideViewShape);
    ASSERT_TRUE(counted.ok()) << counted.error();
    EXPECT_EQ(counted->owned.of("ada"), (Owned{6, 0}));
    kept = keep_owned(file(), counted->owned, world.tick_number(), world.digest()).ok();
  };
  ASSERT_TRUE(load_recorded(source, executor_).ok());
  EXPECT_TRUE(kept);
  EXPECT_GT((*record::Reader::open(recording()))->first_tick(), 0U) << "something was cut";
  start(bound(10, 2));
  EXPECT_EQ(of("ada"), (Owned{6, 0}));
  // And where the file was lost with it, nobody owns what is older; which is said.
  end();
  fs::remove(file());
  start(bound(10, 2));
  EXPECT_EQ(of("ada"), Owned{});
  EXPECT_THAT(log_.str(), HasSubstr("who owns what is not certain: counted from tick"));
}

TEST_F(HoldingsTest, WhereTheFileDoesNotFitACutHistoryItHoldsAsFarAsTheWorldHasIt) {
  EXPECT_EQ(one(cells(0, 0, 8, 1), "ada"), "");
  run(20);
  ASSERT_TRUE(worlds_->runner("pond")->save(std::chrono::seconds(10)).ok());
  run(3);  // ticks that a cut at that checkpoint leaves
  end();
  WorldSource source{recording(), "", "", {}, {1, true}};
  source.ticks_per_hour = 1;
  ASSERT_TRUE(load_recorded(source, executor_).ok());
  Ownership other(kSideViewShape);
  other.apply({sim::SetCells{{4, 0, 0}, {9, 1, 1}, kRock}}, "ada");
  ASSERT_TRUE(keep_owned(file(), other, 1, 12345).ok());
  start(bound(10, 2));
  EXPECT_EQ(of("ada"), (Owned{4, 0}));
  EXPECT_THAT(log_.str(), HasSubstr("who owns what is not certain: of tick 1"));
}

}  // namespace
}  // namespace sluice::host::holdings_test
