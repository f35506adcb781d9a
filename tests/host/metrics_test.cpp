// Goal: every metric that the document lists is there, says what happened, and no other one is.
// Method: one sample of each kind with values that differ, read from the text; the table of the
// document.
#include "server/host/metrics.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace sluice::host::metrics_test {
namespace {

/// The value behind `name{world="tub"...}`; a text that says so where there is none.
std::string value_of(const std::string& text, const std::string& name,
                     const std::string& labels = R"({world="tub"})") {
  std::istringstream lines(text);
  const std::string begin = name + labels + " ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return "none";
}

void set_each(net::HubCounters& network) {
  network.viewers = 9;
  network.frames = 10;
  network.frames_skipped = 11;
  network.bytes = 12;
  network.resyncs = 13;
  network.mismatches = 19;
  network.bad_messages = 14;
  network.commands = 15;
  network.commands_refused = 16;
  network.over_limits = 26;
  network.reads_slowed = 27;
}

TEST(MetricsTest, EachSaysWhatHappened) {
  Metrics metrics;
  WorldMetrics& world = metrics.add_world("tub");
  TickSample tick;
  tick.tick = 31;
  tick.seconds = 0.25;
  tick.lateness_seconds = 0.5;
  tick.dropped_ticks = 3;
  tick.active_chunks = 4;
  tick.stored_chunks = 5;
  tick.commands_applied = 6;
  tick.commands_refused = 7;
  tick.recorder_lag_ticks = 8;
  for (int i = 0; i < 2; ++i) world.report(tick);
  net::HubCounters network;
  set_each(network);
  world.report(network);
  world.report(VerifierSample{17, true, 18});
  world.report(BackupSample{20, 21, 22});
  world.report(DiskSample{23, 24, 25, true});
  world.report(OwnedSample{true, 27, {28, 29}, 30});
  world.report_paused(true);
  const std::string text = metrics.text();
  const std::pair<const char*, const char*> expected[] = {
      {"sluice_tick", "31"},
      {"sluice_chunks", "5"},
      {"sluice_active_chunks", "4"},
      {"sluice_tick_seconds_sum", "0.5"},
      {"sluice_tick_seconds_count", "2"},
      {"sluice_tick_lateness_seconds_sum", "1"},
      {"sluice_tick_lateness_seconds_count", "2"},
      {"sluice_dropped_ticks_total", "3"},
      {"sluice_commands_applied_total", "12"},
      {"sluice_commands_refused_total", "14"},
      {"sluice_recorder_lag_ticks", "8"},
      {"sluice_clients", "9"},
      {"sluice_frames_total", "10"},
      {"sluice_frames_skipped_total", "11"},
      {"sluice_sent_bytes_total", "12"},
      {"sluice_digest_mismatches_total", "13"},
      {"sluice_confirmed_mismatches_total", "19"},
      {"sluice_bad_messages_total", "14"},
      {"sluice_commands_received_total", "15"},
      {"sluice_commands_turned_away_total", "16"},
      {"sluice_over_limits_total", "26"},
      {"sluice_reads_slowed_total", "27"},
      {"sluice_verified_tick", "17"},
      {"sluice_verify_alarm", "1"},
      {"sluice_bundles_total", "18"},
      {"sluice_backup_tick", "20"},
      {"sluice_backups_total", "21"},
      {"sluice_backup_failures_total", "22"},
      {"sluice_disk_free_bytes", "23"},
      {"sluice_recording_bytes", "24"},
      {"sluice_recording_grown_bytes", "25"},
      {"sluice_edits_refused", "1"},
      {"sluice_owners", "27"},
      {"sluice_owned_cells", "28"},
      {"sluice_owned_pipes", "29"},
      {"sluice_owned_bytes", "30"},
      {"sluice_paused", "1"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(value_of(text, name), value) << name;
  EXPECT_EQ(value_of(text, "sluice_tick_seconds_bucket", R"({world="tub",le="+Inf"})"), "2");
}

TEST(MetricsTest, CutsOfOldHistoryAreCounted) {
  Metrics metrics;
  metrics.add_world("tub").report(CutSample{32, 33, 34, 0.5});
  const std::string text = metrics.text();
  EXPECT_EQ(value_of(text, "sluice_history_cuts_total"), "32");
  EXPECT_EQ(value_of(text, "sluice_history_cut_failures_total"), "33");
  EXPECT_EQ(value_of(text, "sluice_recording_ticks"), "34");
  EXPECT_EQ(value_of(text, "sluice_history_cut_held_back_seconds"), "0.5");
}

TEST(MetricsTest, CountersNeverFall) {
  Metrics metrics;
  WorldMetrics& world = metrics.add_world("tub");
  net::HubCounters network;
  network.frames = 10;
  world.report(network);
  network.frames = 4;
  world.report(network);
  EXPECT_EQ(value_of(metrics.text(), "sluice_frames_total"), "10");
  world.report(VerifierSample{5, true, 2});
  world.report(VerifierSample{6, false, 1});
  EXPECT_EQ(value_of(metrics.text(), "sluice_verify_alarm"), "0");
  EXPECT_EQ(value_of(metrics.text(), "sluice_bundles_total"), "2");
}

TEST(MetricsTest, AWorldThatGoesTakesItsOwnAlone) {
  Metrics metrics;
  for (const char* name : {"tub", "lake"}) metrics.add_world(name).report_paused(true);
  const auto count = [&metrics](const std::string& what) {
    const std::string text = metrics.text();
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("# TYPE sluice_paused gauge"), 1U) << "a metric stands in the text once";
  EXPECT_EQ(count("sluice_paused{"), 2U);
  metrics.remove_world("tub");
  EXPECT_EQ(count("\"tub\""), 0U);
  EXPECT_EQ(value_of(metrics.text(), "sluice_paused", R"({world="lake"})"), "1");
  metrics.add_world("tub").report_paused(false);
  EXPECT_EQ(value_of(metrics.text(), "sluice_paused"), "0");
  metrics.report_worlds(3, 2);
  EXPECT_EQ(value_of(metrics.text(), "sluice_worlds", ""), "3");
  EXPECT_EQ(value_of(metrics.text(), "sluice_worlds_not_hosted", ""), "2");
}

TEST(MetricsTest, TheDocumentListsEveryOne) {
  Metrics metrics;
  WorldMetrics& world = metrics.add_world("tub");
  world.report(TickSample());
  std::set<std::string> there;
  const std::string text = metrics.text();
  const std::regex type("# TYPE (sluice_[a-z_]+) ");
  for (std::sregex_iterator i(text.begin(), text.end(), type), end; i != end; ++i) {
    there.insert((*i)[1]);
  }
  std::ifstream file(SLUICE_SOURCE_DIR "/server/host/README.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> listed;
  const std::regex name("\\| [^|]*`sluice_[a-z_]+`[^|]*\\|");
  const std::regex word("`(sluice_[a-z_]+)`");
  for (std::sregex_iterator row(document.begin(), document.end(), name), end; row != end; ++row) {
    const std::string cell = row->str();
    for (std::sregex_iterator i(cell.begin(), cell.end(), word); i != end; ++i) {
      listed.insert((*i)[1]);
    }
  }
  EXPECT_EQ(there, listed);
  EXPECT_GE(there.size(), 20U);
}

}  // namespace
}  // namespace sluice::host::metrics_test
