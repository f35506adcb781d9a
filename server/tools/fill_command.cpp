// `sluice fill FILE`: what the marks of a world file fill, and the filled world as a file.
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/formats/filled_world.h"
#include "server/formats/world_file.h"
#include "server/tools/commands.h"

namespace sluice::tools {

namespace {

struct FillOptions {
  std::string file;
  std::string write;
  bool json = false;
};

const char* name_of(sim::MarkKind kind) {
  return kind == sim::MarkKind::kLevel ? "level" : "bubble";
}

bool in_rock(const sim::World& world, Vec3 at) {
  return world.cell(at) == kRock;
}

void print_json(const sim::WorldSpec& spec, const sim::World& world, double seconds) {
  nlohmann::ordered_json object;
  object["world"] = spec.config.name;
  object["marks"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < spec.marks.size(); ++i) {
    const sim::Mark& mark = spec.marks[i];
    object["marks"].push_back(
        {{"at", {mark.at.x, mark.at.y, mark.at.z}},
         {"kind", name_of(mark.kind)},
         {"level", mark.level_or_default()},
         {"in_rock", !is_open(world.cell(mark.at)) && world.cell(mark.at) != kTrappedAir},
         {"units", world.units_of_marks()[i]}});
  }
  object["water"] = world.totals().water;
  object["seconds"] = seconds;
  std::cout << object.dump() << '\n';
}

void print_text(const sim::WorldSpec& spec, const sim::World& world) {
  for (std::size_t i = 0; i < spec.marks.size(); ++i) {
    const sim::Mark& mark = spec.marks[i];
    const std::int64_t units = world.units_of_marks()[i];
    std::cout << "mark[" << i << "] " << name_of(mark.kind) << " at " << to_string(mark.at)
              << ", level " << mark.level_or_default() << ": " << (units > 0 ? "+" : "") << units
              << " units";
    if (in_rock(world, mark.at)) std::cout << " (in rock: ignored)";
    std::cout << '\n';
  }
  std::cout << spec.marks.size() << " marks; the world holds " << world.totals().water
            << " units of water\n";
}

Status write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!file) return Error{path + ": cannot be opened for writing"};
  file << text;
  file.close();
  if (!file) return Error{path + ": could not be written whole"};
  return Done{};
}

Status run_fill(const FillOptions& options) {
  const auto text = formats::read_file(options.file);
  if (!text) return Error{text.error()};
  const auto spec = formats::parse_world(*text, options.file);
  if (!spec) return Error{spec.error()};
  const auto start = std::chrono::steady_clock::now();
  const auto world = sim::World::create(*spec);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (!world) return Error{options.file + ": " + world.error()};
  if (!options.write.empty()) {
    const std::string filled = formats::filled_world_file(*text, **world);
    if (Status s = write_file(options.write, filled); !s) return s;
  }
  if (options.json) {
    print_json(*spec, **world, spent.count());
  } else {
    print_text(*spec, **world);
  }
  return Done{};
}

}  // namespace

void add_fill_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<FillOptions>();
  CLI::App* command = app.add_subcommand("fill", "Say what the marks of a world file fill");
  command->footer("Example: sluice fill cave.toml --write filled.toml");
  command->add_option("FILE", options->file, "the world file (TOML)")->required();
  command->add_option("--write", options->write,
                      "write the filled world, in boxes instead of marks, into this file");
  command->add_flag("--json", options->json, "print one JSON object");
  command->callback([options, &exit_status] {
    if (const Status done = run_fill(*options); !done) exit_status = fail(done.error());
  });
}

}  // namespace sluice::tools
