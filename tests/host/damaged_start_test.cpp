// Goal: a server that starts on a recording that the medium damaged repairs it, sets the rest aside
// unchanged, says what was lost, and goes on; one that needs no repair is left as it is.
// Method: a host in this process on recordings in which rows were changed behind its back; its log
// is read.
#include <sstream>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "server/formats/world_file.h"
#include "server/host/host.h"
#include "server/record/database.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::host::damaged_start_test {
namespace {

using namespace record::test;

class DamagedStart : public testing::Test {
 protected:
  void SetUp() override {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
    write_file(folder_.file("bowl.toml"), kWorldFile);
    // Rows of three ticks at the end, and checkpoints of ticks 0, 50 ... 300.
    history_ = record_history(recording_, {.ticks = 330, .ticks_per_checkpoint = 50});
  }
  void TearDown() override {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("quiet"));
  }
  void change(const std::string& sql) {
    must(must(record::Database::open(recording_, record::Database::Mode::kWrite))
             ->execute(sql.c_str()));
  }
  Result<std::unique_ptr<Host>> start(const std::vector<std::string>& worlds = {"bowl.toml"}) {
    Config config;
    for (const std::string& world : worlds) config.world_files.push_back(folder_.file(world));
    config.data_directory = folder_.file(".");
    config.port = 0;
    config.threads = 1;
    config.verify = false;
    return Host::start(config);
  }
  void expect_log(const std::string& text) {
    EXPECT_NE(log_.str().find(text), std::string::npos) << text << " is not in\n" << log_.str();
  }
  /// The checksum of all that the file's tables hold.
  static std::string content_of(const std::string& path) {
    const auto database = must(record::Database::open(path, record::Database::Mode::kRead));
    std::string all;
    for (const char* columns :
         {"world_file || made_by AS BLOB) FROM world", "digests AS BLOB) FROM history",
          "coalesce(commands, '') || first_tick AS BLOB) FROM history", "data AS BLOB) FROM chunks",
          "core || chunks AS BLOB) FROM checkpoints", "name || value AS BLOB) FROM facts"}) {
      auto rows = must(database->prepare("SELECT CAST(" + std::string(columns)));
      while (must(rows.step())) all += rows.text(0);
    }
    return std::to_string(sim::digest_bytes(std::as_bytes(std::span(all))));
  }
  /// Replays from `first` on, as far as it goes.
  void expect_verifies(const std::string& path, std::uint64_t first, std::uint64_t at_least) {
    const auto reader = must(record::Reader::open(path));
    EXPECT_EQ(reader->first_tick(), first) << path;
    EXPECT_GE(reader->last_tick(), at_least) << path;
    sim::SerialExecutor executor;
    EXPECT_FALSE(must(record::verify(*reader, {}, executor)).divergence) << path;
    const auto digests = must(reader->digests(first + 1, at_least));
    for (std::size_t i = 0; i < digests.size(); ++i) {
      ASSERT_EQ(digests[i], history_[first + i].digest) << "tick " << first + i + 1;
    }
  }

  TemporaryFolder folder_;
  const std::string recording_ = folder_.file("bowl.sluice");
  std::vector<record::TickRecord> history_;
  std::ostringstream log_;
};

TEST_F(DamagedStart, LostTicksAtTheEndAreNamedAndTheWorldGoesOnBeforeThem) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 319");
  const std::string damaged = content_of(recording_);
  {
    auto host = must(start());
    EXPECT_TRUE(host->stop());
  }
  expect_log("[critical]");
  expect_log("lost: ticks 319 to 321");
  expect_log("bowl: goes on at tick 318 from " + folder_.file("./bowl.sluice"));
  // Opening it for writing left a trace in the file's header; what it holds is as it was.
  EXPECT_EQ(content_of(recording_ + ".damaged"), damaged);
  expect_verifies(recording_, 0, 318);
}

TEST_F(DamagedStart, ADamagedCheckpointCostsNoHistoryAndNoRepair) {
  change("UPDATE checkpoints SET core = x'00' WHERE tick = 300");
  {
    auto host = must(start());
    EXPECT_TRUE(host->stop());
  }
  expect_log("the checksum of the checkpoint of tick 300 does not fit");
  expect_log("goes on at tick 330");
  EXPECT_FALSE(std::filesystem::exists(recording_ + ".damaged"));
  EXPECT_GE(must(record::Reader::open(recording_))->last_tick(), 330U);
}

TEST_F(DamagedStart, AHistoryThatDoesNotReplayIsLeftForSomebodyToLookAt) {
  // Whole, by its checksums; but tick 330 has another digest than the world gets.
  {
    const auto world = make_world();
    std::filesystem::remove(recording_);
    auto recorder = must(record::Recorder::create(recording_, kWorldFile, *world));
    for (int i = 0; i < 20; ++i) {
      record::TickRecord record = play(*world, {});
      if (i == 19) record.digest ^= 1;
      must(recorder->append(record));
    }
    must(recorder->commit());
  }
  const std::string before = content_of(recording_);
  const auto host = start();
  ASSERT_FALSE(host.ok());
  EXPECT_NE(host.error().find("diverges from the recording at tick 20"), std::string::npos)
      << host.error();
  EXPECT_FALSE(std::filesystem::exists(recording_ + ".damaged"));
  EXPECT_EQ(content_of(recording_), before);
}

TEST_F(DamagedStart, AWorldThatCannotLoadDoesNotStopTheOthers) {
  write_file(folder_.file("pond.toml"), "[world]\nname = \"pond\"\nsize = [8, 8, 1]\n");
  write_file(folder_.file("wrong.toml"), "[world]\nname = \"wrong\"\nsize = [8, 8, 1]\n");
  write_file(folder_.file("wrong.sluice"), "this is no recording");
  // Whole by its checksums, and yet it does not replay: a fault of a rule, not of the medium.
  {
    const auto world = make_world();
    std::filesystem::remove(recording_);
    auto recorder = must(record::Recorder::create(recording_, kWorldFile, *world));
    record::TickRecord tick = play(*world, {});
    tick.digest ^= 1;
    must(recorder->append(tick));
    must(recorder->commit());
  }
  auto host = must(start({"bowl.toml", "pond.toml", "wrong.toml"}));
  const net::Readiness ready = host->readiness();
  EXPECT_FALSE(ready.ready);
  EXPECT_NE(ready.text.find("pond: ready\n"), std::string::npos) << ready.text;
  EXPECT_NE(ready.text.find("bowl: cannot be loaded"), std::string::npos) << ready.text;
  EXPECT_NE(ready.text.find("wrong: cannot be loaded"), std::string::npos) << ready.text;
  EXPECT_EQ(ready.text.find(".sluice"), std::string::npos) << "no paths: " << ready.text;
  expect_log("bowl: is not hosted: " + folder_.file("./bowl.sluice"));
  expect_log("diverges from the recording at tick 1");
  expect_log("wrong: is not hosted: " + folder_.file("./wrong.sluice"));
  EXPECT_FALSE(host->stop()) << "the exit status says that something is not as it should be";
}

TEST_F(DamagedStart, ARepairThatWasInterruptedIsCompletedFirst) {
  // It had decided: the new file is there, and the old one still has its name, and its log.
  std::filesystem::copy_file(recording_, recording_ + ".repaired");
  change("DELETE FROM history");
  write_file(recording_ + "-wal", "");
  {
    auto host = must(start());
    EXPECT_TRUE(host->stop());
  }
  EXPECT_FALSE(std::filesystem::exists(recording_ + ".repaired"));
  EXPECT_GE(must(record::Reader::open(recording_))->last_tick(), 330U);
}

TEST_F(DamagedStart, ALostChunkIsHadAgainFromTheWorldFile) {
  // The world file is what the world began as, here.
  const char* text =
      "[world]\nname = \"bowl\"\nsize = [64, 64, 1]\n"
      "[[fill]]\nfrom = [0, 0, 0]\nsize = [64, 2, 1]\ncell = \"#\"\n";
  write_file(folder_.file("bowl.toml"), text);
  std::filesystem::remove(recording_);
  sim::Digest last = 0;
  {
    auto world = must(formats::build_world(text));
    auto recorder = must(record::Recorder::create(recording_, text, *world));
    CommandSource source(3, 2);
    for (int i = 1; i <= 200; ++i) {
      const record::TickRecord tick = play(*world, source.some(0.5));
      last = tick.digest;
      must(recorder->append(tick));
      if (i % 40 == 0) must(recorder->checkpoint(record::CheckpointImage::of(*world)));
    }
    must(recorder->commit());
  }
  change("UPDATE chunks SET data = x'0000'");
  {
    auto host = must(start());
    EXPECT_TRUE(host->stop());
  }
  expect_log("no tick and no command is lost");
  auto reader = must(record::Reader::open(recording_));
  sim::SerialExecutor executor;
  EXPECT_EQ(must(record::world_at(*reader, 200, executor)).world->digest(), last);
}

}  // namespace
}  // namespace sluice::host::damaged_start_test
