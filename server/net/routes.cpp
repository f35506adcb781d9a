#include "server/net/routes.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "protocol/base/suggestion.h"

namespace sluice::net {

namespace {

constexpr std::string_view kWorldsPrefix = "/worlds/";
constexpr std::string_view kFixturesSuffix = "/fixtures";
constexpr std::string_view kSession = "/session";

// In a query: the position that is meant, of those that no list names.
constexpr std::string_view kAlone = "alone=";

/// The position that the request names; nothing where it means the world itself.
std::optional<std::string> position_in(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::nullopt;
  for (std::string_view query = target.substr(mark + 1); !query.empty();) {
    const std::string_view one = query.substr(0, query.find('&'));
    if (one.starts_with(kAlone)) return std::string(one.substr(kAlone.size()));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
  }
  return std::nullopt;
}

Hub* hub_at(Network& network, std::string_view path, const std::optional<std::string>& position) {
  if (!path.starts_with(kWorldsPrefix)) return nullptr;
  const std::string name(path.substr(kWorldsPrefix.size()));
  const auto& hubs = position ? network.positions : network.hubs;
  // An empty position is none that there could be, and not the world.
  const auto place = hubs.find(position ? name + Network::kPositionMark + *position : name);
  return place == hubs.end() ? nullptr : place->second.get();
}

// Of our own messages: quotes are all that they may hold.
std::string escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
  return escaped;
}

// Names are [a-z0-9-] and models' names are ours, so nothing needs to be escaped.
std::string worlds_json(const Network& network, const Visitor& visitor) {
  std::ostringstream json;
  json << "[";
  const char* separator = "";
  for (const auto& [name, hub] : network.hubs) {
    const access::Role role = network.options.gate->role_in(name, visitor.account);
    if (role == access::Role::kNone) continue;
    const sim::WorldConfig& config = hub->config();
    json << separator << "{\"name\": \"" << name << "\", \"size\": [" << config.size.x << ", "
         << config.size.y << ", " << config.size.z << "], \"water\": \"" << hub->welcome().water
         << "\", \"tick\": " << hub->feed().tick() << ", \"tick_rate\": " << config.tick_rate
         << ", \"clients\": " << hub->counters().viewers << ", \"socket\": \"" << kWorldsPrefix
         << name << "\", \"role\": \"" << access::name_of(role) << "\""
         << (hub->replays() ? ", \"replay\": true" : "")
         << (hub->looks_back() ? ", \"look_back\": true" : "") << "}";
    separator = ", ";
  }
  json << "]\n";
  return json.str();
}

void append_share(std::ostringstream& json, const OwnedShare& share) {
  json << "{";
  if (share.most_cells > 0)
    json << "\"cells\": [" << share.cells << ", " << share.most_cells << "]";
  if (share.most_cells > 0 && share.most_pipes > 0) json << ", ";
  if (share.most_pipes > 0)
    json << "\"pipes\": [" << share.pipes << ", " << share.most_pipes << "]";
  json << "}";
}

/// By world, where one's role is bound in what it may own.
void append_owned(std::ostringstream& json, const Network& network, const std::string& account,
                  const std::string& address) {
  json << ", \"owned\": {";
  const char* separator = "";
  for (const auto& [name, hub] : network.hubs) {
    const access::Role role = network.options.gate->role_in(name, account);
    const auto share = hub->intake().owned_by(account, address, role);
    if (!share) continue;
    json << separator << "\"" << name << "\": ";
    append_share(json, *share);
    separator = ", ";
  }
  json << "}";
}

// Names of accounts need no escapes either. The roles are those of `account`.
std::string session_json(const Network& network, const std::string& account,
                         const std::string& address) {
  const access::Gate& gate = *network.options.gate;
  std::ostringstream json;
  json << "{\"account\": " << (account.empty() ? "null" : "\"" + account + "\"")
       << ", \"accounts\": " << (gate.has_accounts() ? "true" : "false") << ", \"worlds\": {";
  const char* separator = "";
  for (const auto& [name, hub] : network.hubs) {
    const access::Role role = gate.role_in(name, account);
    const bool builds = gate.build_refusal(name, account).empty();
    json << separator << "\"" << name << "\": \""
         << access::name_of(builds ? role : std::min(role, access::Role::kWatch)) << "\"";
    separator = ", ";
  }
  json << "}, \"read_only\": [";
  separator = "";
  for (const auto& [name, hub] : network.hubs) {
    if (!gate.read_only(name)) continue;
    json << separator << "\"" << name << "\"";
    separator = ", ";
  }
  json << "], \"operators\": {";
  separator = "";
  for (const auto& [name, hub] : network.hubs) {  // read-only worlds are run, too
    if (hub->replays() || !gate.operate_refusal(name, account).empty()) continue;
    json << separator << "\"" << name << "\": \"" << access::name_of(gate.role_in(name, account))
         << "\"";
    separator = ", ";
  }
  json << "}";
  append_owned(json, network, account, address);
  json << "}\n";
  return json.str();
}

Answer session_answer(const Network& network, const Asked& asked) {
  if (asked.method == "DELETE") return {204, "application/json", "", "", no_cookie()};
  if (asked.method != "POST") {
    return {200, "application/json",
            session_json(network, asked.visitor.account, std::string(asked.address))};
  }
  const std::string_view token = bearer_token(asked.authorization);
  if (token.empty()) {
    return {401, "application/json",
            "{\"error\": \"not allowed: signing in needs the header Authorization: Bearer "
            "TOKEN\"}\n"};
  }
  return {200, "application/json",
          session_json(network, asked.visitor.account, std::string(asked.address)), "",
          cookie_of(token, asked.encrypted)};
}

void append_springs(std::ostringstream& json, std::string_view name,
                    const std::vector<Fixture>& springs) {
  json << ", \"" << name << "\": [";
  const char* separator = "";
  for (const Fixture& spring : springs) {
    json << separator << "[" << spring.at.x << ", " << spring.at.y << ", " << spring.at.z << ", "
         << spring.rate << "]";
    separator = ", ";
  }
  json << "]";
}

// Names of tracers need no escapes.
void append_tracers(std::ostringstream& json, const Fixtures& fixtures) {
  json << ", \"tracers\": [";
  const char* separator = "";
  for (const auto& [at, shares] : fixtures.tracers) {
    json << separator << "[" << at.x << ", " << at.y << ", " << at.z << ", {";
    separator = "";
    for (const auto& [name, share] : shares) {
      json << separator << "\"" << name << "\": " << share;
      separator = ", ";
    }
    json << "}]";
    separator = ", ";
  }
  json << "]";
}

// Where water comes into the world and leaves it, and what warms it. At most 6 kMostFixtures rows:
// some 350 kB with four tracers in every spring.
std::string fixtures_json(Hub& hub) {
  const sim::Edges& edges = hub.config().edges;
  const auto edge = [](sim::Edge kind) { return kind == sim::Edge::kOpen ? "open" : "wall"; };
  const auto fixtures = hub.fixtures();
  std::ostringstream json;
  json << R"({"edges": {"left": ")" << edge(edges.left) << R"(", "right": ")" << edge(edges.right)
       << R"(", "bottom": ")" << edge(edges.bottom) << R"(", "top": ")" << edge(edges.top)
       << R"(", "front": ")" << edge(edges.front) << R"(", "back": ")" << edge(edges.back) << "\"}";
  append_springs(json, "sources", fixtures->sources);
  append_springs(json, "drains", fixtures->drains);
  append_springs(json, "heaters", fixtures->heaters);
  append_springs(json, "heads", fixtures->heads);
  append_springs(json, "temperatures", fixtures->temperatures);
  append_tracers(json, *fixtures);
  json << ", \"paused\": " << (hub.feed().paused() ? "true" : "false")
       << ", \"speed\": " << hub.feed().speed() / 1000.0;
  json << ", \"heat\": " << (fixtures->heat ? "true" : "false");
  json << ", \"left_out\": " << fixtures->left_out << "}\n";
  return json.str();
}

std::string plain_page(const Network& network) {
  std::ostringstream page;
  page << "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sluice</title>"
       << "<h1>Sluice</h1><p>This server was built without the browser viewer. Worlds:</p><ul>";
  for (const auto& [name, hub] : network.hubs) page << "<li>" << name << "</li>";
  page << "</ul><p>See them with <code>sluice-view ws://" << network.options.address << ":"
       << network.options.port << "/worlds/NAME</code>.</p></html>\n";
  return page.str();
}

Answer asset_answer(const PackedAsset& one, const Asked& asked) {
  Answer answer{200, one.asset.content_type, ""};
  answer.etag = one.etag;
  if (names_etag(asked.if_none_match, one.etag)) {
    answer.status = 304;
    return answer;
  }
  const bool packed = !one.gzip.empty() && takes_gzip(asked.accept_encoding);
  answer.body = packed ? one.gzip : one.asset.bytes;
  if (packed) answer.encoding = "gzip";
  return answer;
}

Answer readiness(const Network& network) {
  if (!network.options.readiness) return {200, "text/plain; charset=utf-8", "ready\n", ""};
  const Readiness state = network.options.readiness();
  return {state.ready ? 200U : 503U, "text/plain; charset=utf-8", state.text, ""};
}

Answer not_found(const Network& network, std::string_view path) {
  std::string pages;
  for (const Page& page : network.options.pages) pages += page.path + ", ";
  return {404, "text/plain; charset=utf-8",
          "nothing at " + std::string(path.substr(0, 200)) + "; there are /, " + pages +
              "/healthz, /readyz, " + (network.options.metrics_text ? "/metrics, " : "") +
              "/session, /worlds, /worlds/NAME/fixtures and, as a "
              "WebSocket, /worlds/NAME\n",
          ""};
}

}  // namespace

bool is_health(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/healthz" || path == "/readyz";
}

Hub* hub_of(Network& network, std::string_view target) {
  return hub_at(network, target.substr(0, target.find('?')), position_in(target));
}

std::string no_such_world(const Network& network, std::string_view target, const Visitor& visitor) {
  const std::string_view path = target.substr(0, target.find('?'));
  std::vector<std::string> names;
  for (const auto& [name, hub] : network.hubs) {
    const access::Role role = network.options.gate->role_in(name, visitor.account);
    if (role != access::Role::kNone) names.push_back(name);
  }
  const bool is_world = path.starts_with(kWorldsPrefix);
  const std::string name(is_world ? path.substr(kWorldsPrefix.size()) : std::string_view());
  if (position_in(target) && std::find(names.begin(), names.end(), name) != names.end()) {
    return "no such position in the history of this world, or not any more\n";
  }
  return "no such world" + did_you_mean(name, names) + "; /worlds lists them\n";
}

Answer refusal_answer(const std::string& why, const Visitor& visitor) {
  return {visitor.account.empty() ? 401U : 403U, "text/plain; charset=utf-8", why + "\n"};
}

Answer answer_to(Network& network, const Asked& asked) {
  const std::string_view path = asked.target.substr(0, asked.target.find('?'));
  const bool of_session = path == kSession;
  if (asked.method != "GET" && asked.method != "HEAD" &&
      !(of_session && (asked.method == "POST" || asked.method == "DELETE"))) {
    const std::string allowed = of_session ? "GET, HEAD, POST, DELETE" : "GET, HEAD";
    return {405, "text/plain; charset=utf-8",
            std::string(asked.method) + " is not allowed; allowed: " + allowed + "\n", allowed};
  }
  if (!asked.visitor.refusal.empty() && !is_health(path)) {
    if (of_session) {  // its readers are scripts
      return {401, "application/json", "{\"error\": \"" + escaped(asked.visitor.refusal) + "\"}\n"};
    }
    return refusal_answer(asked.visitor.refusal, asked.visitor);
  }
  if (of_session) return session_answer(network, asked);
  for (const PackedAsset& one : network.assets) {
    if (one.asset.path == path) return asset_answer(one, asked);
  }
  for (const Page& page : network.options.pages) {
    if (page.path == path) return {200, page.content_type, page.text(), ""};
  }
  if (path == "/") return {200, "text/html; charset=utf-8", plain_page(network), ""};
  if (path == "/healthz") {
    return {200, "text/plain; charset=utf-8",
            network.options.health_text ? network.options.health_text() : "alive\n", ""};
  }
  if (path == "/readyz") return readiness(network);
  if (path == "/worlds") return {200, "application/json", worlds_json(network, asked.visitor), ""};
  if (path == "/metrics" && network.options.metrics_text) {
    return {200, "text/plain; version=0.0.4; charset=utf-8", network.options.metrics_text(), ""};
  }
  if (path.ends_with(kFixturesSuffix)) {
    Hub* const hub = hub_at(network, path.substr(0, path.size() - kFixturesSuffix.size()),
                            position_in(asked.target));
    if (hub != nullptr) {
      const std::string refusal =
          network.options.gate->watch_refusal(hub->config().name, asked.visitor.account);
      if (!refusal.empty()) return refusal_answer(refusal, asked.visitor);
      return {200, "application/json", fixtures_json(*hub), ""};
    }
  }
  if (hub_of(network, path) != nullptr) {
    return {426, "text/plain; charset=utf-8", "this is a WebSocket; connect with ws://\n", ""};
  }
  return not_found(network, path);
}

}  // namespace sluice::net
