#include "server/host/load_world.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "protocol/base/sometimes.h"
#include "server/host/past_results.h"
#include "server/record/seal.h"

namespace sluice::host {

namespace {

/// Cuts the old history off, where there is enough of it. The world is not touched, so a cut that
/// fails is no reason not to host it.
Status cut_history(const WorldSource& source, const sim::World& world,
                   std::unique_ptr<record::Recorder>& recorder) {
  if (source.history.hours == 0) return Done{};
  if (source.before_cut) source.before_cut(world);
  const std::uint64_t ticks_per_hour =
      source.ticks_per_hour > 0
          ? source.ticks_per_hour
          : kSecondsPerHour * static_cast<std::uint64_t>(world.config().tick_rate);
  record::SealOptions options = seal_options(source.history, ticks_per_hour);
  options.limits = source.repair.limits;
  recorder.reset();  // nobody writes the file meanwhile
  const auto sealed = record::seal(source.recording, options);
  if (!sealed) {
    spdlog::error("{}: its old history is not cut off: {}", world.config().name, sealed.error());
  } else if (*sealed) {
    SLUICE_SOMETIMES("a start cut old history off");
    spdlog::info("{}", record::describe(**sealed));
  }
  auto opened = record::Recorder::open(source.recording, source.repair.limits);
  if (!opened.ok()) return Error{opened.error()};
  recorder = std::move(opened).value();
  return Done{};
}

// The recorder is opened before the world is brought back, because it keeps other servers out of
// the file.
Result<LoadedWorld> load_whole(const WorldSource& source, sim::Executor& executor) {
  const std::string& path = source.recording;
  auto recorder = record::Recorder::open(path, source.repair.limits);
  if (!recorder.ok()) return Error{recorder.error()};
  auto recovered = record::recover(path, executor);
  if (!recovered.ok()) return Error{recovered.error()};
  for (const std::string& warning : recovered->warnings) spdlog::warn("{}", warning);
  const std::uint64_t tick = recovered->world->tick_number();
  if (recorder.value()->last_tick() != tick) {
    return Error{path + ": its history ends at tick " +
                 std::to_string(recorder.value()->last_tick()) + ", the world at tick " +
                 std::to_string(tick)};
  }
  spdlog::info("{}: goes on at tick {} from {} ({} ticks replayed)",
               recovered->world->config().name, tick, path, recovered->replayed_ticks);
  if (!source.text.empty() && recovered->world_file_text != source.text) {
    spdlog::warn(
        "{}: {} has changed since the world was begun; the recording {} wins. To begin anew, start "
        "with --fresh",
        recovered->world->config().name, source.world_file, path);
  }
  // What the world is does not hang on it.
  net::PastResults past;
  if (auto read = read_past_results(path); read.ok()) {
    past = std::move(read).value();
  } else {
    spdlog::warn("what became of the commands before the start cannot be told: {}", read.error());
  }
  if (Status cut = cut_history(source, *recovered->world, recorder.value()); !cut) {
    return Error{cut.error()};
  }
  return LoadedWorld{std::move(recovered->world), std::move(recorder).value(), std::nullopt,
                     std::move(past)};
}

}  // namespace

Result<bool> complete_interrupted(const std::string& recording) {
  auto finished = record::finish_repair(recording);
  if (finished.ok() && *finished) {
    spdlog::warn(
        "{}: a repair or a cut that had been interrupted was completed; what it set aside lies "
        "beside it, and `sluice verify` says of a damaged file what it lacks",
        recording);
  }
  return finished;
}

Result<LoadedWorld> load_recorded(const WorldSource& source, sim::Executor& executor) {
  const auto finished = complete_interrupted(source.recording);
  if (!finished) return Error{finished.error()};
  auto loaded = load_whole(source, executor);
  // What was lost may have been applied.
  if (loaded.ok() && *finished) loaded->past = {};
  if (loaded.ok()) return loaded;
  auto repaired = record::repair(source.recording, source.repair);
  if (!repaired) {
    if (repaired.error() == loaded.error()) return loaded;
    return Error{loaded.error() + "; and it cannot be repaired: " + repaired.error()};
  }
  if (repaired->damage.whole()) return loaded;
  SLUICE_SOMETIMES("a start repaired its recording");
  spdlog::critical("{}", record::describe(*repaired));
  loaded = load_whole(source, executor);
  if (loaded.ok()) {
    loaded->repaired = std::move(repaired).value();
    loaded->past = {};  // what was lost may have been applied
  }
  return loaded;
}

Result<LoadedWorld> load_new(const WorldSource& source, const sim::WorldSpec& spec) {
  auto world = sim::World::create(spec);
  if (!world.ok()) return Error{source.world_file + ": " + world.error()};
  auto recorder =
      record::Recorder::create(source.recording, source.text, *world.value(), source.repair.limits);
  if (!recorder.ok()) return Error{recorder.error()};
  spdlog::info("{}: begins, recorded in {}", spec.config.name, source.recording);
  return LoadedWorld{std::move(world).value(), std::move(recorder).value(), std::nullopt, {}};
}

}  // namespace sluice::host
