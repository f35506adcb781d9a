// Goal: a damaged file, or one that is no recording at all, gives an error that says what and
// where; it is never taken for another history, never changed by reading, and never a crash.
// Method: every kind of wrong file; one flipped bit at many places of a true one; truncations.
#include <gtest/gtest.h>

#include "server/record/database.h"
#include "server/record/format.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::record::test::corruption_test {
namespace {

std::string open_error(const std::string& path) {
  const auto reader = Reader::open(path);
  EXPECT_FALSE(reader.ok());
  return reader.ok() ? "" : reader.error();
}

void expect_says(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(WrongFile, IsCalledWhatItIs) {
  TemporaryFolder folder;
  const std::string path = folder.file("wrong.sluice");
  expect_says(open_error(path), path + ": cannot be opened: no such file");
  expect_says(open_error(folder.file("")), folder.file("") + ": cannot be");  // a folder
  write_file(path, "");
  expect_says(open_error(path), "is not a recording");
  write_file(path, "[world]\nname = \"not a recording\"\n" + std::string(5000, '#'));
  expect_says(open_error(path), "not an SQLite file");
  // A sparse terabyte is not read.
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  expect_says(open_error(path), "not an SQLite file");
}

TEST(WrongFile, OtherApplicationsAndVersionsAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  record_history(path, {.ticks = 5});
  const auto change = [&](const char* sql) {
    must(must(Database::open(path, Database::Mode::kWrite))->execute(sql));
  };
  change("PRAGMA user_version = 7");
  expect_says(open_error(path),
              "format version 7; this program reads versions 1 to 3: use a newer one");
  change("PRAGMA user_version = 2; PRAGMA application_id = 42");
  expect_says(open_error(path), "an SQLite file of application id 42");
}

TEST(WrongFile, StrangeSchemasAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  record_history(path, {.ticks = 5});
  must(must(Database::open(path, Database::Mode::kWrite))
           ->execute(
               "ALTER TABLE history RENAME TO past; CREATE VIEW history AS SELECT * FROM past"));
  expect_says(open_error(path), "its table 'history' is missing or not as this format has it");
}

TEST(WrongFile, MissingTicksAreNamed) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  record_history(path, {.ticks = 60});
  must(must(Database::open(path, Database::Mode::kWrite))
           ->execute("DELETE FROM history WHERE first_tick = 31"));
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  expect_says(verify(*reader, {}, executor).error(), "tick 31 is missing from its history");
}

TEST(WrongFile, DamagedCheckpointIsSkippedByRecovery) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto history = record_history(path);
  must(must(Database::open(path, Database::Mode::kWrite))
           ->execute("UPDATE checkpoints SET core = x'00' WHERE tick = 300"));
  sim::SerialExecutor executor;
  const auto recovered = must(recover(path, executor));
  EXPECT_EQ(recovered.world->digest(), history.back().digest);
  EXPECT_EQ(recovered.replayed_ticks, 100U);
  ASSERT_EQ(recovered.warnings.size(), 1U);
  expect_says(recovered.warnings[0], "the checksum of the checkpoint of tick 300 does not fit");
}

/// Everything that reading can do with a file. Returns an empty string when the file still holds
/// exactly `history`, a message when it was refused.
std::string examine(const std::string& path, const std::vector<TickRecord>& history) {
  auto reader = Reader::open(path);
  if (!reader.ok()) return reader.error();
  if ((*reader)->last_tick() != history.size()) {
    return "holds " + std::to_string((*reader)->last_tick()) + " ticks";
  }
  sim::SerialExecutor executor;
  const auto verified = verify(**reader, {}, executor);
  if (!verified.ok()) return verified.error();
  if (verified->divergence) return describe(*verified->divergence);
  std::size_t next = 0;
  const Status read = (*reader)->read_ticks(1, history.size(), [&](const TickRecord& record) {
    expect_equal(record, history[next++]);
    return !testing::Test::HasFatalFailure();
  });
  if (!read.ok()) return read.error();
  (void)recover(path, executor);
  return "";
}

TEST(Corruption, FlippedBitsAreFoundOrHarmless) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  HistoryOptions options;
  options.ticks = 60;
  options.ticks_per_checkpoint = 30;
  const auto history = record_history(path, options);
  const std::string content = read_file(path);
  EXPECT_EQ(examine(path, history), "");
  const std::string copy = folder.file("copy.sluice");
  int found = 0;
  int harmless = 0;
  // Steps that visit every byte offset inside a page and every bit, without visiting all.
  for (std::size_t place = 0; place < content.size(); place += place < 100 ? 1 : 211) {
    std::string damaged = content;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
    write_file(copy, damaged);
    const std::string message = examine(copy, history);
    (message.empty() ? harmless : found) += 1;
    EXPECT_EQ(read_file(copy), damaged) << "reading changed the file";
  }
  // Most of the rest is room in pages that nothing uses.
  EXPECT_GT(found, 50) << harmless;
}

TEST(Corruption, TruncatedFilesAreFound) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  HistoryOptions options;
  options.ticks = 60;
  const auto history = record_history(path, options);
  const std::string content = read_file(path);
  const std::string copy = folder.file("copy.sluice");
  for (std::size_t size = 0; size < content.size(); size += 3001) {
    write_file(copy, content.substr(0, size));
    EXPECT_NE(examine(copy, history), "") << size << " of " << content.size() << " bytes";
  }
}

TEST(Corruption, ReadingLeavesNoTrace) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto history = record_history(path);
  const std::string content = read_file(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(examine(path, history), "");
  EXPECT_EQ(read_file(path), content);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.sluice"});
}

}  // namespace
}  // namespace sluice::record::test::corruption_test
