#include "server/host/hosted_worlds.h"

#include <filesystem>
#include <utility>

#include <spdlog/spdlog.h>

#include "server/formats/world_file.h"
#include "server/host/config.h"
#include "server/host/owned_file.h"
#include "server/host/visitor_mark.h"
#include "server/record/files.h"

namespace sluice::host {

HostedWorlds::HostedWorlds(Options options, sim::Executor& executor, Metrics& metrics)
    : options_(std::move(options)), executor_(executor), metrics_(metrics) {}

HostedWorlds::~HostedWorlds() {
  stop();
}

std::string HostedWorlds::path_in_data(const std::string& name) const {
  return (std::filesystem::path(options_.data_directory) / name).string();
}

std::string HostedWorlds::owners_of(const std::string& name) const {
  return path_in_data(name + ".owners");
}

std::string HostedWorlds::recording_of(const std::string& name) const {
  return path_in_data(name + ".sluice");
}

Status HostedWorlds::read_file() {
  auto file = WorldsFile::read(worlds_file_of(options_.data_directory));
  if (!file.ok()) return Error{file.error()};
  file_ = std::move(file).value();
  return Done{};
}

Status HostedWorlds::add_configured(const std::string& world_file) {
  const auto text = formats::read_file(world_file);
  if (!text.ok()) return Error{text.error()};
  const auto spec = formats::parse_world(text.value(), world_file);
  if (!spec.ok()) return Error{spec.error()};
  const std::string& name = spec->config.name;
  if (!configured_.insert(name).second) {
    return Error{world_file + ": there is another world named \"" + name + "\""};
  }
  if (const auto areas = options_.areas.find(name); areas != options_.areas.end()) {
    Status status = check_areas(name, spec->config.size, areas->second);
    if (!status.ok()) return status;
  }
  const auto state = file_->state_of(name);
  if (state == WorldState::kRemoved) {
    spdlog::warn(
        "{}: was removed by an admin and is not hosted, although the configuration names "
        "it; `sluice admin create` makes it again",
        name);
    return Done{};
  }
  if (state == WorldState::kUnloaded) {
    spdlog::info("{}: an admin unloaded it; `sluice admin load` brings it back", name);
    known_[name] = {};
    return Done{};
  }
  if (Status finished = finish_reset(name); !finished) return finished;
  if (options_.fresh && recorded(name)) {
    Status begun = begin_anew_if_changed(world_file, text.value(), spec.value());
    if (!begun) return begun;
  }
  WorldSource source{recording_of(name), world_file, text.value(), {}};
  keep(name, recorded(name) ? compose(bring_back(name, world_file, text.value()), name)
                            : compose(load_new(source, spec.value()), name));
  return Done{};
}

void HostedWorlds::add_made() {
  for (const auto& [name, state] : file_->all()) {
    if (known_.contains(name)) continue;  // the configuration names it
    if (state == WorldState::kUnloaded) known_[name] = {};
    if (state != WorldState::kHosted) continue;
    keep(name, compose(bring_back(name, "", ""), name));
  }
}

// What ails one world is no reason to keep the others from their players.
void HostedWorlds::keep(const std::string& name, Result<std::unique_ptr<Hosted>> hosted) {
  Known& known = known_[name];
  if (hosted.ok()) {
    known.hosted = std::move(hosted).value();
    return;
  }
  known.why = hosted.error();
  spdlog::critical("{}: is not hosted: {}", name, known.why);
}

bool HostedWorlds::recorded(const std::string& name) const {
  return record::files().exists(recording_of(name));
}

/// `world_file` and `text` are empty where there is nothing to compare it with.
Result<LoadedWorld> HostedWorlds::bring_back(const std::string& name, const std::string& world_file,
                                             const std::string& text) {
  if (Status finished = finish_reset(name); !finished) return Error{finished.error()};
  WorldSource source{recording_of(name), world_file, text, {}};
  if (!record::files().exists(source.recording)) {
    return Error{source.recording + ": there is no recording of that name"};
  }
  source.repair.build_world = formats::build_world;
  source.history = options_.history;
  source.before_cut = [this, name](const sim::World& world) {
    if (const Status kept = keep_who_owns_what(name, world.grid().shape(), nullptr); !kept) {
      spdlog::warn("{}: who owns what will not be certain: {}", name, kept.error());
    }
  };
  return load_recorded(source, executor_);
}

Result<std::unique_ptr<Hosted>> HostedWorlds::compose(Result<LoadedWorld> loaded,
                                                      const std::string& name) {
  if (!loaded.ok()) return Error{loaded.error()};
  const sim::WorldConfig& config = loaded->world->config();
  if (config.name != name) {
    return Error{recording_of(name) + ": holds the world \"" + config.name + "\", not \"" + name +
                 "\""};
  }
  const auto areas = options_.areas.find(name);
  if (areas != options_.areas.end()) {
    if (Status fits = check_areas(name, config.size, areas->second); !fits) {
      return Error{fits.error()};
    }
  }
  auto hosted = std::make_unique<Hosted>();
  hosted->name = name;
  hosted->recording = recording_of(name);
  hosted->past = std::move(loaded->past);
  hosted->runner =
      std::make_unique<WorldRunner>(std::move(loaded->world), std::move(loaded->recorder),
                                    executor_, metrics_.add_world(name), options_.work_limits);
  set_holdings(*hosted);
  if (options_.operate) {
    hosted->runner->set_operate([this, name](net::ClientCommand command, auto asker) {
      return options_.operate(std::move(command), std::move(asker), name);
    });
  }
  if (options_.look_back != nullptr) options_.look_back->serve(*hosted->runner);
  if (options_.pause_when_alone.contains(name)) hosted->runner->pause_when_alone();
  if (areas != options_.areas.end()) hosted->runner->set_areas(Areas(areas->second));
  return hosted;
}

void HostedWorlds::set_holdings(Hosted& hosted) const {
  access::LimitsByRole limits;
  {
    const std::lock_guard lock(mutex_);
    limits = role_limits_;
  }
  hosted.runner->set_holdings(
      {hosted.name, hosted.recording, owners_of(hosted.name), path_in_data(kVisitorsKeyFile)},
      limits);
}

// The history that it is counted from is about to be cut.
Status HostedWorlds::keep_who_owns_what(const std::string& name, ChunkShape shape,
                                        const std::atomic<bool>* stop) const {
  {
    const std::lock_guard lock(mutex_);
    if (!owned_is_bound(role_limits_)) return Done{};
  }
  return keep_owned_up_to_now(recording_of(name), owners_of(name), shape, stop);
}

std::unique_ptr<HistoryCutter> HostedWorlds::cutter_of(const Hosted& world) {
  const sim::WorldConfig& config = world.runner->feed().config();
  HistoryCutter::Options options;
  options.name = world.name;
  options.recording = world.recording;
  options.rule = options_.history;
  options.ticks_per_hour = kSecondsPerHour * static_cast<std::uint64_t>(config.tick_rate);
  options.no_room = [this, path = world.recording] {
    return disk_ == nullptr ? std::string()
                            : disk_->no_room_for(DiskGuard::recording_bytes_of(path));
  };
  options.before_cut = [this, name = world.name,
                        shape = config.shape()](const std::atomic<bool>& stop) {
    return keep_who_owns_what(name, shape, &stop);
  };
  options.turn = &cutting_;
  return std::make_unique<HistoryCutter>(std::move(options), world.runner->writer());
}

void HostedWorlds::end_cuts() {
  for_each([](const Hosted& world) {
    if (world.cutter) world.cutter->give_up();
  });
}

void HostedWorlds::set_role_limits(const access::LimitsByRole& limits) {
  const std::lock_guard lock(mutex_);
  role_limits_ = limits;
  for (auto& [name, known] : known_) {
    if (known.hosted) known.hosted->runner->set_role_limits(limits);
  }
}

void HostedWorlds::watch_over(Backups& backups, DiskGuard& disk) {
  backups_ = &backups;
  disk_ = &disk;
  for (auto& [name, known] : known_) {
    if (known.hosted) watch(*known.hosted);
  }
}

void HostedWorlds::watch(Hosted& world) {
  if (backups_ != nullptr) backups_->add(world.name, world.recording);
  if (disk_ == nullptr) return;
  disk_->add({world.name, world.recording, [runner = world.runner.get()](std::string why) {
                runner->refuse_edits(std::move(why));
              }});
}

std::vector<net::HostedWorld> HostedWorlds::to_serve() {
  std::vector<net::HostedWorld> worlds;
  for (auto& [name, known] : known_) {
    if (!known.hosted) continue;
    WorldRunner& runner = *known.hosted->runner;
    worlds.push_back({&runner.feed(), &runner, std::exchange(known.hosted->past, {})});
  }
  return worlds;
}

void HostedWorlds::start() {
  for (auto& [name, known] : known_) {
    if (known.hosted) begin(*known.hosted);
  }
}

void HostedWorlds::begin(Hosted& world) {
  world.runner->start();
  if (options_.look_back != nullptr) options_.look_back->add(*world.runner, world.recording);
  {
    auto cutter = cutter_of(world);
    const std::lock_guard lock(mutex_);  // readers may be there already
    world.cutter = std::move(cutter);
  }
  if (!options_.verify) return;
  BackgroundVerifier::Options options;
  options.name = world.name;
  options.recording = world.recording;
  options.tick_rate = static_cast<std::uint64_t>(world.runner->feed().config().tick_rate);
  const net::HubCounters& counters = world.runner->feed().counters();
  options.mismatches = [&counters] { return counters.mismatches.load(); };
  options.claimants = [&counters] { return counters.claimants.load(); };
  auto verifier = std::make_unique<BackgroundVerifier>(std::move(options));
  const std::lock_guard lock(mutex_);  // readers may be there already
  world.verifier = std::move(verifier);
}

bool HostedWorlds::stop() {
  end_cuts();
  for_each([](const Hosted& world) {
    if (world.verifier) world.verifier->stop();
  });
  bool kept = true;
  for (auto& [name, known] : known_) {
    kept = kept && known.why.empty();
    if (!known.hosted) continue;
    if (known.hosted->cutter) known.hosted->cutter->stop();
    known.hosted->runner->stop();
    kept = kept && known.hosted->runner->trouble().empty();
  }
  return kept;
}

void HostedWorlds::for_each(const std::function<void(const Hosted&)>& look) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, known] : known_) {
    if (known.hosted) look(*known.hosted);
  }
}

std::vector<NotHosted> HostedWorlds::not_hosted() const {
  const std::lock_guard lock(mutex_);
  std::vector<NotHosted> list;
  for (const auto& [name, known] : known_) {
    if (!known.hosted) list.push_back({name, known.why});
  }
  return list;
}

std::size_t HostedWorlds::count() const {
  std::size_t count = 0;
  for_each([&count](const Hosted&) { ++count; });
  return count;
}

std::set<std::string, std::less<>> HostedWorlds::names() const {
  std::set<std::string, std::less<>> names = configured_;
  for (const auto& [name, state] : file_->all()) names.insert(name);
  return names;
}

const HostedWorlds::Known* HostedWorlds::known(const std::string& name) const {
  const auto place = known_.find(name);
  return place == known_.end() ? nullptr : &place->second;
}

WorldRunner* HostedWorlds::runner(const std::string& name) const {
  const Known* const world = known(name);
  return world == nullptr || !world->hosted ? nullptr : world->hosted->runner.get();
}

}  // namespace sluice::host
