// Goal: every format that was ever written is read for ever, and brought to the newest by whoever
// goes on writing it; a file says what made it; a chunk comes back however it is stored.
// Method: the golden recordings, one of each format and model version; random chunk contents.
#include "server/record/format.h"

#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "server/record/checkpoint_keeper.h"
#include "server/record/chunk_store.h"
#include "server/record/database.h"
#include "server/record/repair.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::record::test::format_test {
namespace {

std::vector<std::filesystem::path> golden_recordings() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(SLUICE_SOURCE_DIR) / "tests/golden/recordings";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".sluice") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_verifies(const std::string& path, std::uint64_t ticks) {
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  const VerifyReport report = must(verify(*reader, {}, executor));
  EXPECT_FALSE(report.divergence) << path << ": " << describe(*report.divergence);
  EXPECT_EQ(report.last_tick, ticks);
}

/// What is said of a file whose rules this program does not have any more; empty when it has them.
std::string older_rules(const std::filesystem::path& file) {
  const std::pair<const char*, int> older[] = {
      {"cellular", 1}, {"cellular", 2}, {"block", 1},  {"block", 2},  {"stream", 1}, {"stream", 2},
      {"stream", 3},   {"stream", 4},   {"stream", 5}, {"stream", 6}, {"hydro", 1},  {"hydro", 2},
      {"hydro", 3},    {"hydro", 4},    {"hydro", 5},  {"hydro", 6}};
  for (const auto& [model, version] : older) {
    const std::string number = std::to_string(version);
    if (!file.stem().string().ends_with(model + number)) continue;
    return "version " + number + " of water model '" + model + "'";
  }
  return "";
}

// They are refused by their version, but what was written can be read.
TEST(Format, OlderRulesAreRefusedByTheirVersion) {
  std::set<std::int64_t> formats;
  for (const auto& file : golden_recordings()) {
    const std::string reason = older_rules(file);
    auto reader = must(Reader::open(file.string()));
    formats.insert(reader->format_version());
    std::uint64_t ticks = 0;
    must(reader->read_ticks(1, 200, [&](const TickRecord&) { return ++ticks > 0; }));
    EXPECT_EQ(ticks, 200U) << file;
    if (reason.empty()) continue;
    sim::SerialExecutor executor;
    const auto report = verify(*reader, {}, executor);
    const std::string said = !report              ? report.error()
                             : report->divergence ? describe(*report->divergence)
                                                  : "verified";
    EXPECT_NE(said.find(reason), std::string::npos) << said;
  }
  for (std::int64_t format = kOldestFormatVersion; format <= kFormatVersion; ++format) {
    EXPECT_TRUE(formats.contains(format)) << "no golden recording of format " << format;
  }
}

TEST(Format, EveryGoldenRecordingVerifiesForEver) {
  for (const auto& file : golden_recordings()) {
    if (!older_rules(file).empty()) continue;
    expect_verifies(file.string(), 200);
    const auto reader = must(Reader::open(file.string()));
    // "formatF-MODELV.sluice"
    const std::string name = file.stem().string();
    EXPECT_TRUE(name.starts_with("format" + std::to_string(reader->format_version()) + "-"));
    if (reader->format_version() < 2) continue;
    EXPECT_TRUE(name.ends_with(reader->fact("model") + reader->fact("model_version"))) << name;
  }
}

TEST(Format, AnOlderFormatIsNotGoneOnWith) {
  for (const auto& file : golden_recordings()) {
    const auto version = must(Reader::open(file.string()))->format_version();
    if (version == kFormatVersion) continue;
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    std::filesystem::copy_file(file, path);
    const auto recorder = Recorder::open(path);
    ASSERT_FALSE(recorder.ok());
    EXPECT_NE(recorder.error().find("it has format " + std::to_string(version) +
                                    ", this program writes " + std::to_string(kFormatVersion)),
              std::string::npos)
        << recorder.error();
  }
}

TEST(Format, ACopyIsGoneOnWith) {
  for (const auto& file : golden_recordings()) {
    if (!older_rules(file).empty()) continue;
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    std::filesystem::copy_file(file, path);
    const std::string model = must(Reader::open(path))->fact("model");
    sim::SerialExecutor executor;
    auto recovered = must(recover(path, executor));
    {
      auto recorder = must(Recorder::open(path));
      CheckpointKeeper keeper(*recovered.world);
      for (int i = 0; i < 100; ++i) {
        must(recorder->append(play(*recovered.world, {})));
        sim::TickReport report;
        report.tick = recovered.world->tick_number();
        if (auto image = keeper.after_tick(*recovered.world, report, false)) {
          must(recorder->checkpoint(std::move(*image)));
        }
      }
      must(recorder->commit());
    }
    const auto reader = must(Reader::open(path));
    EXPECT_EQ(reader->format_version(), kFormatVersion);
    EXPECT_EQ(reader->fact("begins"), "0");
    EXPECT_EQ(reader->fact("model"), model);
    EXPECT_EQ(must(reader->checkpoints()).back().tick, 280U);
    expect_verifies(path, 300);
  }
}

TEST(Format, AFileSaysWhatMadeIt) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  record_history(path, {.ticks = 3});
  const auto reader = must(Reader::open(path));
  EXPECT_EQ(reader->fact("made_by"), program_name());
  EXPECT_EQ(reader->fact("model_version"), "3");
  EXPECT_NE(reader->fact("options").find("max_sweeps 8"), std::string::npos)
      << reader->fact("options");
  for (const char* name : {"compiler", "machine", "system", "kernels", "byte_order"}) {
    EXPECT_NE(reader->fact(name), "") << name;
  }
  must(must(Database::open(path, Database::Mode::kWrite))
           ->execute("UPDATE facts SET value = '0.0' WHERE name = 'made_by'"));
  EXPECT_NE(Reader::open(path).error().find("the checksum of its fact 'made_by'"),
            std::string::npos);
}

// Old commands by new rules would make another history: that is said, not tried.
TEST(Format, ARecordingOfAnotherModelVersionIsRefusedAndNotTakenForDamage) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  Foundation foundation{std::string(kWorldFile), "sluice 0.0", {}, CheckpointImage::of(*world)};
  Bytes& core = foundation.image.core;
  // Behind the magic and the version of the form; then the digest at the end, as that program would
  // have written it.
  constexpr std::size_t kModelVersion = 6;
  ASSERT_EQ(core[kModelVersion], std::byte{3});
  core[kModelVersion] = std::byte{77};
  core.resize(core.size() - sizeof(sim::Digest));
  put_u64(sim::digest_bytes(core), core);
  { const auto recorder = must(Recorder::create(path, std::move(foundation))); }
  const std::string before = read_file(path);
  sim::SerialExecutor executor;
  const auto recovered = recover(path, executor);
  ASSERT_FALSE(recovered.ok());
  EXPECT_NE(recovered.error().find("made by version 77 of water model 'cellular', but this build "
                                   "has version 3"),
            std::string::npos)
      << recovered.error();
  EXPECT_TRUE(must(repair(path)).damage.whole()) << "its bytes are whole";
  EXPECT_EQ(read_file(path), before);
}

Bytes random_chunk(std::mt19937& random) {
  Bytes bytes(kChunkCells * 4);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 7 == 0 ? random() : 0);
  return bytes;
}

/// The chunks of a recording that nobody else has open.
class ChunkStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("a.sluice");
    record_history(path_, {.ticks = 1});
    database_ = must(Database::open(path_, Database::Mode::kWrite));
  }
  void change(const std::string& sql) { must(database_->execute(sql.c_str())); }
  /// One that has seen nothing yet.
  [[nodiscard]] std::unique_ptr<ChunkStore> open() {
    return std::make_unique<ChunkStore>(*database_);
  }

  TemporaryFolder folder_;
  std::string path_;
  std::unique_ptr<Database> database_;
  std::mt19937 random_{4};
};

// SQLite ends a transaction by itself where the system fails, be it at a read that passes for
// damage.
TEST_F(ChunkStoreTest, NothingIsWrittenOnceTheTransactionHasEnded) {
  auto store = open();
  const std::int64_t before = must(database_->integer("SELECT count(*) FROM chunks"));
  const Bytes bytes = random_chunk(random_);
  const auto stored = store->store(bytes, 0);
  ASSERT_FALSE(stored.ok());
  EXPECT_EQ(stored.error(),
            path_ + ": a failure has ended the transaction; nothing more is written");
  EXPECT_EQ(database_->take_system_failure(), stored.error()) << "and it is no damage";
  EXPECT_EQ(must(database_->integer("SELECT count(*) FROM chunks")), before);
  change("BEGIN");
  EXPECT_TRUE(store->store(bytes, 0).ok());
}

TEST_F(ChunkStoreTest, ContentsComeBackThroughAnyChain) {
  change("BEGIN");
  auto store = open();
  Bytes bytes = random_chunk(random_);
  std::int64_t base = 0;
  std::map<std::int64_t, Bytes> stored;
  for (int i = 0; i < 60; ++i) {
    for (int change = 0; change < 20; ++change) {
      bytes[random_() % bytes.size()] = static_cast<std::byte>(random_());
    }
    base = must(store->store(bytes, base));
    stored[base] = bytes;
  }
  EXPECT_EQ(must(store->store(bytes, 0)), base) << "equal contents are stored once";
  store = open();  // one that has seen none of them
  for (auto row = stored.rbegin(); row != stored.rend(); ++row) {
    EXPECT_EQ(must(store->load(row->first)), row->second);
  }
  const std::int64_t whole = must(database_->integer(
      "SELECT count(*) FROM chunks WHERE id >= " + std::to_string(stored.begin()->first) +
      " AND hex(substr(data, 1, 1)) <> '02'"));
  EXPECT_EQ(whole, 4) << "a whole one, and another after each 15 differences";
}

// Checkpoints name rows by their numbers: one that the medium lost must not be given to others.
TEST_F(ChunkStoreTest, NoNumberIsGivenOutTwice) {
  change("BEGIN");
  auto store = open();
  const std::int64_t lost = must(store->store(random_chunk(random_), 0));
  change("DELETE FROM chunks");
  const std::int64_t next = must(store->store(random_chunk(random_), 0));
  EXPECT_GT(next, lost);
  change("DELETE FROM chunks");
  store = open();  // one that has seen neither, but the last one's number
  EXPECT_GT(must(store->store(random_chunk(random_), next)), next);
}

TEST_F(ChunkStoreTest, DamageInABaseIsFoundAndNeverEndless) {
  change("BEGIN");
  auto store = open();
  Bytes bytes = random_chunk(random_);
  const std::int64_t first = must(store->store(bytes, 0));
  bytes[77] ^= std::byte{1};
  const std::int64_t second = must(store->store(bytes, first));
  store = open();  // one that has seen neither
  const auto set = [&](std::int64_t row, const std::string& data) {
    change("UPDATE chunks SET data = " + data + " WHERE id = " + std::to_string(row));
  };
  const std::string good = "(SELECT data FROM chunks WHERE id = " + std::to_string(second) + ")";
  set(first, good);  // the second is based on the first, and the first on itself
  EXPECT_NE(store->load(second).error().find("states an impossible depth"), std::string::npos);
  set(first, "x'0000'");
  EXPECT_NE(store->load(second).error().find("has the wrong size"), std::string::npos);
  change("DELETE FROM chunks WHERE id = " + std::to_string(first));
  EXPECT_NE(store->load(second).error().find("which is not there"), std::string::npos);
}

TEST(CheckpointKeeper, AnyTickIsAtMostTwoSecondsFromACheckpoint) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  std::vector<sim::Digest> digests{world->digest()};
  {
    auto recorder = must(Recorder::create(path, kWorldFile, *world));
    CheckpointKeeper keeper(*world);
    CommandSource source(3, 2);
    for (std::uint64_t tick = 1; tick <= 500; ++tick) {
      sim::TickReport report;
      report.tick = tick;
      must(recorder->append(play(*world, source.some(0.2))));
      digests.push_back(world->digest());
      if (auto image = keeper.after_tick(*world, report, true)) {
        EXPECT_EQ(image->complete, tick == 40);
        must(recorder->append_checkpoint(std::move(*image)));
      }
    }
    must(recorder->commit());
  }
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  for (std::uint64_t tick = 0; tick <= 500; tick += 7) {
    const auto at = must(world_at(*reader, tick, executor));
    EXPECT_EQ(at.world->recompute_digest(), digests[tick]);
    EXPECT_LT(at.replayed_ticks, CheckpointKeeper::kSeconds * 20);
    EXPECT_TRUE(at.warnings.empty());
  }
  expect_verifies(path, 500);
}

TEST(CheckpointKeeper, RestIsCheckpointedSeldom) {
  const auto world = make_world();
  CheckpointKeeper keeper(*world);
  sim::TickReport report;
  report.at_rest = true;
  std::vector<std::uint64_t> taken;
  for (report.tick = 1; report.tick <= 30000; ++report.tick) {
    // The keeper measures from the world's own clock when it takes one; here that stands still.
    if (keeper.after_tick(*world, report, report.tick == 100)) taken.push_back(report.tick);
    if (!taken.empty()) break;
  }
  EXPECT_EQ(taken, std::vector<std::uint64_t>{100});
  CheckpointKeeper resting(*world);
  for (report.tick = 1; report.tick <= 30000; ++report.tick) {
    if (resting.after_tick(*world, report, false)) break;
  }
  EXPECT_EQ(report.tick, CheckpointKeeper::kRestSeconds * 20);
}

}  // namespace
}  // namespace sluice::record::test::format_test
