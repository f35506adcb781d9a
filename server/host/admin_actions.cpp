// What the actions of the admins' API do.
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "server/host/admin_action.h"
#include "server/host/config.h"
#include "server/host/read_ban.h"
#include "server/record/client_name.h"
#include "server/sim/text.h"

namespace sluice::host {

namespace {

using net::AdminAnswer;

constexpr std::chrono::seconds kSavePatience{5};
constexpr std::size_t kMostOwnersTold = 100;

constexpr const char* kFates = "recording must be \"keep\" (it goes to DATA/removed) or \"delete\"";

std::optional<RecordingFate> fate_of(const nlohmann::json& value) {
  if (value == "keep") return RecordingFate::kKeep;
  if (value == "delete") return RecordingFate::kDelete;
  return std::nullopt;
}

struct AskedSeal {
  std::uint64_t keep = 0;
  bool drop = false;
};

Result<AskedSeal> read_seal(const nlohmann::json& value) {
  const Error wrong{
      "seal must be {\"keep\": ticks, \"drop\": true or false}; drop may be left out"};
  if (!value.is_object() || !value.contains("keep")) return wrong;
  AskedSeal asked;
  for (const auto& [key, field] : value.items()) {
    if (key == "keep" && field.is_number_unsigned()) {
      asked.keep = field.get<std::uint64_t>();
    } else if (key == "drop" && field.is_boolean()) {
      asked.drop = field.get<bool>();
    } else {
      return wrong;
    }
  }
  return asked;
}

/// As the log says it, without the folders of files.
std::string said_of(record::Sealed sealed) {
  for (std::string* path : {&sealed.main.path, &sealed.old.path}) {
    *path = std::filesystem::path(*path).filename().string();
  }
  return record::describe(sealed);
}

/// What became of a world's history.
AdminAnswer ended_answer(const Result<HostedWorlds::Ended>& ended) {
  if (!ended.ok()) return failed(400, ended.error());
  return json_answer(
      200, {{"tick", ended->tick},
            {"lost_ticks", ended->lost_ticks},
            {"recording", ended->recording.empty() ? Json(nullptr) : Json(ended->recording)}});
}

}  // namespace

AdminAnswer AdminApi::worlds(const Request& request) {
  Json list = Json::array();
  const auto sees = [&](const std::string& name) {
    return targets_.open || targets_.gate->role_in(name, request.account) >= access::Role::kWatch;
  };
  targets_.worlds->for_each([&](const Hosted& world) {
    if (!sees(world.name)) return;
    const WorldRunner& runner = *world.runner;
    const Pace pace = runner.pace();
    const std::string trouble = runner.trouble();
    list.push_back({{"name", world.name},
                    {"state", "hosted"},
                    {"tick", world.runner->feed().tick()},
                    {"tick_rate", world.runner->feed().config().tick_rate},
                    {"paused", pace.paused},
                    {"speed", pace.speed / double(kOwnSpeed)},
                    {"clients", world.runner->feed().counters().viewers.load()},
                    {"trouble", trouble.empty() ? Json(nullptr) : Json(trouble)}});
  });
  for (const NotHosted& world : targets_.worlds->not_hosted()) {
    if (!sees(world.name)) continue;
    list.push_back({{"name", world.name}, {"state", world.why.empty() ? "unloaded" : "failed"}});
  }
  return json_answer(200, list);
}

AdminAnswer AdminApi::create(const Request& request) {
  if (!request.value.is_string()) return failed(400, "world_file must be a string");
  const auto made = targets_.worlds->create(request.value.get<std::string>());
  if (!made.ok()) return failed(400, made.error());
  return json_answer(200, {{"world", *made}});
}

AdminAnswer AdminApi::load(const Request& request) {
  const auto tick = targets_.worlds->load(request.world);
  if (!tick.ok()) return failed(400, tick.error());
  return json_answer(200, {{"tick", *tick}});
}

AdminAnswer AdminApi::unload(const Request& request) {
  return ended_answer(targets_.worlds->unload(request.world));
}

AdminAnswer AdminApi::remove(const Request& request) {
  const auto fate = fate_of(request.value);
  if (!fate) return failed(400, kFates);
  return ended_answer(targets_.worlds->remove(request.world, *fate));
}

AdminAnswer AdminApi::reset(const Request& request) {
  const auto fate = fate_of(request.value);
  if (!fate) return failed(400, kFates);
  return ended_answer(targets_.worlds->reset(request.world, *fate));
}

AdminAnswer AdminApi::export_bundle(const Request& request) {
  const auto made = targets_.worlds->export_bundle(request.world);
  if (!made.ok()) return failed(400, made.error());
  return json_answer(200, {{"folder", made->folder}, {"tick", made->tick}});
}

AdminAnswer AdminApi::pause(const Request& request) {
  request.runner->pause();
  return json_answer(200, {{"paused", true}});
}

AdminAnswer AdminApi::resume(const Request& request) {
  request.runner->resume();
  return json_answer(200, {{"paused", false}});
}

AdminAnswer AdminApi::step(const Request& request) {
  if (!request.value.is_number_unsigned()) return failed(400, "ticks must be a whole number");
  const Status status = request.runner->step(request.value.get<std::uint64_t>());
  if (!status.ok()) return failed(400, status.error());
  return json_answer(200, {{"ticks", request.value}});
}

AdminAnswer AdminApi::speed(const Request& request) {
  if (!request.value.is_number()) return failed(400, "speed must be a number");
  const double speed = request.value.get<double>();
  // What does not fit an integer is none of those that are allowed.
  const bool fits = speed >= 0 && speed <= 2.0 * kFastestSpeed;
  const Status status = request.runner->set_speed(
      fits ? static_cast<std::int32_t>(std::lround(speed * kOwnSpeed)) : 0);
  if (!status.ok()) return failed(400, status.error());
  return json_answer(200, {{"speed", speed}});
}

AdminAnswer AdminApi::save(const Request& request) {
  const auto saved = request.runner->save(kSavePatience);
  if (!saved.ok()) return failed(400, saved.error());
  return json_answer(200, {{"tick", *saved}});
}

AdminAnswer AdminApi::backup(const Request& request) {
  if (const auto saved = request.runner->save(kSavePatience); !saved.ok()) {
    return failed(400, saved.error());
  }
  const auto made = targets_.backup(request.world);
  if (!made.ok()) return failed(400, made.error());
  return json_answer(200, {{"file", made->file}, {"tick", made->tick}});
}

AdminAnswer AdminApi::seal(const Request& request) {
  const auto asked = read_seal(request.value);
  if (!asked.ok()) return failed(400, asked.error());
  const auto done = targets_.worlds->seal(request.world, asked->keep, asked->drop);
  if (!done.ok()) return failed(400, done.error());
  if (!done->sealed) return json_answer(200, {{"cut", nullptr}, {"under_way", done->under_way}});
  const record::Sealed& sealed = *done->sealed;
  const std::string part = std::filesystem::path(sealed.old.path).filename().string();
  return json_answer(200, {{"cut", sealed.main.first_tick},
                           {"tick", sealed.main.last_tick},
                           {"part", part.empty() ? Json(nullptr) : Json(part)},
                           {"said", said_of(sealed)}});
}

AdminAnswer AdminApi::read_only(const Request& request) {
  if (!request.value.is_boolean()) return failed(400, "read_only must be true or false");
  targets_.gate->set_read_only(request.world, request.value.get<bool>());
  targets_.apply_roles();
  return json_answer(200, {{"read_only", request.value}});
}

AdminAnswer AdminApi::kick(const Request& request) {
  if (!request.value.is_string()) return failed(400, "account must be a string");
  const std::string account = request.value.get<std::string>();
  const std::optional<std::size_t> ended = targets_.kick(request.world, account);
  if (!ended) return failed(400, "the network did not come to it in time");
  return json_answer(200, {{"ended", *ended}});
}

AdminAnswer AdminApi::limits(const Request& /*request*/) {
  Json roles = Json::object();
  const auto bound = [](std::uint32_t limit) { return limit == 0 ? Json(nullptr) : Json(limit); };
  for (const access::Role role :
       {access::Role::kWatch, access::Role::kBuild, access::Role::kOperate, access::Role::kAdmin}) {
    const access::RoleLimits limits = targets_.gate->limits_of(role);
    roles[std::string(name_of(role))] = {{"commands_per_second", bound(limits.commands_per_second)},
                                         {"work_per_second", bound(limits.work_per_second)},
                                         {"view_cells", bound(limits.view_cells)},
                                         {"bytes_per_second", bound(limits.bytes_per_second)},
                                         {"cells_owned", bound(limits.cells_owned)},
                                         {"pipes_owned", bound(limits.pipes_owned)}};
  }
  return json_answer(200, roles);
}

AdminAnswer AdminApi::owners(const Request& request) {
  const OwnedSample all = request.runner->owned();
  Json list = Json::array();
  for (const auto& [name, owned] : request.runner->largest_owners(kMostOwnersTold)) {
    list.push_back({{name.starts_with(record::kVisitorSign) ? "visitor" : "account", name},
                    {"cells", owned.cells},
                    {"pipes", owned.pipes}});
  }
  return json_answer(200, {{"followed", all.followed},
                           {"owners", all.owners},
                           {"cells", all.owned.cells},
                           {"pipes", all.owned.pipes},
                           {"largest", list}});
}

AdminAnswer AdminApi::bans(const Request& /*request*/) {
  Json list = Json::array();
  for (const access::Ban& ban : targets_.gate->bans()) {
    list.push_back({{ban.account.empty() ? "address" : "account", ban.of()},
                    {"until", ban.until.empty() ? Json(nullptr) : Json(ban.until)},
                    {"reason", ban.reason}});
  }
  return json_answer(200, list);
}

AdminAnswer AdminApi::ban(const Request& request) {
  auto read = read_ban(request.value);
  if (!read.ok()) return failed(400, read.error());
  access::Ban ban = std::move(read).value();
  const std::string of = ban.of();
  const Status status = targets_.change_accounts(
      [&ban](access::Accounts& accounts) { return accounts.bans().add(std::move(ban)); });
  if (!status.ok()) return failed(400, status.error());
  return json_answer(200, {{"banned", of}});
}

AdminAnswer AdminApi::unban(const Request& request) {
  if (!request.value.is_string()) return failed(400, "of must be a string");
  const std::string of = request.value.get<std::string>();
  const Status status = targets_.change_accounts([&of](access::Accounts& accounts) {
    return accounts.bans().lift(of) ? Status(Done{})
                                    : Status(Error{sim::printable(of) + " is not banned"});
  });
  if (!status.ok()) return failed(400, status.error());
  return json_answer(200, {{"let_in", of}});
}

AdminAnswer AdminApi::log_level(const Request& request) {
  Config config;
  if (!request.value.is_string()) return failed(400, "level must be a string");
  const Status status = set_log_level(request.value.get<std::string>(), config);
  if (!status.ok()) return failed(400, status.error());
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  return json_answer(200, {{"level", config.log_level}});
}

AdminAnswer AdminApi::reload(const Request& /*request*/) {
  const auto keys = targets_.reload();
  if (!keys.ok()) return failed(400, keys.error());
  return json_answer(200, {{"accounts", targets_.gate->accounts()}, {"needs_restart", *keys}});
}

}  // namespace sluice::host
