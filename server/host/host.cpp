#include "server/host/host.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <spdlog/spdlog.h>

#include "server/access/accounts_file.h"
#include "server/formats/world_file.h"
#include "server/host/load_world.h"
#include "server/host/status_page.h"
#include "server/net/tls.h"
#include "server/net/viewer_assets.h"

namespace sluice::host {

Host::Host(const Config& config)
    : data_directory_(config.data_directory),
      work_limits_(WorkLimits::for_ticks_of(config.tick_budget)),
      pool_(config.threads) {}

Host::~Host() {
  stop();
}

Result<std::unique_ptr<Host>> Host::start(const Config& config) {
  std::error_code error;
  std::filesystem::create_directories(config.data_directory, error);
  if (error) {
    return Error{"cannot make the data directory " + config.data_directory + ": " +
                 error.message()};
  }
  // Before any world is begun.
  if (const Status status = net::check_tls(config.tls_certificate, config.tls_key); !status.ok()) {
    return Error{status.error()};
  }
  std::unique_ptr<Host> host(new Host(config));
  for (const std::string& file : config.world_files) {
    if (const Status status = host->add_world(file, config); !status.ok()) {
      return Error{status.error()};
    }
  }
  if (host->runners_.empty()) return Error{host->why_not_loaded()};
  if (const Status status = host->open_gate(config); !status.ok()) {
    return Error{status.error()};
  }
  // Who listens may be asked about them.
  host->prepare_backups(config);
  host->prepare_disk_guard(config);
  if (const Status status = host->listen(config); !status.ok()) {
    return Error{status.error()};
  }
  if (const Status status = host->listen_for_admins(config); !status.ok()) {
    return Error{status.error()};
  }
  for (const auto& runner : host->runners_) runner->start();
  if (config.verify) host->start_verifiers();
  host->backups_->start();
  host->disk_->start();
  return host;
}

void Host::prepare_backups(const Config& config) {
  Backups::Options options;
  options.folder = (std::filesystem::path(data_directory_) / "backups").string();
  for (const auto& runner : runners_) {
    options.recordings.emplace(runner->name(), recording_path(runner->name()));
  }
  options.interval_seconds = std::int64_t{3600} * config.backup_hours;
  options.kept = config.backups_kept;
  options.now = access::Gate::system_time;
  backups_ = std::make_unique<Backups>(std::move(options));
}

void Host::prepare_disk_guard(const Config& config) {
  DiskGuard::Options options;
  options.folder = data_directory_;
  options.limits = config.disk;
  options.free_bytes = DiskGuard::free_bytes_of;
  options.file_bytes = DiskGuard::recording_bytes_of;
  options.now = access::Gate::system_time;
  for (const auto& runner : runners_) {
    options.recordings.push_back(
        {runner->name(), recording_path(runner->name()),
         [it = runner.get()](std::string why) { it->refuse_edits(std::move(why)); }});
  }
  disk_ = std::make_unique<DiskGuard>(std::move(options));
  disk_->look();  // before anybody edits
}

std::string Host::recording_path(const std::string& name) const {
  return (std::filesystem::path(data_directory_) / (name + ".sluice")).string();
}

Status Host::add_world(const std::string& world_file, const Config& config) {
  const auto text = formats::read_file(world_file);
  if (!text.ok()) return Error{text.error()};
  const auto spec = formats::parse_world(text.value(), world_file);
  if (!spec.ok()) return Error{spec.error()};
  const std::string& name = spec->config.name;
  if (!names_.insert(name).second) {
    return Error{world_file + ": there is another world named \"" + name + "\""};
  }
  const auto areas = config.areas.find(name);
  if (areas != config.areas.end()) {
    Status status = check_areas(name, spec->config.size, areas->second);
    if (!status.ok()) return status;
  }
  const std::string path = recording_path(name);
  WorldSource source{path, world_file, text.value(), {}};
  source.repair.build_world = formats::build_world;
  std::error_code ignored;
  auto loaded = std::filesystem::exists(path, ignored) ? load_recorded(source, executor_)
                                                       : load_new(source, spec.value());
  if (loaded.ok() && loaded->world->config().name != name) {
    loaded = Error{path + ": holds the world \"" + loaded->world->config().name + "\", not \"" +
                   name + "\""};
  }
  if (!loaded.ok()) {
    // What ails one world is no reason to keep the others from their players.
    spdlog::critical("{}: is not hosted: {}", name, loaded.error());
    not_loaded_.push_back({name, loaded.error()});
    return Done{};
  }
  runners_.push_back(std::make_unique<WorldRunner>(std::move(loaded->world),
                                                   std::move(loaded->recorder), executor_,
                                                   metrics_.add_world(name), work_limits_));
  if (config.pause_when_alone.contains(name)) runners_.back()->pause_when_alone();
  if (areas != config.areas.end()) runners_.back()->set_areas(Areas(areas->second));
  past_.push_back(std::move(loaded->past));
  return Done{};
}

Status Host::open_gate(const Config& config) {
  if (Status status = check_worlds(config, names_); !status.ok()) return status;
  const access::GateRules rules = gate_rules(config);
  gate_ = std::make_shared<access::Gate>(rules);
  if (const Status status = gate_->read_accounts(); !status.ok()) return status;
  spdlog::info(
      "who shows no token may {}; {}",
      rules.anonymous == access::Role::kNone ? "do nothing" : access::name_of(rules.anonymous),
      rules.accounts_file.empty()
          ? "there are no accounts"
          : std::to_string(gate_->accounts()) + " accounts in " + rules.accounts_file);
  return Done{};
}

Status Host::reload() {
  if (Status status = gate_->read_accounts(); !status.ok()) return status;
  server_->apply_roles();
  return server_->reload_tls();
}

Status Host::listen_for_admins(const Config& config) {
  if (!config.admin) return Done{};
  const bool open = net::is_loopback(config.admin->address) && !gate_->has_accounts();
  AdminTargets targets;
  for (const auto& runner : runners_) targets.worlds.emplace(runner->name(), runner.get());
  targets.gate = gate_.get();
  targets.open = open;
  targets.health = [this] { return health_text(); };
  targets.readiness = [this] { return readiness(); };
  targets.metrics = [this] { return metrics_text(); };
  targets.status = [this] { return status_text(); };
  targets.reload = [this] { return reload(); };
  targets.backup = [this](const std::string& world) { return backups_->make(world); };
  targets.change_accounts = [this, file = config.accounts_file](const auto& change) -> Status {
    if (file.empty()) return Error{"this server has no file of accounts (tokens)"};
    if (Status changed = access::change_accounts(file, change); !changed) return changed;
    if (Status read = gate_->read_accounts(); !read) return read;
    server_->apply_roles();
    return Done{};
  };
  targets.kick = [this](const std::string& world, const std::string& account) {
    return server_->kick(world, account);
  };
  admin_api_ = std::make_unique<AdminApi>(std::move(targets));
  net::AdminOptions options;
  options.address = config.admin->address;
  options.port = config.admin->port;
  options.answer = [this](const net::AdminAsked& asked) { return admin_api_->answer(asked); };
  auto server = net::AdminServer::start(std::move(options));
  if (!server.ok()) return Error{server.error()};
  admin_ = std::move(server).value();
  return Done{};
}

Status Host::listen(const Config& config) {
  net::ServerOptions options;
  options.address = config.address;
  options.port = config.port;
  options.server_version = SLUICE_VERSION;
  options.origins = config.origins;
  options.proxies = config.proxies;
  options.gate = gate_;
  options.tls_certificate = config.tls_certificate;
  options.tls_key = config.tls_key;
  options.assets = net::viewer_assets();
  if (!config.admin) options.metrics_text = [this] { return metrics_text(); };
  options.readiness = [this] { return readiness(); };
  options.health_text = [this] { return health_text(); };
  std::vector<net::HostedWorld> worlds;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    worlds.push_back({&runners_[i]->feed(), runners_[i].get(), std::move(past_[i])});
  }
  past_.clear();
  auto server = net::Server::start(std::move(options), worlds);
  if (!server.ok()) return Error{server.error()};
  server_ = std::move(server).value();
  return Done{};
}

std::string Host::why_not_loaded() const {
  std::string text;
  for (const NotLoaded& world : not_loaded_) text += (text.empty() ? "" : "\n") + world.why;
  return text;
}

net::Readiness Host::readiness() const {
  net::Readiness readiness;
  for (const NotLoaded& world : not_loaded_) {
    readiness.ready = false;
    readiness.text += world.name + ": cannot be loaded; the server's log says why\n";
  }
  for (const auto& runner : runners_) {
    const std::string trouble = runner->trouble();
    readiness.ready = readiness.ready && trouble.empty();
    readiness.text += runner->name() + ": ";
    readiness.text += trouble.empty() ? "ready" : "stands still, its recording failed: " + trouble;
    readiness.text += "\n";
  }
  return readiness;
}

void Host::start_verifiers() {
  const std::lock_guard lock(verifiers_mutex_);
  for (const auto& runner : runners_) {
    BackgroundVerifier::Options options;
    options.name = runner->name();
    options.recording = recording_path(runner->name());
    options.tick_rate = static_cast<std::uint64_t>(runner->feed().config().tick_rate);
    const net::HubCounters& counters = runner->feed().counters();
    options.mismatches = [&counters] { return counters.mismatches.load(); };
    options.claimants = [&counters] { return counters.claimants.load(); };
    verifiers_.push_back(std::make_unique<BackgroundVerifier>(std::move(options)));
  }
}

std::string Host::health_text() const {
  std::string text = "alive\n";
  const std::lock_guard lock(verifiers_mutex_);
  for (std::size_t i = 0; i < verifiers_.size(); ++i) {
    const std::string detail = verifiers_[i]->detail();
    if (!detail.empty()) text += runners_[i]->name() + ": " + detail + "\n";
  }
  return text;
}

std::string Host::status_text() const {
  ServerStatus status{SLUICE_VERSION, address(), {}, {}};
  for (const auto& runner : runners_) {
    WorldStatus world;
    world.name = runner->name();
    const std::string trouble = runner->trouble();
    const Pace pace = runner->pace();
    world.disk = disk_->sample(world.name);
    world.state = !trouble.empty()           ? "stands still, its recording failed: " + trouble
                  : pace.paused              ? "paused"
                  : runner->alone()          ? "nobody watches: paused"
                  : world.disk.refuses_edits ? "runs; edits are refused for the sake of the disk"
                  : gate_->read_only(world.name) ? "runs; read-only"
                                                 : "runs";
    world.well = trouble.empty() && !world.disk.refuses_edits;
    world.tick = runner->feed().tick();
    world.viewers = runner->feed().counters().viewers.load();
    world.backup_tick = backups_->sample(world.name).tick;
    status.worlds.push_back(std::move(world));
  }
  for (const NotLoaded& world : not_loaded_) {
    status.notes.push_back(world.name + ": cannot be loaded; the server's log says why");
  }
  const std::lock_guard lock(verifiers_mutex_);
  for (std::size_t i = 0; i < verifiers_.size(); ++i) {
    status.worlds[i].verified_tick = verifiers_[i]->verified_tick();
    const std::string detail = verifiers_[i]->detail();
    if (!detail.empty()) status.notes.push_back(runners_[i]->name() + ": " + detail);
  }
  return status_page(status);
}

std::string Host::metrics_text() {
  for (const auto& runner : runners_) {
    runner->metrics().report(runner->feed().counters());
    runner->metrics().report(backups_->sample(runner->name()));
    runner->metrics().report(disk_->sample(runner->name()));
    runner->metrics().report_paused(runner->pace().paused || runner->alone());
  }
  const std::lock_guard lock(verifiers_mutex_);
  for (std::size_t i = 0; i < verifiers_.size(); ++i) {
    const BackgroundVerifier& verifier = *verifiers_[i];
    runners_[i]->metrics().report(
        VerifierSample{verifier.verified_tick(), verifier.alarmed(), verifier.bundles()});
  }
  return metrics_.text();
}

bool Host::stop() {
  admin_.reset();
  if (backups_) backups_->stop();
  if (disk_) disk_->stop();
  for (const auto& verifier : verifiers_) verifier->stop();
  bool kept = not_loaded_.empty();
  for (const auto& runner : runners_) {
    runner->stop();
    kept = kept && runner->trouble().empty();
  }
  if (server_) server_->stop();
  return kept;
}

}  // namespace sluice::host
