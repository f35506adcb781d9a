#include "server/tools/output.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "protocol/base/map_text.h"
#include "server/sim/heat/field.h"
#include "server/sim/waves/surfaces.h"
#include "server/tools/arguments.h"

namespace sluice::tools {

namespace {

/// Larger maps are pictures for nobody; --dump has no limit.
constexpr std::int64_t kMaxMapCells = std::int64_t{1} << 26;

const char* material_name(Cell cell) {
  if (cell == kTrappedAir) return "trapped-air";
  if (is_ice(cell)) return "ice";
  return cell == kRock ? "rock" : "water";
}

/// The columns of a world with heat; empty where there is no water.
void dump_heat(const sim::World& world, Vec3 at, std::ostream& out) {
  if (world.heat() == nullptr) return;
  const sim::HeatState& heat = world.core().heat;
  if (held_in(world.cell(at)) == 0) {
    out << ",,";
    return;
  }
  out << ',' << sim::temperature_at(heat, world.grid(), at) << ','
      << sim::ice_at(heat, world.grid(), at);
}

/// One column for each tracer.
void dump_tracers(const sim::World& world, Vec3 at, std::ostream& out) {
  const sim::TracerState& state = world.core().tracers;
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    out << ',';
    if (held_in(world.cell(at)) == 0) continue;
    out << sim::amount_at(state.tracers[t].pages, state.shape(), at);
  }
}

/// And of rows that are no cells.
void dump_no_more(const sim::World& world, bool heads, std::ostream& out) {
  if (world.heat() != nullptr) out << ",,";
  for (std::int32_t t = 0; t < world.core().tracers.count; ++t) out << ',';
  if (heads) out << ',';
}

/// Every cell that is not air, front to back, bottom up, left to right.
void dump_cells(const sim::World& world, bool heads, std::ostream& out) {
  struct Row {
    Vec3 at;
    Cell cell;
  };
  std::vector<Row> rows;
  const Box box = world.config().box();
  const ChunkShape& shape = world.grid().shape();
  world.grid().for_each([&](const sim::Chunk& chunk) {
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      const Cell cell = chunk.cells[static_cast<std::size_t>(i)];
      if (cell == kAir || cell == kOutside) continue;
      const Vec3 at = shape.cell_at(chunk.coord, i);
      if (box.contains(at)) rows.push_back({at, cell});
    }
  });
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.at.z != b.at.z) return a.at.z < b.at.z;
    if (a.at.y != b.at.y) return a.at.y < b.at.y;
    return a.at.x < b.at.x;
  });
  for (const Row& row : rows) {
    out << "cell,," << row.at.x << ',' << row.at.y << ',' << row.at.z << ','
        << material_name(row.cell) << ',' << held_in(row.cell);
    dump_heat(world, row.at, out);
    dump_tracers(world, row.at, out);
    if (heads) out << ',';
    if (heads && water_of(row.cell) > 0) out << world.head(row.at);
    out << '\n';
  }
}

/// Every pipe, pump and valve, by name.
void dump_nodes(const sim::World& world, bool heads, std::ostream& out) {
  const sim::PipeNetwork& pipes = world.pipes();
  std::vector<sim::NodeView> nodes;
  nodes.reserve(static_cast<std::size_t>(pipes.node_count()));
  for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
    if (pipes.used(slot)) nodes.push_back(pipes.node(slot));
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const sim::NodeView& a, const sim::NodeView& b) { return a.name < b.name; });
  for (const sim::NodeView& node : nodes) {
    out << name_of(node.kind) << ',' << node.name << ',';
    if (node.at == kNowhere) {
      out << ",,";
    } else {
      out << node.at.x << ',' << node.at.y << ',' << node.at.z;
    }
    out << ',' << node.fluid << ',' << node.amount;
    dump_no_more(world, heads, out);
    out << '\n';
  }
}

/// Every free surface, with the height of its wave as it is drawn.
void dump_surfaces(const sim::World& world, bool heads, std::ostream& out) {
  if (world.waves() == nullptr) return;
  const auto surfaces = sim::drawn_surfaces(world.config(), world.grid(), world.core().waves);
  for (const sim::DrawnSurface& surface : surfaces) {
    out << "surface,," << surface.at.x << ',' << surface.at.y << ',' << surface.at.z
        << (surface.ice ? ",ice," : ",water,") << surface.height;
    dump_no_more(world, heads, out);
    out << '\n';
  }
}

/// Every cell of air that holds steam, with its temperature.
void dump_steam(const sim::World& world, bool heads, std::ostream& out) {
  const sim::HeatState& heat = world.core().heat;
  const sim::HeatCurve curve(heat.options.latent);
  for (const auto& [at, held] : heat.steam.cells) {
    out << "steam,," << at.x << ',' << at.y << ',' << at.z << ",water," << held.units << ','
        << curve.temperature(held.energy, held.units) << ',';
    if (heads) out << ',';
    out << '\n';
  }
}

void dump(const sim::World& world, bool heads, std::ostream& out) {
  out << "kind,name,x,y,z,material,amount";
  if (world.heat() != nullptr) out << ",temperature,ice";
  const sim::TracerState& tracers = world.core().tracers;
  for (std::size_t t = 0; t < static_cast<std::size_t>(tracers.count); ++t) {
    out << ',' << tracers.tracers[t].options.name;
  }
  if (heads) out << ",head";
  out << '\n';
  dump_cells(world, heads, out);
  dump_nodes(world, heads, out);
  dump_surfaces(world, heads, out);
  dump_steam(world, heads, out);
}

Status write_dump(const std::string& path, const sim::World& world, bool heads) {
  if (path == "-") {
    dump(world, heads, std::cout);
    return Done{};
  }
  std::ofstream file(path);
  if (!file) return Error{path + ": cannot be opened for writing"};
  dump(world, heads, file);
  file.close();
  if (!file) return Error{path + ": could not be written whole"};
  return Done{};
}

/// Units now, and the books of each: initial + in - out = now.
void add_tracers(const sim::TracerState& state, nlohmann::ordered_json& line) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    const std::string& name = state.tracers[t].options.name;
    const sim::AmountTotals& totals = state.tracers[t].totals;
    line["tracers"][name] = totals.now;
    line["tracers_initial"][name] = totals.initial;
    line["tracers_in"][name] = totals.in;
    line["tracers_out"][name] = totals.out;
  }
}

void print_json(const sim::World& world, const RunFacts& facts) {
  const sim::Totals& totals = world.totals();
  nlohmann::ordered_json line;
  line["world"] = world.config().name;
  line["tick"] = world.tick_number();
  line["digest"] = hex(world.digest());
  line["at_rest"] = facts.rest_tick.has_value();
  line["rest_tick"] = nullptr;
  if (facts.rest_tick) line["rest_tick"] = *facts.rest_tick;
  line["initial"] = totals.initial;
  line["water"] = totals.water;
  line["pipes"] = totals.pipes;
  line["sourced"] = totals.sourced;
  line["drained"] = totals.drained;
  line["evaporated"] = totals.evaporated;
  if (world.waves() != nullptr) line["wave_energy"] = world.wave_energy();
  if (world.heat() != nullptr) {
    const sim::AmountTotals& heat = world.core().heat.totals;
    line["energy_initial"] = heat.initial;
    line["energy"] = heat.now;
    line["energy_in"] = heat.in;
    line["energy_out"] = heat.out;
    line["ice"] = sim::ice_in(world.core().heat, world.grid());
    if (world.core().heat.options.steam) line["steam"] = world.core().heat.steam.units();
  }
  if (world.tracers() != nullptr) add_tracers(world.core().tracers, line);
  line["chunks"] = world.grid().chunk_count();
  line["active_chunks"] = world.active_chunks();
  line["seconds"] = facts.seconds;
  line["cell_updates"] = facts.cell_updates;
  std::cout << line.dump() << '\n';
}

}  // namespace

void OutputFlags::declare(CLI::App& app) {
  app.add_flag("--map", map, "print the final map, one block a z layer, top row first");
  app.add_option(
      "--dump", dump,
      "write every cell that is not air, every pipe, pump and valve, and where there are "
      "waves or steam every free surface and every cell of steam, as CSV "
      "('-': standard output)");
  app.add_flag("--heads", heads,
               "with --dump: a last column, how high the water of a cell stands, in level units")
      ->needs("--dump");
  app.add_option("--digests", digests,
                 "write a line 'tick digest' for each tick ('-': standard output)");
  app.add_flag("--json", json, "last line of standard output: one JSON object");
  app.add_option("--png", png, "draw the final world into this file (PNG)");
  app.add_option("--every", every,
                 "with --png NAME.png: a picture every so many ticks instead, NAME-00001.png, "
                 "NAME-00002.png, ..., for a video")
      ->check(whole_number());
  app.add_option(
         "--scale", scale,
         "with --png: pixels a cell (default: what makes the longer side 1,000, 16 at most)")
      ->check(CLI::Range(1, kMaxPixelsPerCell));
  app.add_option("--view", png_view,
                 "with --png: the cells x,y,z,w,h,d (default: the whole world)");
}

Result<PictureView> OutputFlags::picture() const {
  if (png.empty() && (scale || every || !png_view.empty())) {
    return Error{"--scale, --view and --every say how --png draws, which is not given"};
  }
  if (every == 0U) return Error{"--every 0: a picture takes a tick at least"};
  PictureView view;
  view.scale = scale;
  if (png_view.empty()) return view;
  const auto box = parse_view(png_view);
  if (!box) return Error{box.error()};
  view.cells = *box;
  return view;
}

Status check(const OutputFlags& flags, const sim::World& world) {
  const auto view = flags.picture();
  if (!view) return Error{view.error()};
  return flags.png.empty() ? Status(Done{}) : check(world, *view);
}

void RunFacts::add(const sim::TickReport& report, double tick_seconds) {
  last = report;
  cell_updates += report.cell_updates;
  seconds += tick_seconds;
  if (!report.at_rest) {
    rest_tick.reset();
  } else if (!rest_tick) {
    rest_tick = report.tick;
  }
}

Status DigestFile::open(const std::string& path) {
  path_ = path;
  to_standard_output_ = path == "-";
  if (path.empty() || to_standard_output_) return Done{};
  file_.open(path);
  if (!file_) return Error{path + ": cannot be opened for writing"};
  return Done{};
}

void DigestFile::add(std::uint64_t tick, sim::Digest digest) {
  if (path_.empty()) return;
  std::ostream& out = to_standard_output_ ? std::cout : file_;
  out << tick << ' ' << hex(digest) << '\n';
}

Status DigestFile::close() {
  if (path_.empty() || to_standard_output_) return Done{};
  file_.close();
  if (!file_) return Error{path_ + ": could not be written whole"};
  return Done{};
}

std::string hex(sim::Digest digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, digest);
  return text;
}

Status print_results(const OutputFlags& flags, const sim::World& world, const RunFacts& facts) {
  if (flags.map) {
    const Vec3 size = world.config().size;
    if (world.config().box().volume() > kMaxMapCells) {
      return Error{"--map: a map of " + to_string(size) +
                   " cells is too large to print; use --dump"};
    }
    std::cout << print_map(size.x, size.y, size.z,
                           [&](std::int32_t x, std::int32_t y, std::int32_t z) {
                             return world.cell({x, y, z});
                           });
  }
  if (!flags.dump.empty()) {
    if (Status s = write_dump(flags.dump, world, flags.heads); !s) return s;
  }
  if (!flags.png.empty() && !flags.every) {
    if (Status s = check(flags, world); !s) return s;
    if (Status s = write_png(flags.png, draw(world, *flags.picture())); !s) return s;
  }
  if (flags.json) print_json(world, facts);
  std::cout.flush();
  if (!std::cout) return Error{"standard output: could not be written whole"};
  return Done{};
}

}  // namespace sluice::tools
