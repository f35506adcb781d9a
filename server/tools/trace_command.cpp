// `sluice trace FILE --tick T`: one tick of a recording, phase by phase, as this program runs it.
#include <fstream>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/record/reader.h"
#include "server/record/trace_file.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/output.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

struct TraceFlags {
  std::string file;
  std::uint64_t tick = 0;
  std::string out;
  unsigned threads = 0;
  bool json = false;
};

Status write(const record::TraceFile& file, const std::string& path) {
  const record::Bytes bytes = record::encode_trace(file);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) return Error{path + ": cannot be opened for writing"};
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return Error{path + ": could not be written whole"};
  return Done{};
}

void print(const record::TickTrace& trace, sim::Digest recorded, bool as_json) {
  nlohmann::ordered_json json = {{"tick", trace.tick},
                                 {"recorded", hex(recorded)},
                                 {"replayed", hex(trace.digest)},
                                 {"phases", nlohmann::ordered_json::array()}};
  for (const record::TracedPhase& phase : trace.phases) {
    nlohmann::ordered_json layers;
    if (!as_json) std::cout << "after " << phase.phase << ": " << hex(phase.digest) << '\n';
    for (std::size_t i = 0; i < phase.layers.size(); ++i) {
      layers[sim::layer_name(static_cast<sim::Layer>(i))] = hex(phase.layers[i]);
      if (as_json) continue;
      std::cout << "  " << sim::layer_name(static_cast<sim::Layer>(i)) << ' '
                << hex(phase.layers[i]) << '\n';
    }
    json["phases"].push_back(
        {{"phase", phase.phase}, {"digest", hex(phase.digest)}, {"layers", layers}});
  }
  if (as_json) {
    std::cout << json.dump() << '\n';
  } else {
    std::cout << "tick " << trace.tick << ": " << hex(trace.digest) << ", recorded "
              << hex(recorded) << '\n';
  }
}

int run_trace(const TraceFlags& flags) {
  auto reader = record::Reader::open(flags.file);
  if (!reader) return fail(reader.error(), kExitWrongInput);
  if (flags.tick <= (*reader)->first_tick() || flags.tick > (*reader)->last_tick()) {
    return fail(flags.file + ": holds ticks " + std::to_string((*reader)->first_tick() + 1) +
                    " to " + std::to_string((*reader)->last_tick()) + "; --tick is " +
                    std::to_string(flags.tick),
                kExitWrongInput);
  }
  workers::ThreadPool pool(flags.threads);
  auto before = record::world_at(**reader, flags.tick - 1, pool);
  if (!before) return fail(before.error(), kExitFound);
  record::TickRecord record;
  const Status read =
      (*reader)->read_ticks(flags.tick, flags.tick, [&record](const record::TickRecord& tick) {
        record = tick;
        return false;
      });
  if (!read) return fail(read.error(), kExitFound);
  std::vector<sim::Command> commands;
  for (const record::RecordedCommand& recorded : record.commands) {
    commands.push_back(recorded.command);
  }
  record::TraceFile file;
  file.world = before->world->config().name;
  file.made_by = record::program_name();
  file.trace = record::trace_tick(*before->world, commands, pool);
  print(file.trace, record.digest, flags.json);
  if (!flags.out.empty()) {
    if (const Status written = write(file, flags.out); !written) {
      return fail(written.error(), kExitWrongInput);
    }
  }
  return file.trace.digest == record.digest ? kExitWell : kExitFound;
}

}  // namespace

void add_trace_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<TraceFlags>();
  CLI::App* command =
      app.add_subcommand("trace", "Run one tick of a recording, with the digest after each phase");
  command->footer("Example: sluice trace cave.sluice --tick 900 --out tick-900.trace");
  command->add_option("FILE", flags->file, "a recording (NAME.sluice)")
      ->required()
      ->check(recording_file());
  command->add_option("--tick", flags->tick, "the tick")->required()->check(whole_number());
  command->add_option("--out", flags->out,
                      "write the state after each phase, for 'sluice diff --trace-a, --trace-b'");
  command->add_option("--threads", flags->threads, "worker threads (default: one a core)")
      ->check(CLI::Range(0, kMostThreads));
  command->add_flag("--json", flags->json, "print one JSON object instead of text");
  command->callback([flags, &exit_status] { exit_status = run_trace(*flags); });
}

}  // namespace sluice::tools
