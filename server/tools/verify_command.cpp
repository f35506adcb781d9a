// `sluice verify FILE`: replays a recording and compares every digest, outcome and checkpoint.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/formats/world_file.h"
#include "server/record/verify.h"
#include "server/record/write_lock.h"
#include "server/sim/text.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/output.h"
#include "server/tools/progress.h"
#include "server/tools/report_text.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

struct VerifyFlags {
  std::string file;
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;
  bool every_tick_restore = false;
  bool follow = false;
  unsigned threads = 0;
  std::uint64_t shuffle = 0;
  CLI::Option* shuffle_given = nullptr;
  std::string after;
  bool json = false;
};

/// The digest of the world that the recording's own world file describes. A file that this program
/// can no longer read is a warning, because the checkpoint of tick 0 holds all that a replay needs.
std::optional<sim::Digest> described_world(const record::Reader& reader) {
  const auto spec = formats::parse_world(reader.world_file_text(), reader.path() + " (world file)",
                                         reader.water());
  if (!spec) {
    std::cerr << "sluice: warning: " << sim::printable(spec.error()) << '\n';
    return std::nullopt;
  }
  const auto world = sim::World::create(*spec);
  if (!world) {
    std::cerr << "sluice: warning: " << sim::printable(world.error()) << '\n';
    return std::nullopt;
  }
  return (*world)->digest();
}

constexpr SideNames kSides = {"recorded", "replayed"};

nlohmann::ordered_json divergence_json(const record::Divergence& divergence) {
  nlohmann::ordered_json json = {{"tick", divergence.tick},
                                 {"what", divergence.what},
                                 {"recorded", hex(divergence.recorded)},
                                 {"replayed", hex(divergence.replayed)}};
  json.update(to_json(divergence.where, kSides));
  json["flipped_bit"] = nullptr;
  if (divergence.flipped_bit) {
    // Found from the replayed state, so that side is the expected one.
    json["flipped_bit"] = to_json(*divergence.flipped_bit, {"replayed", "recorded"});
  }
  if (divergence.located_at) json["located_at"] = *divergence.located_at;
  json["commands"] = to_json(divergence.commands, divergence.tick);
  return json;
}

void print_json(const record::VerifyReport& report, std::uint64_t begins, double seconds) {
  nlohmann::ordered_json json = {{"verified", !report.divergence.has_value()},
                                 {"first_tick", report.first_tick},
                                 {"last_tick", report.last_tick},
                                 {"begins", begins},
                                 {"commands", report.commands},
                                 {"checkpoints", report.checkpoints},
                                 {"seconds", seconds}};
  if (report.divergence) json["divergence"] = divergence_json(*report.divergence);
  std::cout << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
}

/// `begins`: the tick of the recording's first state.
void print_text(const VerifyFlags& flags, const record::VerifyReport& report,
                std::uint64_t begins) {
  if (report.divergence) {
    std::cout << flags.file << ": " << record::describe(*report.divergence) << '\n'
              << to_text(report.divergence->commands, report.divergence->tick, "    ");
    return;
  }
  std::cout << flags.file << ": verified: " << report.last_tick - report.first_tick << " ticks ("
            << report.first_tick << " to " << report.last_tick << "), " << report.commands
            << " commands and " << report.checkpoints << " checkpoints replay bit for bit\n";
  if (begins == 0) return;
  std::cout << "    It begins with the state of tick " << begins;
  if (flags.after.empty()) {
    std::cout << ". How the world came to be that is not proved by it; a recording that ends there "
                 "proves it with --after\n";
  } else {
    std::cout << ", which is that at the end of " << flags.after << '\n';
  }
}

/// Whether the recording goes on where the other one ends: from the same world file, at its last
/// tick, with its last digest. The other one is not verified by this.
Status check_continues(record::Reader& reader, const std::string& before_path) {
  auto before = record::Reader::open(before_path);
  if (!before) return Error{before.error()};
  const auto broken = [&](const std::string& why) {
    return Error{reader.path() + ": does not go on from " + before_path + ": " + why};
  };
  if ((*before)->world_file_text() != reader.world_file_text()) {
    return broken("they are of two worlds");
  }
  const std::uint64_t end = (*before)->last_tick();
  if (end != reader.first_tick()) {
    return broken("it begins at tick " + std::to_string(reader.first_tick()) +
                  ", and that ends at tick " + std::to_string(end));
  }
  if (end == (*before)->first_tick()) return broken("that holds no tick");
  const auto digest = (*before)->digests(end, end);
  if (!digest) return Error{digest.error()};
  const auto state = reader.checkpoint_after(end);
  if (!state) return Error{state.error()};
  if (!*state || (*state)->tick != end) return reader.lacks_first_checkpoint();
  if ((*state)->digest == digest->front()) return Done{};
  return broken("the states of tick " + std::to_string(end) + " differ (" + hex(digest->front()) +
                " at its end, " + hex((*state)->digest) + " at the beginning of this one)");
}

/// Verifies what is there, and with --follow also what comes, until the recording's writer has
/// gone.
Status run_to_end(const VerifyFlags& flags, record::Reader& reader, record::Verifier& verifier) {
  const std::uint64_t to = flags.to.value_or(UINT64_MAX);
  for (;;) {
    // Asked before the file is looked at: what a writer that has gone by then left is all there.
    const bool grows = flags.follow && record::WriteLock::held(flags.file);
    if (flags.follow) {
      if (const Status looked = reader.refresh(); !looked) return looked;
    }
    if (const Status done = verifier.advance(to); !done) return done;
    if (verifier.finished() || !grows || verifier.report().last_tick >= to) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (verifier.report().divergence && !verifier.finished()) return verifier.advance(UINT64_MAX);
  return Done{};
}

int run_verify(const VerifyFlags& flags) {
  auto reader = record::Reader::open(flags.file);
  if (!reader) return fail(reader.error());
  const std::uint64_t last = (*reader)->last_tick();
  const std::string ends = flags.file + ": ends at tick " + std::to_string(last) + ", before --";
  if (flags.from > last) return fail(ends + "from " + std::to_string(flags.from));
  if (flags.to && *flags.to > last && !flags.follow) {
    return fail(ends + "to " + std::to_string(*flags.to));
  }
  if (flags.to && *flags.to < flags.from) {
    return fail("--to " + std::to_string(*flags.to) + " lies before --from " +
                std::to_string(flags.from));
  }
  if (!flags.after.empty()) {
    if (const Status fits = check_continues(**reader, flags.after); !fits) {
      return fail(fits.error(), kExitFound);
    }
  }
  workers::ThreadPool pool(flags.threads);
  workers::ShuffledExecutor shuffled(pool, flags.shuffle);
  sim::Executor* executor = &pool;
  if (flags.shuffle_given->count() > 0) executor = &shuffled;
  Progress progress("verifying", flags.to.value_or(last));
  record::VerifyOptions options;
  options.from = flags.from;
  options.restore_every_tick = flags.every_tick_restore;
  if ((*reader)->first_tick() == 0) options.described_world = described_world(**reader);
  options.progress = [&progress](std::uint64_t tick) { progress.at(tick); };
  record::Verifier verifier(**reader, std::move(options), *executor);
  const auto start = std::chrono::steady_clock::now();
  const Status done = run_to_end(flags, **reader, verifier);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!done) return fail(done.error(), kExitFound);
  print_text(flags, verifier.report(), (*reader)->first_tick());
  if (flags.json) print_json(verifier.report(), (*reader)->first_tick(), seconds.count());
  return verifier.report().divergence ? kExitFound : kExitWell;
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command =
      app.add_subcommand("verify", "Replay a recording and compare every digest on the way");
  command->footer("Example: sluice verify cave.sluice --from 900");
  command->add_option("FILE", flags->file, "a recording (NAME.sluice), of a running server too")
      ->required()
      ->check(recording_file());
  command
      ->add_option("--from", flags->from,
                   "begin at the last checkpoint at or before this tick (default: 0)")
      ->check(whole_number());
  command->add_option("--to", flags->to, "compare no further than this tick (default: the last)")
      ->check(whole_number());
  command
      ->add_option(
          "--after", flags->after,
          "the recording that holds what came before: its end must be the beginning of FILE")
      ->check(recording_file());
  command->add_flag("--every-tick-restore", flags->every_tick_restore,
                    "go on from a restored snapshot after each tick: finds forgotten state");
  command->add_flag("--follow", flags->follow,
                    "go on with what is recorded meanwhile, until the recording's writer ends");
  command->add_option("--threads", flags->threads, "worker threads (default: one a core)")
      ->check(CLI::Range(0, kMostThreads));
  flags->shuffle_given =
      command
          ->add_option("--shuffle", flags->shuffle,
                       "process in an order shuffled by this seed: changes nothing")
          ->check(whole_number());
  command->add_flag("--json", flags->json, "print one JSON object as the last line");
  command->callback([flags, &exit_status] { exit_status = run_verify(*flags); });
}

}  // namespace sluice::tools
