#include "server/net/routes.h"

#include <sstream>

namespace sluice::net {

namespace {

constexpr std::string_view kWorldsPrefix = "/worlds/";
constexpr std::string_view kFixturesSuffix = "/fixtures";

// Names are [a-z0-9-] and models' names are ours, so nothing needs to be escaped.
std::string worlds_json(const Network& network) {
  std::ostringstream json;
  json << "[";
  const char* separator = "";
  for (const auto& [name, hub] : network.hubs) {
    const sim::WorldConfig& config = hub->config();
    json << separator << "{\"name\": \"" << name << "\", \"size\": [" << config.size.x << ", "
         << config.size.y << ", " << config.size.z << "], \"water\": \"" << hub->welcome().water
         << "\", \"tick\": " << hub->feed().tick() << ", \"tick_rate\": " << config.tick_rate
         << ", \"clients\": " << hub->counters().viewers << ", \"socket\": \"" << kWorldsPrefix
         << name << "\"" << (hub->replays() ? ", \"replay\": true" : "") << "}";
    separator = ", ";
  }
  json << "]\n";
  return json.str();
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

// Where water comes into the world and leaves it. At most 2 kMostFixtures rows: some 70 kB.
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
              "/healthz, /readyz, /metrics, /worlds, /worlds/NAME/fixtures and, as a WebSocket, "
              "/worlds/NAME\n",
          ""};
}

}  // namespace

bool is_health(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/healthz" || path == "/readyz";
}

Hub* hub_of(Network& network, std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with(kWorldsPrefix)) return nullptr;
  const auto place = network.hubs.find(std::string(path.substr(kWorldsPrefix.size())));
  return place == network.hubs.end() ? nullptr : place->second.get();
}

Answer answer_to(Network& network, std::string_view method, std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (method != "GET" && method != "HEAD") {
    return {405, "text/plain; charset=utf-8",
            std::string(method) + " is not allowed; allowed: GET, HEAD\n", "GET, HEAD"};
  }
  for (const Asset& asset : network.options.assets) {
    if (asset.path == path) return {200, asset.content_type, asset.bytes, ""};
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
  if (path == "/worlds") return {200, "application/json", worlds_json(network), ""};
  if (path == "/metrics") {
    return {200, "text/plain; version=0.0.4; charset=utf-8",
            network.options.metrics_text ? network.options.metrics_text() : "", ""};
  }
  if (path.ends_with(kFixturesSuffix)) {
    Hub* const hub = hub_of(network, path.substr(0, path.size() - kFixturesSuffix.size()));
    if (hub != nullptr) return {200, "application/json", fixtures_json(*hub), ""};
  }
  if (hub_of(network, path) != nullptr) {
    return {426, "text/plain; charset=utf-8", "this is a WebSocket; connect with ws://\n", ""};
  }
  return not_found(network, path);
}

}  // namespace sluice::net
