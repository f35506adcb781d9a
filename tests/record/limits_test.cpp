// Goal: what the writer takes, the reader reads; what the reader would not read, the writer refuses
// at once. Recordings stay small whoever sends what, and so does the work of writing them.
// Method: the limits that both share, set to a few bytes and at their real values, written up to
// and one beyond; clients that send nothing but what is refused.
#include <random>

#include <gtest/gtest.h>

#include "server/record/bounds.h"
#include "server/record/format.h"
#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/faulty_vfs.h"

namespace sluice::record::test::limits_test {
namespace {

RecordedCommand removal_of(const std::string& name, const std::string& client) {
  RecordedCommand recorded;
  recorded.command.body = sim::RemovePipe{name};
  recorded.client = client;
  return recorded;
}

std::vector<TickRecord> all_of(const std::string& path, const Limits& limits = {}) {
  auto reader = must(Reader::open(path, limits));
  std::vector<TickRecord> ticks;
  if (reader->last_tick() == 0) return ticks;
  must(reader->read_ticks(1, reader->last_tick(), [&](const TickRecord& tick) {
    ticks.push_back(tick);
    return true;
  }));
  return ticks;
}

TEST(RecordLimits, LongTextsAreCutBetweenCharactersAndStayRefused) {
  std::string name(63, 'a');
  for (int i = 0; i < 4000; ++i) name += "\u00e4\u6c34";
  RecordedCommand recorded = removal_of(name, name);
  recorded.applied = false;
  recorded.reason = name;
  bound(recorded);
  const std::string kept = std::get<sim::RemovePipe>(recorded.command.body).name;
  EXPECT_LE(kept.size(), kMaxTextBytes);
  EXPECT_GT(kept.size(), std::size_t{kMaxPipeNameBytes}) << "shorter it might be a name";
  EXPECT_LE(recorded.client.size(), kMaxClientBytes);
  EXPECT_LE(recorded.reason.size(), kMaxReasonBytes);
  for (const std::string& text : {kept, recorded.client, recorded.reason}) {
    EXPECT_TRUE(name.starts_with(text));
    EXPECT_NE(static_cast<unsigned char>(name[text.size()]) & 0xc0U, 0x80U) << "inside a character";
  }
  EXPECT_LE(batch_bytes(recorded), kMaxCommandBytes);
}

TEST(RecordLimits, NoCommandTakesMoreThanIsStated) {
  // Of every kind, with every text as long as it may be.
  const std::string longest(kMaxTextBytes, 'x');
  sim::AddPump pump;
  pump.name = pump.fluid = longest;
  sim::AddValve valve;
  valve.name = valve.fluid = longest;
  sim::AddPort port;
  port.node = longest;
  for (const sim::CommandBody& body :
       {sim::CommandBody(pump), sim::CommandBody(valve), sim::CommandBody(port),
        sim::CommandBody(sim::LinkPipes{longest, longest, true}),
        sim::CommandBody(sim::SetCells{})}) {
    RecordedCommand recorded{{body},
                             std::string(kMaxClientBytes, 'c'),
                             UINT64_MAX,
                             false,
                             std::string(kMaxReasonBytes, 'r')};
    EXPECT_LE(batch_bytes(recorded), kMaxCommandBytes) << sim::name_of(recorded.command);
  }
}

// 1,150 removals of pipes with names of 32 KB, of one client, once made a row that nobody could
// read, and a repair then dropped what everybody else had done.
TEST(RecordLimits, HugeRefusedCommandsLeaveASmallRecordingThatReads) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  std::mt19937 random(3);
  std::vector<TickRecord> history;
  std::uint64_t seq = 0;
  for (std::uint64_t tick = 1; tick <= 2100; ++tick) {
    std::vector<RecordedCommand> commands;
    for (int i = 0; i < (tick % 20 == 0 ? 12 : 0); ++i) {
      std::string name(32000, 'n');
      for (char& letter : name) letter = static_cast<char>('a' + random() % 26);
      commands.push_back(removal_of(name, "anonymous"));
      commands.back().seq = ++seq;
    }
    if (tick % 10 == 0) {
      RecordedCommand pour;
      pour.command.body = sim::Pour{{30, 60, 0}, 7};
      pour.client = "ann";
      pour.seq = tick;
      commands.push_back(pour);
    }
    history.push_back(play(*world, std::move(commands)));
    must(recorder->append(history.back()));
    must(recorder->commit());
  }
  recorder.reset();
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  const VerifyReport report = must(verify(*reader, {}, executor));
  EXPECT_FALSE(report.divergence) << describe(*report.divergence);
  std::uint64_t refused = 0;
  std::uint64_t poured = 0;
  const auto back = all_of(path);
  ASSERT_EQ(back.size(), history.size());
  for (const TickRecord& tick : back) {
    for (const RecordedCommand& recorded : tick.commands) {
      ++(recorded.applied ? poured : refused);
    }
    for (const RefusedMore& more : tick.refused_more) {
      EXPECT_EQ(more.client, "anonymous");
      refused += more.commands;
    }
  }
  EXPECT_EQ(poured, 210U) << "what applied is all there";
  EXPECT_EQ(refused, seq) << "what was refused is there or counted";
  EXPECT_LT(std::filesystem::file_size(path), 600000U);
}

TEST(RecordLimits, RefusedCommandsTakeNoMoreThanTheirShare) {
  // The share is a client's and a window's: others, and later ticks, have theirs.
  RefusalLimit limit;
  std::size_t kept_bytes = 0;
  std::uint64_t counted = 0;
  for (std::uint64_t tick = 1; tick < kRefusalWindowTicks; ++tick) {
    TickRecord record{tick, 0, {}};
    for (int i = 0; i < 100; ++i) {
      RecordedCommand refused = removal_of(std::string(kMaxTextBytes, 'x'), "mallory");
      refused.applied = false;
      record.commands.push_back(refused);
    }
    limit.apply(record);
    for (const RecordedCommand& kept : record.commands) kept_bytes += batch_bytes(kept);
    for (const RefusedMore& more : record.refused_more) counted += more.commands;
  }
  EXPECT_LE(kept_bytes, kRefusedBytesPerWindow);
  EXPECT_GT(kept_bytes, kRefusedBytesPerWindow - kMaxCommandBytes);
  EXPECT_GT(counted, 1800U);
  TickRecord other{kRefusalWindowTicks - 1, 0, {removal_of("x", "ann")}};
  other.commands[0].applied = false;
  limit.apply(other);
  EXPECT_EQ(other.commands.size(), 1U);
  TickRecord later{kRefusalWindowTicks, 0, {removal_of("x", "mallory")}};
  later.commands[0].applied = false;
  limit.apply(later);
  EXPECT_EQ(later.commands.size(), 1U);
}

TEST(RecordLimits, NamesWithoutEndTakeNoMoreThanTheShareOfAll) {
  RefusalLimit limit;
  std::size_t kept_bytes = 0;
  std::size_t counts = 0;
  for (std::uint64_t tick = 1; tick < kRefusalWindowTicks; ++tick) {
    TickRecord record{tick, 0, {}};
    for (int i = 0; i < 2000; ++i) {
      record.commands.push_back(
          removal_of("x", "client-" + std::to_string(tick) + "-" + std::to_string(i)));
      record.commands.back().applied = false;
    }
    limit.apply(record);
    for (const RecordedCommand& kept : record.commands) kept_bytes += batch_bytes(kept);
    counts = std::max(counts, record.refused_more.size());
  }
  EXPECT_LE(kept_bytes, kRefusedBytesOfAll);
  EXPECT_LE(counts, 65U);
}

Limits tiny_limits() {
  Limits limits;
  limits.ticks_per_row = 7;
  limits.commands_per_row = 5;
  limits.bytes_per_row = 500;
  limits.ticks_per_short_merge = 3;
  limits.commands_per_short_merge = 3;
  limits.bytes_per_short_merge = 200;
  limits.batch_bytes = 900;
  limits.core_piece_bytes = 16;
  return limits;
}

TEST(RecordLimits, WhateverIsTakenIsRead) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    const Limits limits = tiny_limits();
    const auto world = make_world();
    auto recorder = must(Recorder::create(path, kWorldFile, *world, limits));
    std::mt19937 random(seed);
    std::vector<TickRecord> taken;
    int refused = 0;
    for (int i = 0; i < 150; ++i) {
      TickRecord tick{taken.size() + 1, random(), {}};
      for (auto n = random() % 6; n > 0; --n) {
        tick.commands.push_back(removal_of(std::string(1 + random() % 90, 'p'),
                                           "client-" + std::to_string(random() % 3)));
        tick.commands.back().seq = random();
        bound(tick.commands.back());
      }
      const bool fits = batch_bytes(tick) <= limits.batch_bytes;
      ASSERT_EQ(recorder->append(tick).ok(), fits) << batch_bytes(tick);
      ++(fits ? taken.emplace_back(tick), refused : ++refused, refused);
      if (random() % 2 == 0) must(recorder->commit());
      if (random() % 20 == 0) {
        must(recorder->commit());
        recorder.reset();
        recorder = must(Recorder::open(path, limits));
      }
    }
    must(recorder->commit());
    recorder.reset();
    const auto back = all_of(path, limits);
    ASSERT_EQ(back.size(), taken.size()) << "seed " << seed;
    for (std::size_t i = 0; i < back.size(); ++i) expect_equal(back[i], taken[i]);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RecordLimits, ATickUpToTheLimitIsReadAndOneByteMoreIsRefused) {
  for (const bool fits : {true, false}) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    TickRecord tick{1, 5, {removal_of("pipe", "ann"), removal_of("pump", "bob")}};
    Limits limits = tiny_limits();
    limits.batch_bytes = batch_bytes(tick) - (fits ? 0 : 1);
    const auto world = make_world();
    auto recorder = must(Recorder::create(path, kWorldFile, *world, limits));
    const Status taken = recorder->append(tick);
    EXPECT_EQ(taken.ok(), fits);
    if (!fits) {
      EXPECT_NE(taken.error().find("at most"), std::string::npos) << taken.error();
      tick.commands.pop_back();
      must(recorder->append(tick));  // it goes on
    }
    must(recorder->commit());
    recorder.reset();
    EXPECT_EQ(all_of(path, limits).at(0).commands.size(), fits ? 2U : 1U);
  }
}

TEST(RecordLimits, TheLargestTickThatThereCanBeIsRead) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  std::mt19937_64 random(1);
  const auto text = [&random](std::size_t bytes) {
    std::string letters(bytes, 'x');
    for (char& letter : letters) letter = static_cast<char>('a' + random() % 26);
    return letters;
  };
  TickRecord tick{1, 5, {}};
  for (int i = 0; i < sim::kMaxCommandsPerTick; ++i) {
    sim::AddPump pump;
    pump.name = text(kMaxTextBytes);
    pump.fluid = text(kMaxTextBytes);
    tick.commands.push_back({{pump}, text(kMaxClientBytes), random(), true, {}});
  }
  must(recorder->append(tick));
  must(recorder->commit());
  recorder.reset();
  expect_equal(all_of(path).at(0), tick);
}

TEST(RecordLimits, WritingIsBoundedByWhatIsWritten) {
  // Each command is written once by its commit, and twice by merges; beside that are pages.
  const auto written_for = [](std::uint64_t ticks) {
    TemporaryFolder folder;
    tests::FaultyVfs medium;
    const auto world = make_world();
    auto recorder = must(Recorder::create(folder.file("a.sluice"), kWorldFile, *world));
    medium.heal();
    std::mt19937 random(1);
    for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
      TickRecord record{tick, random(), {}};
      for (int i = 0; i < 100; ++i) {
        std::string name(60, 'x');
        for (char& letter : name) letter = static_cast<char>('a' + random() % 26);
        record.commands.push_back(removal_of(name, "ann"));
      }
      must(recorder->append(record));
      must(recorder->commit());
    }
    return static_cast<double>(medium.written_bytes());
  };
  const double once = written_for(250);
  EXPECT_LT(written_for(750), 3.3 * once);
}

}  // namespace
}  // namespace sluice::record::test::limits_test
