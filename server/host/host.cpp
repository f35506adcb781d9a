#include "server/host/host.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "server/access/accounts_file.h"
#include "server/host/status_page.h"
#include "server/net/tls.h"
#include "server/net/viewer_assets.h"

namespace sluice::host {

namespace {

HostedWorlds::Options options_of(const Config& config, LookBack& look_back,
                                 const Host::Operate& operate) {
  HostedWorlds::Options options;
  options.data_directory = config.data_directory;
  options.work_limits = WorkLimits::for_ticks_of(config.tick_budget);
  options.verify = config.verify;
  options.history = config.history;
  options.fresh = config.fresh;
  options.bounds = config.bounds;
  options.areas = config.areas;
  options.pause_when_alone = config.pause_when_alone;
  options.now = access::Gate::system_time;
  options.look_back = &look_back;
  options.operate = operate;
  return options;
}

}  // namespace

Host::Host(const Config& config, ReadAgain read_again)
    : config_(config),
      read_again_(std::move(read_again)),
      data_directory_(config.data_directory),
      pool_(config.threads),
      look_back_(config.look_back),
      worlds_(options_of(config, look_back_,
                         [this](net::ClientCommand command, auto asker, const std::string& world) {
                           return operate(std::move(command), std::move(asker), world);
                         }),
              executor_, metrics_) {}

Host::~Host() {
  stop();
}

Result<std::unique_ptr<Host>> Host::start(const Config& config, ReadAgain read_again) {
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
  std::unique_ptr<Host> host(new Host(config, std::move(read_again)));
  if (const Status status = host->bring_up(config); !status.ok()) return Error{status.error()};
  if (const Status status = host->open_gate(config); !status.ok()) {
    return Error{status.error()};
  }
  // Who listens may be asked about them.
  host->prepare_backups(config);
  host->prepare_disk_guard(config);
  host->worlds_.watch_over(*host->backups_, *host->disk_);
  host->disk_->look();  // before anybody edits
  if (const Status status = host->listen(config); !status.ok()) {
    return Error{status.error()};
  }
  host->worlds_.start();
  host->backups_->start();
  host->disk_->start();
  // The last: from here on admins change what there is.
  host->open_desk(config);
  if (const Status status = host->listen_for_admins(config); !status.ok()) {
    return Error{status.error()};
  }
  return host;
}

Status Host::bring_up(const Config& config) {
  if (Status read = worlds_.read_file(); !read) return read;
  worlds_.set_role_limits(config.limits);
  for (const std::string& file : config.world_files) {
    if (Status added = worlds_.add_configured(file); !added) return added;
  }
  worlds_.add_made();
  if (worlds_.count() > 0 || config.admin) return Done{};
  std::string why;
  for (const NotHosted& world : worlds_.not_hosted()) {
    why += (why.empty() ? "" : "\n") +
           (world.why.empty() ? world.name + ": an admin unloaded it" : world.why);
  }
  return Error{why.empty() ? std::string(kNoWorld) : why};
}

void Host::prepare_backups(const Config& config) {
  Backups::Options options;
  options.folder = (std::filesystem::path(data_directory_) / "backups").string();
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
  disk_ = std::make_unique<DiskGuard>(std::move(options));
}

Status Host::open_gate(const Config& config) {
  if (Status status = check_worlds(config, worlds_.names()); !status.ok()) return status;
  for (const std::string& world : config.worlds_spoken_of) {
    if (worlds_.names().contains(world)) continue;
    spdlog::warn("[worlds.{}] speaks of a world that is not there; it holds once an admin makes it",
                 world);
  }
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

Result<std::vector<std::string>> Host::reload() {
  const std::lock_guard one_at_a_time(reloading_);
  Config read = config_;
  if (read_again_) {
    auto again = read_again_();
    if (!again.ok()) return Error{again.error()};
    read = std::move(again).value();
  }
  if (Status status = gate_->read_accounts(); !status.ok()) return Error{status.error()};
  if (Status status = server_->reload_tls(); !status.ok()) {
    server_->apply_roles();
    return Error{status.error()};
  }
  if (read_again_) {
    take_limits(read.limits);
    look_back_.set_bounds(read.look_back);
  }
  server_->apply_roles();
  return keys_that_need_a_restart(config_, read);
}

// Who is there is told by apply_roles().
void Host::take_limits(const access::LimitsByRole& limits) {
  gate_->set_limits(limits);
  worlds_.set_role_limits(limits);
}

// Pages come before there is a desk.
Status Host::operate(net::ClientCommand command, std::weak_ptr<const void> asker,
                     const std::string& world) {
  const std::lock_guard lock(opening_);
  if (!desk_) return Error{"the server is starting, or stops"};
  return desk_->ask(std::move(command), std::move(asker), world);
}

void Host::open_desk(const Config& config) {
  AdminTargets targets;
  targets.worlds = &worlds_;
  targets.gate = gate_.get();
  targets.open = config.admin && net::is_loopback(config.admin->address) && !gate_->has_accounts();
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
  targets.apply_roles = [this] { server_->apply_roles(); };
  targets.kick = [this](const std::string& world, const std::string& account) {
    return server_->kick(world, account);
  };
  admin_api_ = std::make_unique<AdminApi>(std::move(targets));
  const std::lock_guard lock(opening_);
  desk_ = std::make_unique<OperatorDesk>(*admin_api_, worlds_);
}

Status Host::listen_for_admins(const Config& config) {
  if (!config.admin) return Done{};
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
  apply(config.connections, options.limits);
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
  auto server = net::Server::start(std::move(options), worlds_.to_serve());
  if (!server.ok()) return Error{server.error()};
  server_ = std::move(server).value();
  worlds_.set_server(server_.get());
  look_back_.start(*server_);
  return Done{};
}

net::Readiness Host::readiness() const {
  net::Readiness readiness;
  for (const NotHosted& world : worlds_.not_hosted()) {
    if (world.why.empty()) continue;  // as an admin wants it
    readiness.ready = false;
    readiness.text += world.name + ": cannot be loaded; the server's log says why\n";
  }
  worlds_.for_each([&readiness](const Hosted& world) {
    const std::string trouble = world.runner->trouble();
    readiness.ready = readiness.ready && trouble.empty();
    readiness.text += world.name + ": ";
    readiness.text += trouble.empty() ? "ready" : "stands still, its recording failed: " + trouble;
    readiness.text += "\n";
  });
  if (readiness.text.empty()) readiness.text = "ready; there is no world yet\n";
  return readiness;
}

std::string Host::health_text() const {
  std::string text = "alive\n";
  worlds_.for_each([&text](const Hosted& world) {
    const std::string detail = world.verifier ? world.verifier->detail() : "";
    if (!detail.empty()) text += world.name + ": " + detail + "\n";
  });
  return text;
}

std::string Host::status_text() const {
  ServerStatus status{SLUICE_VERSION, address(), {}, {}};
  std::vector<std::string> notes;
  worlds_.for_each([&](const Hosted& hosted) {
    const WorldRunner& runner = *hosted.runner;
    WorldStatus world;
    world.name = hosted.name;
    const std::string trouble = runner.trouble();
    const Pace pace = runner.pace();
    world.disk = disk_->sample(world.name);
    world.state = !trouble.empty()           ? "stands still, its recording failed: " + trouble
                  : pace.paused              ? "paused"
                  : runner.alone()           ? "nobody watches: paused"
                  : world.disk.refuses_edits ? "runs; edits are refused for the sake of the disk"
                  : gate_->read_only(world.name) ? "runs; read-only"
                                                 : "runs";
    world.well = trouble.empty() && !world.disk.refuses_edits;
    world.tick = hosted.runner->feed().tick();
    world.viewers = hosted.runner->feed().counters().viewers.load();
    world.backup_tick = backups_->sample(world.name).tick;
    if (hosted.verifier) {
      world.verified_tick = hosted.verifier->verified_tick();
      const std::string detail = hosted.verifier->detail();
      if (!detail.empty()) notes.push_back(hosted.name + ": " + detail);
    }
    status.worlds.push_back(std::move(world));
  });
  for (const NotHosted& world : worlds_.not_hosted()) {
    status.notes.push_back(world.name + (world.why.empty()
                                             ? ": unloaded"
                                             : ": cannot be loaded; the server's log says why"));
  }
  for (std::string& note : notes) status.notes.push_back(std::move(note));
  return status_page(status);
}

std::string Host::metrics_text() {
  std::size_t hosted = 0;
  worlds_.for_each([&](const Hosted& world) {
    ++hosted;
    WorldMetrics& metrics = world.runner->metrics();
    metrics.report(world.runner->feed().counters());
    metrics.report(backups_->sample(world.name));
    metrics.report(disk_->sample(world.name));
    metrics.report(look_back_.sample(world.name));
    if (world.cutter) metrics.report(world.cutter->sample());
    metrics.report(world.runner->owned());
    metrics.report_paused(world.runner->pace().paused || world.runner->alone());
    if (!world.verifier) return;
    const BackgroundVerifier& verifier = *world.verifier;
    metrics.report(
        VerifierSample{verifier.verified_tick(), verifier.alarmed(), verifier.bundles()});
  });
  metrics_.report_worlds(hosted, worlds_.not_hosted().size());
  metrics_.report_look_back(look_back_.bytes());
  metrics_.report_connections(server_->connections(), server_->connections_refused());
  return metrics_.text();
}

bool Host::stop() {
  worlds_.end_cuts();  // nobody is to wait for one
  admin_.reset();
  std::unique_ptr<OperatorDesk> desk;
  {
    const std::lock_guard lock(opening_);
    desk = std::move(desk_);
  }
  desk.reset();  // what is under way is finished, while there is all that it acts on
  if (backups_) backups_->stop();
  if (disk_) disk_->stop();
  look_back_.stop();
  const bool kept = worlds_.stop();
  if (server_) server_->stop();
  return kept;
}

}  // namespace sluice::host
