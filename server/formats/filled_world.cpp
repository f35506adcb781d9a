#include "server/formats/filled_world.h"

#include <array>
#include <map>
#include <sstream>

#include <toml++/toml.h>

namespace sluice::formats {

namespace {

std::string cell_text(Cell cell) {
  if (cell == kRock) return "\"#\"";
  if (cell == kTrappedAir) return "\"o\"";
  return std::to_string(cell);
}

/// Of each tracer, units in 4,096 units of a cell's water.
using Shares = std::array<std::int64_t, sim::kMostTracers>;

/// Cells of a row that are alike.
struct Stretch {
  std::int32_t x = 0;
  std::int32_t end = 0;
  Cell cell = kAir;
  Shares shares{};

  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

/// Boxes of like cells of one layer: stretches that stand one above the other.
class Boxes {
 public:
  Boxes(const sim::World& world, std::ostream& out) : world_(world), out_(out) {}

  void write_layer(std::int32_t z) {
    std::map<Stretch, std::int32_t> open;  // to the row in which it began
    for (std::int32_t y = 0; y < world_.config().size.y; ++y) {
      std::map<Stretch, std::int32_t> here;
      for (const Stretch& stretch : row(y, z)) {
        const auto below = open.find(stretch);
        here.emplace(stretch, below == open.end() ? y : below->second);
        if (below != open.end()) open.erase(below);
      }
      for (const auto& [stretch, from] : open) write(stretch, from, y, z);
      open = std::move(here);
    }
    for (const auto& [stretch, from] : open) write(stretch, from, world_.config().size.y, z);
  }

 private:
  [[nodiscard]] std::vector<Stretch> row(std::int32_t y, std::int32_t z) const {
    std::vector<Stretch> found;
    for (std::int32_t x = 0; x < world_.config().size.x; ++x) {
      const Cell cell = world_.cell({x, y, z});
      if (cell == kAir) continue;
      const Shares shares = shares_at({x, y, z}, cell);
      if (!found.empty() && found.back().end == x && found.back().cell == cell &&
          found.back().shares == shares) {
        ++found.back().end;
      } else {
        found.push_back({x, x + 1, cell, shares});
      }
    }
    return found;
  }

  // The least that give what the cell holds: what it holds was made of some that are no less.
  [[nodiscard]] Shares shares_at(Vec3 at, Cell cell) const {
    Shares shares{};
    const sim::TracerState& state = world_.core().tracers;
    for (std::size_t t = 0; cell > 0 && t < static_cast<std::size_t>(state.count); ++t) {
      const std::int64_t amount = sim::amount_at(state.tracers[t].pages, state.shape(), at);
      shares[t] = (amount * kFull + cell - 1) / cell;
    }
    return shares;
  }

  void write(const Stretch& stretch, std::int32_t from, std::int32_t end, std::int32_t z) {
    out_ << "\n[[fill]]\nfrom = [" << stretch.x << ", " << from << ", " << z << "]\nsize = ["
         << stretch.end - stretch.x << ", " << end - from
         << ", 1]\ncell = " << cell_text(stretch.cell) << '\n';
    if (stretch.shares == Shares{}) return;
    out_ << "tracer = {";
    const char* separator = " ";
    for (std::size_t t = 0; t < stretch.shares.size(); ++t) {
      if (stretch.shares[t] == 0) continue;
      out_ << separator << world_.core().tracers.tracers[t].options.name << " = "
           << stretch.shares[t];
      separator = ", ";
    }
    out_ << " }\n";
  }

  const sim::World& world_;
  std::ostream& out_;
};

}  // namespace

std::string filled_world_file(const std::string& text, const sim::World& world) {
  toml::table table = toml::parse(text);
  for (const char* key : {"mark", "fill", "map"}) table.erase(key);
  std::ostringstream out;
  out << table << '\n';
  Boxes boxes(world, out);
  for (std::int32_t z = 0; z < world.config().size.z; ++z) boxes.write_layer(z);
  return out.str();
}

}  // namespace sluice::formats
