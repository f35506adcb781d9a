// What admins may ask for, and who: the table of routes, and the way to an action and back.
#include "server/host/admin_api.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "server/host/admin_action.h"
#include "server/host/world_runner.h"
#include "server/net/visitor.h"
#include "server/sim/text.h"

namespace sluice::host {

namespace {

using net::AdminAnswer;

constexpr std::string_view kWorldPart = "{world}";
constexpr std::size_t kMostLogged = 100;  // of what was asked

/// The part of `path` that stands where `pattern` has {world}; nothing where they do not match.
std::optional<std::string> matched(std::string_view pattern, std::string_view path) {
  const std::size_t at = pattern.find(kWorldPart);
  if (at == std::string_view::npos) {
    return pattern == path ? std::optional<std::string>("") : std::nullopt;
  }
  const std::string_view after = pattern.substr(at + kWorldPart.size());
  if (!path.starts_with(pattern.substr(0, at)) || path.size() < at + after.size()) {
    return std::nullopt;
  }
  if (!path.ends_with(after)) return std::nullopt;
  const std::string_view part = path.substr(at, path.size() - at - after.size());
  if (part.empty() || part.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(part);
}

}  // namespace

struct AdminApi::Route {
  const char* method;
  const char* path;
  access::Role role;
  const char* what;
  const char* field;  // of the body, which must be {FIELD: value}; null: no body
  const char* type;   // of that value: "boolean", "integer", "number", "object" or "string"
  AdminAnswer (AdminApi::*action)(const Request&);
  bool of_hosted = true;  // the world must be hosted
};

const std::vector<AdminApi::Route>& AdminApi::routes() {
  using access::Role;
  static const std::vector<Route> routes = {
      {"GET", "/api/worlds", Role::kNone,
       "The worlds that the account may watch, and how each goes", nullptr, nullptr,
       &AdminApi::worlds},
      {"POST", "/api/worlds", Role::kAdmin, "Make a world from the text of a world file",
       "world_file", "string", &AdminApi::create},
      {"POST", "/api/worlds/{world}/load", Role::kAdmin,
       "Host it again, from its recording in the data folder", nullptr, nullptr, &AdminApi::load,
       false},
      {"POST", "/api/worlds/{world}/unload", Role::kAdmin,
       "Save it and host it no more, until it is loaded; its recording stays", nullptr, nullptr,
       &AdminApi::unload, false},
      {"POST", "/api/worlds/{world}/remove", Role::kAdmin,
       "Host it no more; \"keep\" its recording in DATA/removed, or \"delete\" it", "recording",
       "string", &AdminApi::remove, false},
      {"POST", "/api/worlds/{world}/reset", Role::kAdmin,
       "Begin it anew from its world file; \"keep\" the recording up to now in DATA/removed, or "
       "\"delete\" it",
       "recording", "string", &AdminApi::reset},
      {"POST", "/api/worlds/{world}/export", Role::kOperate,
       "Write its world file and a copy of its recording, read whole, to DATA/exports", nullptr,
       nullptr, &AdminApi::export_bundle},
      {"POST", "/api/worlds/{world}/pause", Role::kOperate, "Hold its time", nullptr, nullptr,
       &AdminApi::pause},
      {"POST", "/api/worlds/{world}/resume", Role::kOperate, "Let its time go on", nullptr, nullptr,
       &AdminApi::resume},
      {"POST", "/api/worlds/{world}/step", Role::kOperate, "Let a paused world take so many ticks",
       "ticks", "integer", &AdminApi::step},
      {"POST", "/api/worlds/{world}/speed", Role::kOperate,
       "Let its time go so many times as fast as its own (0.01 to 100)", "speed", "number",
       &AdminApi::speed},
      {"POST", "/api/worlds/{world}/save", Role::kOperate,
       "Checkpoint it, and wait until its history up to now is durable", nullptr, nullptr,
       &AdminApi::save},
      {"POST", "/api/worlds/{world}/backup", Role::kOperate,
       "Copy its recording, and read the copy whole", nullptr, nullptr, &AdminApi::backup},
      {"POST", "/api/worlds/{world}/seal", Role::kOperate,
       "Cut off its history but for the last \"keep\" ticks, into a file of its own; \"drop\": "
       "true "
       "for good",
       "seal", "object", &AdminApi::seal},
      {"POST", "/api/worlds/{world}/read-only", Role::kOperate,
       "Let nobody build in it, or those again who may; until the server ends", "read_only",
       "boolean", &AdminApi::read_only},
      {"POST", "/api/worlds/{world}/kick", Role::kOperate,
       "End the connections of an account; empty: of all who showed no token", "account", "string",
       &AdminApi::kick},
      {"GET", "/api/worlds/{world}/owners", Role::kOperate,
       "Who owns most of what is built in it, where a role is bound in that (cells_owned, "
       "pipes_owned)",
       nullptr, nullptr, &AdminApi::owners},
      {"GET", "/api/limits", Role::kNone,
       "What a connection may take and an account own, by its role; null: no bound but the "
       "server's own",
       nullptr, nullptr, &AdminApi::limits},
      {"GET", "/api/bans", Role::kAdmin, "Who is banned", nullptr, nullptr, &AdminApi::bans},
      {"POST", "/api/ban", Role::kAdmin,
       "Let an \"account\", or an \"address\" or range of them, in no more; \"hours\" (for ever "
       "without them) and \"reason\" may stand beside it",
       "ban", "object", &AdminApi::ban},
      {"POST", "/api/unban", Role::kAdmin, "Let an account or address in again", "of", "string",
       &AdminApi::unban},
      {"POST", "/api/log-level", Role::kAdmin, "trace, debug, info, warn or error", "level",
       "string", &AdminApi::log_level},
      {"POST", "/api/reload", Role::kAdmin,
       "Read accounts, certificate and the limits of roles anew", nullptr, nullptr,
       &AdminApi::reload}};
  return routes;
}

std::string AdminApi::openapi() {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    std::string method = route.method;
    std::transform(method.begin(), method.end(), method.begin(), [](char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    Json operation = {
        {"summary", route.what},
        {"description", route.role == access::Role::kNone
                            ? std::string("Needs an account.")
                            : "Needs the role " + std::string(name_of(route.role)) + "."},
        {"security", Json::array({{{"token", Json::array()}}})}};
    if (std::string_view(route.path).find(kWorldPart) != std::string_view::npos) {
      operation["parameters"] = Json::array({{{"name", "world"},
                                              {"in", "path"},
                                              {"required", true},
                                              {"schema", {{"type", "string"}}}}});
    }
    if (route.field != nullptr) {
      const Json schema = {{"type", "object"},
                           {"required", Json::array({route.field})},
                           {"properties", {{route.field, {{"type", route.type}}}}},
                           {"additionalProperties", false}};
      operation["requestBody"] = {{"required", true},
                                  {"content", {{"application/json", {{"schema", schema}}}}}};
    }
    for (const auto& [status, meaning] :
         {std::pair("200", "Done; an object, of worlds an array"),
          {"400", "The body is wrong, or it cannot be done; {\"error\": why}"},
          {"401", "No token, or one that nobody holds"},
          {"403", "The role does not do"},
          {"404", "No such world"}}) {
      operation["responses"][status] = {{"description", meaning}};
    }
    paths[route.path][method] = std::move(operation);
  }
  const Json document = {
      {"openapi", "3.1.0"},
      {"info", {{"title", "Sluice, for those who run it"}, {"version", SLUICE_VERSION}}},
      {"paths", paths},
      {"components", {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return document.dump(2) + "\n";
}

std::string AdminApi::refusal_of(const Route& route, const Request& request) const {
  const std::string_view world = request.world.empty() ? access::kEveryWorld : request.world;
  if (request.account.empty()) {
    return "not allowed: this needs a token" +
           (route.role == access::Role::kNone
                ? std::string()
                : " with the role " + std::string(name_of(route.role)));
  }
  const access::Role role = targets_.gate->role_in(world, request.account);
  if (role >= route.role) return "";
  return "not allowed: the role of \"" + request.account + "\" " +
         (request.world.empty() ? "in every world" : "in " + request.world) + " is " +
         std::string(name_of(role)) + "; this needs " + std::string(name_of(route.role));
}

AdminAnswer AdminApi::answer(const net::AdminAsked& asked) {
  const bool get = asked.method == "GET" || asked.method == "HEAD";
  constexpr const char* kText = "text/plain; charset=utf-8";
  if (get && asked.path == "/healthz") return {200, kText, targets_.health()};
  if (get && asked.path == "/readyz") {
    const net::Readiness state = targets_.readiness();
    return {state.ready ? 200U : 503U, kText, state.text};
  }
  if (get && asked.path == "/metrics") {
    return {200, "text/plain; version=0.0.4; charset=utf-8", targets_.metrics()};
  }
  if (get && (asked.path == "/" || asked.path == "/status")) {
    return {200, "text/html; charset=utf-8", targets_.status()};
  }
  if (get && asked.path == "/openapi.json") return {200, "application/json", openapi()};
  std::string methods;
  for (const Route& route : routes()) {
    const auto world = matched(route.path, asked.path);
    if (!world) continue;
    if (asked.method != route.method && !(get && std::string_view(route.method) == "GET")) {
      methods += (methods.empty() ? "" : ", ") + std::string(route.method);
      continue;
    }
    const net::Visitor visitor = net::visitor_of(*targets_.gate, asked.authorization, "");
    if (!visitor.refusal.empty()) return failed(401, visitor.refusal);
    Request request{*world, nullptr, visitor.account, nullptr};
    if (std::string refusal = targets_.open ? "" : refusal_of(route, request); !refusal.empty()) {
      return failed(visitor.account.empty() ? 401 : 403, refusal);
    }
    if (const auto wrong = read_body(route, asked.body, request)) return *wrong;
    if (std::string_view(route.method) == "GET") return run(route, request);
    const auto one_at_a_time = alone();
    return run(route, request);
  }
  if (!methods.empty()) {
    return failed(405, sim::printable(asked.method) + " is not allowed; allowed: " + methods);
  }
  return failed(404, "nothing at " + sim::printable(asked.path) +
                         "; there are /status, /healthz, /readyz, /metrics, /openapi.json and "
                         "what that lists");
}

AdminAnswer AdminApi::act(std::string_view action, const std::string& world,
                          const std::string& account, const std::string& body) {
  const std::string path = "/api/worlds/{world}/" + std::string(action);
  for (const Route& route : routes()) {
    if (path != route.path) continue;
    Request request{world, nullptr, account, nullptr};
    if (std::string refusal = refusal_of(route, request); !refusal.empty()) {
      return failed(403, refusal);
    }
    if (const auto wrong = read_body(route, body, request)) return *wrong;
    return run(route, request);
  }
  return failed(404, "there is no action " + sim::printable(action));
}

std::optional<AdminAnswer> AdminApi::read_body(const Route& route, const std::string& body,
                                               Request& request) {
  if (route.field == nullptr) return std::nullopt;
  const auto read = nlohmann::json::parse(body, nullptr, false);
  if (!read.is_object() || read.size() != 1 || !read.contains(route.field)) {
    return failed(400,
                  "the body must be {\"" + std::string(route.field) + "\": " + route.type + "}");
  }
  request.value = read[route.field];
  return std::nullopt;
}

AdminAnswer AdminApi::run(const Route& route, Request& request) {
  if (!request.world.empty() && route.of_hosted) {
    request.runner = targets_.worlds->runner(request.world);
    if (request.runner == nullptr) {
      return failed(404, "no such world: " + sim::printable(request.world));
    }
  }
  AdminAnswer answer = (this->*route.action)(request);
  if (std::string_view(route.method) != "GET") audit(route, request, answer);
  return answer;
}

// What was given may be long: a world file is. What came of making a world names it.
void AdminApi::audit(const Route& route, const Request& request, const AdminAnswer& answer) const {
  const std::string who =
      request.account.empty() ? "somebody on this machine" : "\"" + request.account + "\"";
  std::string given = request.value.is_null() ? "" : " " + request.value.dump();
  const bool creates = route.action == &AdminApi::create;
  if (creates || given.size() > kMostLogged) {
    given = " (" + std::to_string(given.size()) + " bytes)";
  }
  const std::string_view name =
      creates ? "create"
              : std::string_view(route.path).substr(std::string_view(route.path).rfind('/') + 1);
  const std::string said = answer.body.substr(0, answer.body.find('\n'));
  spdlog::info("audit: {}: {}{}{}: {}", who, name,
               request.world.empty() ? "" : " " + sim::printable(request.world), given,
               answer.status != 200 ? said
               : creates            ? "done " + said
                                    : "done");
}

}  // namespace sluice::host
