// What admins do to the worlds of a running server (hosted_worlds.h).
#include <filesystem>
#include <utility>

#include <spdlog/spdlog.h>

#include "server/formats/world_file.h"
#include "server/host/hosted_worlds.h"
#include "server/host/write_whole.h"
#include "server/record/durable.h"
#include "server/record/files.h"
#include "server/record/reader.h"
#include "server/record/repair.h"
#include "server/record/write_lock.h"

namespace sluice::host {

namespace fs = std::filesystem;

namespace {

constexpr const char* kResetEnding = ".reset";
constexpr const char* kUnfinishedFolder = ".new";
constexpr std::chrono::seconds kSavePatience{5};
/// Somebody who wants to pause a world may wait behind it.
constexpr std::chrono::seconds kSealPatience{30};

/// A name that nothing has: BASE.ENDING, BASE-2.ENDING ...
std::string free_name_of(const std::string& base, const std::string& ending) {
  std::string name = base + ending;
  for (int i = 2; record::files().exists(name); ++i) {
    name = base + "-" + std::to_string(i) + ending;
  }
  return name;
}

Status make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{folder + ": cannot be made: " + error.message()};
  return record::sync_directory_of(folder);
}

/// Of a file or folder in the data folder, as admins are told it.
std::string in_data(const std::string& path, const std::string& data) {
  return fs::path(path).lexically_relative(data).string();
}

}  // namespace

Status HostedWorlds::room_for_one_more(const std::string& name) const {
  if (known(name) == nullptr && known_.size() >= options_.bounds.worlds) {
    return Error{"this server has " + std::to_string(known_.size()) + " worlds, and takes " +
                 std::to_string(options_.bounds.worlds) +
                 " (most_worlds), those that are unloaded included; remove one first"};
  }
  if (disk_ == nullptr) return Done{};
  const std::string refusal = disk_->no_room_for(0);
  return refusal.empty() ? Status(Done{}) : Status(Error{refusal});
}

Result<std::unique_ptr<Hosted>> HostedWorlds::make_new(const std::string& text,
                                                       const sim::WorldSpec& spec,
                                                       const std::string& recording) {
  auto world = sim::World::create(spec);
  if (!world.ok()) return Error{"the world file: " + world.error()};
  const std::int64_t chunks = world.value()->grid().chunk_count();
  if (chunks > std::int64_t{options_.bounds.chunks}) {
    return Error{"the world begins with " + std::to_string(chunks) +
                 " chunks that hold anything; at most " + std::to_string(options_.bounds.chunks) +
                 " (most_new_chunks)"};
  }
  auto recorder = record::Recorder::create(recording, text, *world.value());
  if (!recorder.ok()) return Error{recorder.error()};
  spdlog::info("{}: begins, recorded in {}", spec.config.name, recording);
  return compose(
      LoadedWorld{std::move(world).value(), std::move(recorder).value(), std::nullopt, {}},
      spec.config.name);
}

Result<std::string> HostedWorlds::create(const std::string& world_file_text) {
  if (world_file_text.size() > formats::kMostSentBytes) {
    return Error{"the world file has " + std::to_string(world_file_text.size()) +
                 " bytes; at most " + std::to_string(formats::kMostSentBytes)};
  }
  const auto spec = formats::parse_world(world_file_text, "the world file");
  if (!spec.ok()) return Error{spec.error()};
  const std::string name = spec->config.name;
  if (const Known* const world = known(name); world != nullptr) {
    return Error{"there is a world named \"" + name + "\" already" +
                 (world->hosted ? "" : ", which is not loaded; load it, or remove it first")};
  }
  if (Status room = room_for_one_more(name); !room) return Error{room.error()};
  if (recorded(name)) {
    return Error{"the data folder has a recording " + name +
                 ".sluice already; load goes on with it; to begin anew, move it away"};
  }
  const auto before = file_->state_of(name);
  auto hosted = make_new(world_file_text, spec.value(), recording_of(name));
  Status kept = hosted.ok() ? file_->set(name, WorldState::kHosted) : Status(Error{hosted.error()});
  if (kept) kept = open(std::move(hosted).value());
  if (kept) return name;
  // As if nothing had been.
  if (hosted.ok()) hosted.value().reset();
  metrics_.remove_world(name);
  (void)file_->set(name, before);
  record::remove_recording(recording_of(name));
  return Error{kept.error()};
}

// From here on readers see it, and it is served.
Status HostedWorlds::open(std::unique_ptr<Hosted> world) {
  Hosted& it = *world;
  if (server_ != nullptr) {
    Status served =
        server_->add_world({&it.runner->feed(), it.runner.get(), std::exchange(it.past, {})});
    if (!served) return served;
  }
  {
    const std::lock_guard lock(mutex_);
    Known& known = known_[it.name];
    known.hosted = std::move(world);
    known.why.clear();
    it.runner->set_role_limits(role_limits_);  // somebody may have set others meanwhile
  }
  watch(it);
  if (disk_ != nullptr) disk_->look();  // before anybody edits for long
  begin(it);
  return Done{};
}

// It stays known. Nobody looks at it any more before it ends.
HostedWorlds::Ended HostedWorlds::close(const std::string& name, const std::string& why) {
  std::unique_ptr<Hosted> world;
  {
    const std::lock_guard lock(mutex_);
    world = std::move(known_[name].hosted);
  }
  world->cutter.reset();  // gives up what is under way
  // Before the rest: what is looked back in is about to end, or to be moved.
  if (options_.look_back != nullptr) options_.look_back->remove(name, why);
  if (disk_ != nullptr) disk_->remove(name);
  if (backups_ != nullptr) backups_->remove(name);
  world->verifier.reset();
  world->runner->stop(why);
  if (server_ != nullptr) server_->remove_world(name, why);
  const std::uint64_t last = world->runner->feed().tick();
  const std::uint64_t durable = world->runner->writer().durable_tick();
  world.reset();  // and with it the recording's lock
  metrics_.remove_world(name);
  return {durable, last - std::min(last, durable), name + ".sluice"};
}

Result<std::uint64_t> HostedWorlds::load(const std::string& name) {
  if (runner(name) != nullptr) return Error{"\"" + name + "\" is loaded already"};
  if (!sim::valid_world_name(name)) {
    return Error{"that is no name of a world: 1 to 64 of a-z, 0-9 and '-'"};
  }
  if (Status room = room_for_one_more(name); !room) return Error{room.error()};
  auto hosted = compose(bring_back(name, "", ""), name);
  if (!hosted.ok()) return Error{hosted.error()};
  const std::uint64_t tick = hosted.value()->runner->feed().tick();
  const bool configured = configured_.contains(name);
  const auto before = file_->state_of(name);
  Status kept =
      file_->set(name, configured ? std::nullopt : std::optional<WorldState>(WorldState::kHosted));
  if (kept) kept = open(std::move(hosted).value());
  if (kept) return tick;
  if (hosted.ok()) hosted.value().reset();
  metrics_.remove_world(name);
  (void)file_->set(name, before);
  return Error{kept.error()};
}

Result<HostedWorlds::Ended> HostedWorlds::unload(const std::string& name) {
  const Known* const world = known(name);
  if (world == nullptr) return Error{"no such world: " + name};
  if (!world->hosted && world->why.empty()) return Error{"\"" + name + "\" is not loaded"};
  if (Status kept = file_->set(name, WorldState::kUnloaded); !kept) return Error{kept.error()};
  if (world->hosted) return close(name, "the world was unloaded");
  const std::lock_guard lock(mutex_);
  known_[name].why.clear();
  return Ended{0, 0, name + ".sluice"};
}

// A crash may come between any two steps. So the file of worlds says first that the world is
// unloaded: a server that starts then does not host what is half removed. Once the recording is out
// of the way, that file forgets the world, or, where the configuration names it, says that it was
// removed.
Result<HostedWorlds::Ended> HostedWorlds::remove(const std::string& name, RecordingFate fate) {
  if (known(name) == nullptr) return Error{"no such world: " + name};
  if (Status kept = file_->set(name, WorldState::kUnloaded); !kept) return Error{kept.error()};
  Ended ended;
  if (runner(name) != nullptr) ended = close(name, "the world was removed");
  Status done = set_aside(name, fate, ended.recording);
  const bool configured = configured_.contains(name);
  if (done) {
    done = file_->set(name,
                      configured ? std::optional<WorldState>(WorldState::kRemoved) : std::nullopt);
  }
  const std::lock_guard lock(mutex_);
  if (!done) {
    known_[name].why.clear();
    return Error{"the world is unloaded and not removed: " + done.error()};
  }
  known_.erase(name);
  return ended;
}

Status HostedWorlds::set_aside(const std::string& name, RecordingFate fate, std::string& lies) {
  const std::string path = recording_of(name);
  lies.clear();
  // Whose it was is told by that recording alone.
  if (Status gone = record::files().remove(owners_of(name)); !gone) return gone;
  if (!record::files().exists(path)) return Done{};
  if (fate == RecordingFate::kDelete) {
    record::remove_recording(path);
    if (record::files().exists(path)) return Error{path + ": cannot be deleted"};
    return record::sync_directory_of(path);
  }
  const std::string folder = path_in_data("removed");
  if (Status made = make_folder(folder); !made) return made;
  const std::string to =
      free_name_of(folder + "/" + name + "-" + stamp_of(options_.now()), ".sluice");
  // Where somebody reads the recording, part of it may lie beside it.
  bool alone = true;
  for (const char* companion : record::kCompanions) {
    alone = alone && !record::files().exists(path + companion);
  }
  Status done = Done{};
  if (alone) {
    done = record::rename_file(path, to);
    if (done) done = record::sync_directory_of(to);
  } else {
    const auto copied = record::backup(path, to);
    if (!copied.ok()) return Error{copied.error()};
    record::remove_recording(path);
  }
  if (!done) return done;
  lies = in_data(to, options_.data_directory);
  return record::sync_directory_of(path);
}

// A recording that begins anew, beside the one that is. Decided is it when that is gone.
Status HostedWorlds::prepare_reset(const std::string& name) {
  const std::string path = recording_of(name);
  auto reader = record::Reader::open(path);
  if (!reader.ok()) return Error{reader.error()};
  const std::string text = (*reader)->world_file_text();
  return prepare_beginning(name, text, formats::build_world(text, (*reader)->water()));
}

Status HostedWorlds::prepare_beginning(const std::string& name, const std::string& text,
                                       const Result<std::unique_ptr<sim::World>>& world) {
  const std::string made = recording_of(name) + kResetEnding;
  if (!world.ok()) return Error{"its world file: " + world.error()};
  record::remove_recording(made);
  const auto recorder = record::Recorder::create(made, text, *world.value());
  return recorder.ok() ? Status(Done{}) : Status(Error{recorder.error()});
}

Status HostedWorlds::begin_anew_if_changed(const std::string& world_file, const std::string& text,
                                           const sim::WorldSpec& spec) {
  const std::string& name = spec.config.name;
  const std::string path = recording_of(name);
  if (const auto finished = complete_interrupted(path); !finished) {
    return Error{finished.error()};
  }
  {
    auto reader = record::Reader::open(path);
    // What cannot be read is repaired first, and then goes on.
    if (!reader.ok() || (*reader)->world_file_text() == text) return Done{};
  }
  const auto lock = record::WriteLock::acquire(path);  // no other server goes on with it
  if (!lock.ok()) return Error{lock.error()};
  if (Status made = prepare_beginning(name, text, sim::World::create(spec)); !made) {
    return Error{world_file + ": cannot begin anew: " + made.error()};
  }
  std::string lies;
  if (Status aside = set_aside(name, RecordingFate::kKeep, lies); !aside) return aside;
  spdlog::info(
      "{}: {} has changed, so it begins anew; what was recorded is kept as {} in the data "
      "folder",
      name, world_file, lies);
  return finish_reset(name);
}

Status HostedWorlds::finish_reset(const std::string& name) const {
  const std::string path = recording_of(name);
  const std::string made = path + kResetEnding;
  if (!record::files().exists(made)) return Done{};
  if (record::files().exists(path)) {
    record::remove_recording(made);
    return Done{};
  }
  return record::take_place(made, path);
}

Result<HostedWorlds::Ended> HostedWorlds::reset(const std::string& name, RecordingFate fate) {
  WorldRunner* const runner_now = runner(name);
  if (runner_now == nullptr) return Error{"\"" + name + "\" is not loaded"};
  if (Status room = room_for_one_more(name); !room) return Error{room.error()};
  if (Status prepared = prepare_reset(name); !prepared) return Error{prepared.error()};
  const Pace pace = runner_now->pace();
  Ended ended = close(name, "the world was reset to its start; connect again");
  const Status aside = set_aside(name, fate, ended.recording);
  // Where that failed this goes on with what there was.
  auto hosted = compose(bring_back(name, "", ""), name);
  if (hosted.ok()) {
    WorldRunner& fresh = *hosted.value()->runner;
    if (pace.paused) fresh.pause();
    (void)fresh.set_speed(pace.speed);
    // Of what came before it knows nothing, and says so to who comes back.
    hosted.value()->past = {};
  }
  const Status opened =
      hosted.ok() ? open(std::move(hosted).value()) : Status(Error{hosted.error()});
  if (!opened) {
    spdlog::critical("{}: is not hosted: {}", name, opened.error());
    metrics_.remove_world(name);
    const std::lock_guard lock(mutex_);
    known_[name].why = opened.error();
    return Error{"the world is not hosted any more: " + opened.error()};
  }
  if (!aside) return Error{"the world goes on as it was: " + aside.error()};
  return ended;
}

Result<HistoryCutter::Asked> HostedWorlds::seal(const std::string& name, std::uint64_t keep,
                                                bool drop) const {
  const Known* const world = known(name);
  if (world == nullptr || !world->hosted || !world->hosted->cutter) {
    return Error{"\"" + name + "\" is not loaded"};
  }
  return world->hosted->cutter->ask(keep, drop, kSealPatience);
}

Result<HostedWorlds::Exported> HostedWorlds::export_bundle(const std::string& name) {
  WorldRunner* const it = runner(name);
  if (it == nullptr) return Error{"\"" + name + "\" is not loaded"};
  if (const auto saved = it->save(kSavePatience); !saved.ok()) return Error{saved.error()};
  const std::string path = recording_of(name);
  if (disk_ != nullptr) {
    const std::string refusal = disk_->no_room_for(DiskGuard::recording_bytes_of(path));
    if (!refusal.empty()) return Error{refusal};
  }
  const std::string all = path_in_data("exports");
  if (Status made = make_folder(all); !made) return Error{made.error()};
  std::size_t there = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(all, error)) {
    const bool unfinished = entry.path().extension() == kUnfinishedFolder;
    if (unfinished) fs::remove_all(entry.path(), error);  // of a server that was killed meanwhile
    if (!unfinished) ++there;
  }
  if (there >= kMostExports) {
    return Error{"exports in the data folder holds " + std::to_string(there) + ", at most " +
                 std::to_string(kMostExports) + "; take some away first"};
  }
  const std::string folder = free_name_of(all + "/" + name + "-" + stamp_of(options_.now()), "");
  const std::string unfinished = folder + kUnfinishedFolder;
  const std::string copy = unfinished + "/" + name + ".sluice";
  Status done = make_folder(unfinished);
  const auto tick = done ? record::backup(path, copy) : Result<std::uint64_t>(Error{done.error()});
  if (!tick.ok()) done = Error{tick.error()};
  if (done) {
    const auto reader = record::Reader::open(copy);
    done = reader.ok()
               ? write_whole(unfinished + "/" + name + ".toml", (*reader)->world_file_text())
               : Status(Error{reader.error()});
  }
  if (done) done = record::rename_file(unfinished, folder);
  if (done) done = record::sync_directory_of(folder);
  if (done) return Exported{in_data(folder, options_.data_directory), *tick};
  fs::remove_all(unfinished, error);
  return Error{done.error()};
}

}  // namespace sluice::host
