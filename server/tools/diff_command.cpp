// `sluice diff A B`: two recordings of one world, to the first value that differs.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/formats/world_file.h"
#include "server/record/diff.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/output.h"
#include "server/tools/progress.h"
#include "server/tools/report_text.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

constexpr SideNames kSides = {"a", "b"};
constexpr SideNames kSideTitles = {"A", "B"};

struct DiffFlags {
  std::string a;
  std::string b;
  std::string trace_a;
  std::string trace_b;
  std::uint64_t spread = 20;
  unsigned threads = 0;
  bool json = false;
};

const char* name_of(record::SeenBy seen_by) {
  switch (seen_by) {
    case record::SeenBy::kReplay:
      return "replay";
    case record::SeenBy::kCheckpoint:
      return "checkpoint";
    case record::SeenBy::kDigest:
      return "digest";
    case record::SeenBy::kNothing:
      break;
  }
  return "nothing";
}

nlohmann::ordered_json side_json(const record::DiffSide& side, std::uint64_t tick) {
  return {{"recorded", hex(side.recorded)},
          {"replayed", hex(side.replayed)},
          {"replays", side.replays},
          {"commands", to_json(side.commands, tick)}};
}

nlohmann::ordered_json found_json(const record::FirstDifference& found) {
  nlohmann::ordered_json json = {{"tick", found.tick},
                                 {"phase", nullptr},
                                 {"seen_by", name_of(found.seen_by)},
                                 {"seen_at", found.seen_at},
                                 {"same_commands", found.same_commands}};
  if (!found.phase.empty()) json["phase"] = found.phase;
  json.update(to_json(found.where, kSides));
  auto& phases = json["phases"] = nlohmann::ordered_json::array();
  for (const record::PhaseDigests& phase : found.digests) {
    phases.push_back(
        {{"phase", phase.phase}, {"a", hex(phase.expected)}, {"b", hex(phase.actual)}});
  }
  json["a"] = side_json(found.a, found.tick);
  json["b"] = side_json(found.b, found.tick);
  auto& spread = json["spread"] = nlohmann::ordered_json::array();
  for (const record::Spread& one : found.spread) {
    spread.push_back({{"tick", one.tick},
                      {"cells", one.cells},
                      {"chunks", one.chunks},
                      {"fields", one.fields},
                      {"box", to_json(one.cell_box)}});
  }
  json["differing_ticks"] = found.differing_ticks;
  json["agrees_again"] = nullptr;
  if (found.agrees_again) json["agrees_again"] = *found.agrees_again;
  json["remark"] = found.remark;
  return json;
}

void print_json(const record::DiffReport& report, double seconds) {
  nlohmann::ordered_json json = {{"same", report.same()},
                                 {"world", report.world},
                                 {"first_tick", report.first_tick},
                                 {"last_tick", report.last_tick},
                                 {"last_tick_a", report.last_tick_a},
                                 {"last_tick_b", report.last_tick_b},
                                 {"commands_differ_at", nullptr},
                                 {"difference", nullptr},
                                 {"seconds", seconds}};
  if (report.commands_differ_at) json["commands_differ_at"] = *report.commands_differ_at;
  if (report.difference) json["difference"] = found_json(*report.difference);
  std::cout << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
}

void print_commands(const record::FirstDifference& found) {
  if (found.same_commands) {
    std::cout << "  both got the same " << counted(found.a.commands.size(), "command")
              << " in that tick\n"
              << to_text(found.a.commands, found.tick, "    ");
    return;
  }
  std::cout << "  A's commands in that tick (" << found.a.commands.size() << "):\n"
            << to_text(found.a.commands, found.tick, "    ") << "  B's commands in that tick ("
            << found.b.commands.size() << "):\n"
            << to_text(found.b.commands, found.tick, "    ");
}

void print_place(const record::FirstDifference& found) {
  switch (found.seen_by) {
    case record::SeenBy::kReplay:
      std::cout << "  after phase " << found.phase << " of that tick:\n";
      break;
    case record::SeenBy::kDigest:
      std::cout << "  one flipped bit explains the digest:\n";
      break;
    case record::SeenBy::kCheckpoint:
      std::cout << "  as the checkpoint of tick " << found.seen_at << " shows it:\n";
      break;
    case record::SeenBy::kNothing:
      std::cout << "  neither a replay nor a checkpoint shows where\n";
      break;
  }
  std::cout << to_text(found.where, kSideTitles, "    ");
}

void print_spread(const record::FirstDifference& found) {
  if (!found.spread.empty()) std::cout << "  how it spreads:\n";
  for (const record::Spread& one : found.spread) {
    std::cout << "    tick " << one.tick << ": " << counted(one.cells, "cell") << " in "
              << counted(one.chunks, "chunk") << ", " << counted(one.fields, "other value");
    if (!one.cell_box.empty()) {
      std::cout << "; cells " << to_string(one.cell_box.from) << " to "
                << to_string(one.cell_box.from + one.cell_box.size - Vec3{1, 1, 1});
    }
    std::cout << '\n';
  }
  std::cout << "  " << counted(found.differing_ticks, "tick") << " of those compared differ";
  if (found.agrees_again) std::cout << "; tick " << *found.agrees_again << " agrees again";
  std::cout << '\n';
}

void print_text(const DiffFlags& flags, const record::DiffReport& report) {
  std::cout << flags.a << " and " << flags.b << ": ";
  if (report.difference) {
    const record::FirstDifference& found = *report.difference;
    std::cout << "differ first at tick " << found.tick;
    if (!found.phase.empty()) std::cout << ", in phase " << found.phase;
    std::cout << " (world \"" << report.world << "\", ticks " << report.first_tick + 1 << " to "
              << report.last_tick << " compared)\n";
    if (report.commands_differ_at && *report.commands_differ_at < found.tick) {
      std::cout << "  their commands or outcomes differ already at tick "
                << *report.commands_differ_at << "; the states stay equal until tick " << found.tick
                << '\n';
    }
    print_place(found);
    std::cout << "  digests recorded: A " << hex(found.a.recorded) << ", B "
              << hex(found.b.recorded) << '\n';
    for (const record::PhaseDigests& phase : found.digests) {
      std::cout << "    after " << phase.phase << ": "
                << (phase.expected == phase.actual ? "equal" : "different") << '\n';
    }
    print_commands(found);
    print_spread(found);
    if (!found.remark.empty()) std::cout << "  " << found.remark << '\n';
  } else if (report.commands_differ_at) {
    std::cout << "every digest of ticks " << report.first_tick + 1 << " to " << report.last_tick
              << " is equal, but their commands or outcomes differ at tick "
              << *report.commands_differ_at << '\n';
  } else {
    std::cout << "the same in ticks " << report.first_tick + 1 << " to " << report.last_tick
              << ": every digest, command and outcome\n";
  }
  if (report.last_tick_a != report.last_tick_b) {
    std::cout << "  their lengths differ: A ends at tick " << report.last_tick_a << ", B at tick "
              << report.last_tick_b << "; the common part was compared\n";
  }
}

/// Empty path: nothing.
Result<std::optional<record::TraceFile>> read_trace(const std::string& path) {
  if (path.empty()) return std::optional<record::TraceFile>();
  const auto bytes = formats::read_file(path);
  if (!bytes) return Error{bytes.error()};
  auto trace = record::decode_trace(std::as_bytes(std::span(*bytes)));
  if (!trace) return Error{path + ": " + trace.error()};
  return std::optional(std::move(trace).value());
}

int run_diff(const DiffFlags& flags) {
  auto a = record::Reader::open(flags.a);
  if (!a) return fail(a.error());
  auto b = record::Reader::open(flags.b);
  if (!b) return fail(b.error());
  const auto trace_a = read_trace(flags.trace_a);
  if (!trace_a) return fail(trace_a.error());
  const auto trace_b = read_trace(flags.trace_b);
  if (!trace_b) return fail(trace_b.error());
  workers::ThreadPool pool(flags.threads);
  Progress progress("comparing", std::min((*a)->last_tick(), (*b)->last_tick()));
  record::DiffOptions options;
  options.spread_ticks = flags.spread;
  if (*trace_a) options.trace_a = &**trace_a;
  if (*trace_b) options.trace_b = &**trace_b;
  options.progress = [&progress](std::uint64_t tick) { progress.at(tick); };
  const auto start = std::chrono::steady_clock::now();
  const auto report = record::diff(**a, **b, options, pool);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!report) return fail(report.error());
  print_text(flags, *report);
  if (flags.json) print_json(*report, seconds.count());
  return report->same() ? kExitWell : kExitFound;
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* command = app.add_subcommand(
      "diff", "Compare two recordings of a world, to the first value that differs");
  command->footer("Example: sluice diff ours.sluice theirs.sluice");
  command->add_option("A", flags->a, "a recording (NAME.sluice)")
      ->required()
      ->check(recording_file());
  command->add_option("B", flags->b, "another one of the same world")
      ->required()
      ->check(recording_file());
  command
      ->add_option("--spread", flags->spread,
                   "follow the difference over this many ticks (default: 20)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{100000}));
  command->add_option("--trace-a", flags->trace_a,
                      "what A's own program did in the tick (a file of 'sluice trace')");
  command->add_option("--trace-b", flags->trace_b, "likewise for B");
  command->add_option("--threads", flags->threads, "worker threads (default: one a core)")
      ->check(CLI::Range(0, kMostThreads));
  command->add_flag("--json", flags->json, "print one JSON object as the last line");
  command->callback([flags, &exit_status] { exit_status = run_diff(*flags); });
}

}  // namespace sluice::tools
