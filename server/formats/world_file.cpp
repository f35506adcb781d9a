#include "server/formats/world_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "server/formats/cell_tables.h"
#include "server/formats/pipe_tables.h"
#include "server/formats/toml_table.h"
#include "server/sim/models/registry.h"

namespace sluice::formats {

namespace {

using sim::WorldSpec;

/// A drawing and a file of drawings stay well under what a world may hold; beyond, a fill is meant.
constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// One parse.
struct WorldFileParser {
  FirstMistake mistake;
  std::string usual_water;
  WorldSpec spec;

  void parse(const toml::table& root);
  void parse_world(const toml::table& table);
  void parse_edges(const toml::table& table);
  void parse_limits(const toml::table& table);
  void parse_water(const toml::table& table);
  void refuse_other_models(const toml::table& node);
  void parse_waves(const toml::table& table);
  void parse_heat(const toml::table& table);
  void parse_heater(const toml::table& table, std::size_t index);
  void parse_tracer(const toml::table& table, std::size_t index);
  void parse_mark(const toml::table& node, std::size_t index);
  void parse_spring(const toml::table& table, const std::string& path,
                    std::vector<sim::Spring>& springs);
  /// A mistake that shows in values, not in types: reports it at the table's line.
  void report(const toml::table& table, const std::string& what) {
    mistake.note(table.source(), what);
  }
  void require_in_world(const toml::table& table, const std::string& key, Vec3 at) {
    if (!spec.config.box().contains(at)) {
      report(table, "key '" + key + "' " + to_string(at) + " lies outside the world of size " +
                        to_string(spec.config.size));
    }
  }
};

void WorldFileParser::parse(const toml::table& root) {
  TomlTable table(root, "", mistake);
  const toml::table* world = table.table("world");
  if (world == nullptr) table.fail("world", "is missing: a world file begins with [world]");
  const toml::table* water = table.table("water");
  const toml::table* waves = table.table("waves");
  const toml::table* heat = table.table("heat");
  const CellTables cells = CellTables::of(table);
  const auto marks = table.tables("mark");
  const auto sources = table.tables("source");
  const auto drains = table.tables("drain");
  const auto heaters = table.tables("heater");
  const auto tracers = table.tables("tracer");
  const PipeTables pipes = PipeTables::of(table);
  table.finish();
  if (mistake.made()) return;
  parse_world(*world);
  if (water != nullptr && !mistake.made()) parse_water(*water);
  if (!mistake.made()) {
    if (Status valid = sim::validate(spec.config); !valid) {
      const bool about_water = valid.error().starts_with("water.") && water != nullptr;
      report(about_water ? *water : *world, "key " + valid.error());
    }
  }
  if (waves != nullptr && !mistake.made()) parse_waves(*waves);
  if (heat != nullptr && !mistake.made()) parse_heat(*heat);
  for (std::size_t i = 0; i < tracers.size() && !mistake.made(); ++i) parse_tracer(*tracers[i], i);
  if (!mistake.made()) parse_cells(cells, mistake, spec);
  for (std::size_t i = 0; i < marks.size() && !mistake.made(); ++i) parse_mark(*marks[i], i);
  for (std::size_t i = 0; i < sources.size() && !mistake.made(); ++i) {
    parse_spring(*sources[i], "source[" + std::to_string(i) + "]", spec.sources);
  }
  for (std::size_t i = 0; i < drains.size() && !mistake.made(); ++i) {
    parse_spring(*drains[i], "drain[" + std::to_string(i) + "]", spec.drains);
  }
  for (std::size_t i = 0; i < heaters.size() && !mistake.made(); ++i) parse_heater(*heaters[i], i);
  if (!mistake.made()) parse_pipes(pipes, mistake, spec);
}

void WorldFileParser::parse_world(const toml::table& node) {
  TomlTable table(node, "world", mistake);
  sim::WorldConfig& config = spec.config;
  config.name = table.require("name", table.text("name"));
  config.size = table.require("size", table.vec3("size"));
  std::vector<std::string> models;
  for (const sim::WaterModelRow& row : sim::water_models()) {
    models.emplace_back(row.name);
    if (row.name == usual_water) config.water = row.id;
  }
  if (const auto model = table.choice("water", models)) {
    config.water = sim::water_models()[*model].id;
  }
  config.seed = table.unsigned_number("seed").value_or(config.seed);
  config.tick_rate = table.number("tick_rate").value_or(config.tick_rate);
  const toml::table* edges = table.table("edges");
  const toml::table* limits = table.table("limits");
  table.finish();
  if (edges != nullptr && !mistake.made()) parse_edges(*edges);
  if (limits != nullptr && !mistake.made()) parse_limits(*limits);
}

void WorldFileParser::parse_limits(const toml::table& node) {
  TomlTable table(node, "world.limits", mistake);
  spec.limits.chunks = table.long_number("chunks").value_or(spec.limits.chunks);
  spec.limits.units = table.long_number("units").value_or(spec.limits.units);
  spec.limits.pipes = table.long_number("pipes").value_or(spec.limits.pipes);
  table.finish();
  if (mistake.made()) return;
  if (Status valid = sim::validate(spec.limits); !valid) report(node, "key " + valid.error());
}

void WorldFileParser::parse_edges(const toml::table& node) {
  TomlTable table(node, "world.edges", mistake);
  sim::Edges& edges = spec.config.edges;
  const std::pair<const char*, sim::Edge*> sides[] = {
      {"left", &edges.left}, {"right", &edges.right}, {"bottom", &edges.bottom},
      {"top", &edges.top},   {"front", &edges.front}, {"back", &edges.back}};
  for (const auto& [name, edge] : sides) {
    if (const auto choice = table.choice(name, {"wall", "open"})) {
      *edge = *choice == 0 ? sim::Edge::kWall : sim::Edge::kOpen;
    }
  }
  table.finish();
}

void WorldFileParser::parse_water(const toml::table& node) {
  TomlTable table(node, "water", mistake);
  refuse_other_models(node);
  for (const sim::WaterOption& option : sim::options_of(spec.config.water)) {
    const auto& names = option.values_by_name;
    if (!option.has_names()) {
      if (const auto value = table.number(option.name)) spec.config.options[option.name] = *value;
    } else if (const auto value = table.choice(option.name, {names.begin(), names.end()})) {
      spec.config.options[option.name] = static_cast<std::int32_t>(*value);
    }
  }
  table.finish();
}

// An option that another model has says which one was meant.
void WorldFileParser::refuse_other_models(const toml::table& node) {
  const auto has = [](const sim::WaterModelRow& row, std::string_view name) {
    return std::any_of(row.options.begin(), row.options.end(),
                       [name](const sim::WaterOption& option) { return name == option.name; });
  };
  const sim::WaterModelRow& own = *sim::find_water_model(spec.config.water);
  for (const auto& [key, value] : node) {
    for (const sim::WaterModelRow& row : sim::water_models()) {
      if (has(own, key.str()) || !has(row, key.str())) continue;
      mistake.note(value.source(), "key 'water." + std::string(key.str()) + "' is an option of " +
                                       row.name + " water, but this world's is " + own.name +
                                       "; water = \"" + row.name + "\" in [world] says otherwise");
    }
  }
}

void WorldFileParser::parse_waves(const toml::table& node) {
  TomlTable table(node, "waves", mistake);
  spec.waves.on = true;
  sim::WaveOptions& options = spec.waves.options;
  options.tension = table.number("tension").value_or(options.tension);
  options.dampening = table.number("dampening").value_or(options.dampening);
  options.spread = table.number("spread").value_or(options.spread);
  options.steps = table.number("steps").value_or(options.steps);
  options.keep_shape = table.boolean("keep_shape").value_or(options.keep_shape);
  const toml::table* const wind = table.table("wind");
  table.finish();
  if (wind != nullptr && !mistake.made()) {
    TomlTable blows(*wind, "waves.wind", mistake);
    spec.waves.wind = blows.number("speed").value_or(0);
    blows.finish();
  }
  if (mistake.made()) return;
  if (Status valid = sim::validate(options); !valid) report(node, "key " + valid.error());
  if (Status valid = sim::validate_wind(spec.waves.wind); !valid) {
    report(*wind, "key " + valid.error());
  }
}

void WorldFileParser::parse_heat(const toml::table& node) {
  TomlTable table(node, "heat", mistake);
  spec.heat.on = true;
  sim::HeatOptions& options = spec.heat.options;
  options.water = table.number("water").value_or(options.water);
  spec.heat.air = table.number("air").value_or(spec.heat.air);
  options.latent = table.boolean("latent").value_or(options.latent);
  options.steam = table.boolean("steam").value_or(options.steam);
  options.floating = table.boolean("floating").value_or(options.floating);
  options.down = table.number("down").value_or(options.down);
  options.sideways = table.number("sideways").value_or(options.sideways);
  options.up = table.number("up").value_or(options.up);
  options.ice = table.number("ice").value_or(options.ice);
  options.surface = table.number("surface").value_or(options.surface);
  options.air_cells = table.number("air_cells").value_or(options.air_cells);
  options.growth = table.number("growth").value_or(options.growth);
  options.simmer = table.number("simmer").value_or(options.simmer);
  const toml::table* const day = table.table("day");
  table.finish();
  if (day != nullptr && !mistake.made()) {
    TomlTable days(*day, "heat.day", mistake);
    options.day = days.require("length", days.number("length"));
    options.day_swing = days.number("swing").value_or(options.day_swing);
    days.finish();
  }
  if (mistake.made()) return;
  if (Status valid = sim::validate(options); !valid) report(node, "key " + valid.error());
  if (Status valid = sim::validate_temperature("heat.air", spec.heat.air); !valid) {
    report(node, "key " + valid.error());
  }
}

void WorldFileParser::parse_heater(const toml::table& node, std::size_t index) {
  const std::string path = "heater[" + std::to_string(index) + "]";
  TomlTable table(node, path, mistake);
  sim::PlacedHeater heater;
  heater.at = table.require("at", table.vec3("at"));
  heater.rate = table.require("rate", table.number("rate"));
  table.finish();
  if (mistake.made()) return;
  if (!spec.heat.on) report(node, "key '" + path + "' stands in a world without [heat]");
  require_in_world(node, path + ".at", heater.at);
  spec.heaters.push_back(heater);
}

void WorldFileParser::parse_tracer(const toml::table& node, std::size_t index) {
  const std::string path = "tracer[" + std::to_string(index) + "]";
  TomlTable table(node, path, mistake);
  const std::string name = table.require("name", table.text("name"));
  const std::vector<std::string> kinds(sim::kTracerKinds.begin(), sim::kTracerKinds.end());
  const std::size_t kind = table.choice("kind", kinds).value_or(0);
  sim::TracerOptions options = sim::usual_options(static_cast<sim::TracerKind>(kind));
  options.name = name;
  options.spread = table.number("spread").value_or(options.spread);
  options.overturn = table.number("overturn").value_or(options.overturn);
  options.sink = table.number("sink").value_or(options.sink);
  options.fade = table.number("fade").value_or(options.fade);
  options.crest = table.number("crest").value_or(options.crest);
  options.whip = table.number("whip").value_or(options.whip);
  table.finish();
  if (mistake.made()) return;
  const auto same_name = [&](const sim::TracerOptions& other) { return other.name == name; };
  if (Status valid = sim::validate(options, path); !valid) {
    report(node, "key " + valid.error());
  } else if (std::any_of(spec.tracers.begin(), spec.tracers.end(), same_name)) {
    report(node, "key '" + path + ".name': there is a tracer '" + name + "' already");
  } else if (spec.tracers.size() == sim::kMostTracers) {
    report(node, "key '" + path + "': a world has at most " + std::to_string(sim::kMostTracers) +
                     " tracers");
  }
  spec.tracers.push_back(options);
}

void WorldFileParser::parse_spring(const toml::table& node, const std::string& path,
                                   std::vector<sim::Spring>& springs) {
  TomlTable table(node, path, mistake);
  sim::Spring spring;
  spring.at = table.require("at", table.vec3("at"));
  spring.rate = table.require("rate", table.number("rate"));
  if (&springs == &spec.sources) {
    spring.head = table.number("head").value_or(-1);
    if (!mistake.made() && node.contains("head") && spring.head < 0) {
      report(node, "key '" + path + ".head' is below zero");
    }
    spring.temperature = table.number("temperature");
    if (!mistake.made() && spring.temperature && !spec.heat.on) {
      report(node, "key '" + path + ".temperature' stands in a world without [heat]");
    }
    if (!mistake.made() && spring.temperature) {
      const Status valid =
          sim::validate_temperature((path + ".temperature").c_str(), *spring.temperature);
      if (!valid) report(node, "key " + valid.error());
    }
    spring.tracers = tracers_of(table, node, path, mistake, spec);
  }
  table.finish();
  if (!mistake.made()) require_in_world(node, path + ".at", spring.at);
  springs.push_back(spring);
}

void WorldFileParser::parse_mark(const toml::table& node, std::size_t index) {
  const std::string path = "mark[" + std::to_string(index) + "]";
  TomlTable table(node, path, mistake);
  sim::Mark mark;
  mark.at = table.require("at", table.vec3("at"));
  const std::size_t kind = table.require("kind", table.choice("kind", {"level", "bubble"}));
  mark.kind = kind == 0 ? sim::MarkKind::kLevel : sim::MarkKind::kBubble;
  mark.level = table.long_number("level").value_or(-1);
  if (!mistake.made() && node.contains("level") && mark.level < 0) {
    table.fail("level", "is below zero");
  }
  table.finish();
  if (!mistake.made()) require_in_world(node, path + ".at", mark.at);
  spec.marks.push_back(mark);
}

}  // namespace

Result<WorldSpec> parse_world(std::string_view text, std::string_view where,
                              std::string_view usual_water) {
  WorldFileParser parser{FirstMistake(std::string(where)), std::string(usual_water), {}};
  try {
    const toml::table table = toml::parse(text, where);
    parser.parse(table);
  } catch (const toml::parse_error& error) {  // the packaged library reports by exception
    std::ostringstream message;
    message << where << ":" << error.source().begin.line << ": not TOML: " << error.description();
    return Error{message.str()};
  }
  if (const Status& read = parser.mistake.status(); !read) return Error{read.error()};
  return std::move(parser.spec);
}

Result<std::unique_ptr<sim::World>> build_world(const std::string& text,
                                                std::string_view usual_water) {
  const auto spec = parse_world(text, "world file", usual_water);
  if (!spec) return Error{spec.error()};
  return sim::World::create(*spec);
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{path + ": cannot be opened for reading"};
  // Piece by piece: a pipe has no size to ask for.
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) return Error{path + ": is larger than 256 MiB"};
  }
  if (file.bad() || !file.eof()) return Error{path + ": cannot be read"};
  return text;
}

Result<WorldSpec> read_world_file(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return Error{text.error()};
  return parse_world(*text, path);
}

}  // namespace sluice::formats
