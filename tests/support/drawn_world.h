// Worlds drawn with characters, as in a world file ('#' rock, '.' air, '~' a full cell, '1' to '7'
// eighths of one), and drawn again to be compared.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/sim/world.h"

namespace sluice::tests {

/// The rows of one z layer, the topmost first.
using Drawing = std::vector<std::string>;

inline Cell drawn_cell(char glyph) {
  switch (glyph) {
    case '#':
      return kRock;
    case '.':
      return kAir;
    case '~':
      return kFull;
    default:
      return (glyph - '0') * (kFull / 8);
  }
}

/// A world of that size with those cells: one drawing for each z, all of the same size.
inline sim::WorldSpec drawn_spec(sim::WaterModel water, const std::vector<Drawing>& layers) {
  sim::WorldSpec spec;
  spec.config.name = "drawn";
  spec.config.water = water;
  const Drawing& first = layers.front();
  spec.config.size = {static_cast<std::int32_t>(first.front().size()),
                      static_cast<std::int32_t>(first.size()),
                      static_cast<std::int32_t>(layers.size())};
  for (std::size_t z = 0; z < layers.size(); ++z) {
    for (std::size_t row = 0; row < layers[z].size(); ++row) {
      for (std::size_t x = 0; x < layers[z][row].size(); ++x) {
        const auto y = static_cast<std::int32_t>(layers[z].size() - 1 - row);
        const Vec3 at = {static_cast<std::int32_t>(x), y, static_cast<std::int32_t>(z)};
        if (layers[z][row][x] != '.') spec.cells.push_back({at, drawn_cell(layers[z][row][x])});
      }
    }
  }
  return spec;
}

/// Units, settled and falling.
inline std::int64_t water_in_column(const sim::World& world, std::int32_t x, std::int32_t z = 0) {
  std::int64_t units = 0;
  for (std::int32_t y = 0; y < world.config().size.y; ++y) {
    units += water_of(world.cell({x, y, z}));
  }
  return units;
}

/// Makes a cell of a grid another one, as whoever is told of by Grid::changed().
inline void put(sim::Grid& grid, Vec3 at, Cell cell) {
  sim::Chunk& chunk = grid.obtain(grid.shape().chunk_of(at));
  chunk.cells.edit()[static_cast<std::size_t>(grid.shape().index_of(at))] = cell;
  grid.note_change(chunk, sim::kChangedAll);
}

inline std::unique_ptr<sim::World> make_world(const sim::WorldSpec& spec) {
  auto world = sim::World::create(spec);
  if (!world) throw std::runtime_error(world.error());
  return std::move(world).value();
}

/// One z layer of a world, each cell as glyph_of(cell).
template <class GlyphOf>
Drawing drawing_of(const sim::World& world, std::int32_t z, GlyphOf&& glyph_of) {
  Drawing rows;
  const Vec3 size = world.config().size;
  for (std::int32_t y = size.y - 1; y >= 0; --y) {
    std::string row;
    for (std::int32_t x = 0; x < size.x; ++x) row += glyph_of(world.cell({x, y, z}));
    rows.push_back(row);
  }
  return rows;
}

/// An amount is shown as its whole eighths.
inline Drawing drawing_of(const sim::World& world, std::int32_t z = 0) {
  return drawing_of(world, z, [](Cell cell) {
    return cell < 0        ? '#'
           : cell == 0     ? '.'
           : cell >= kFull ? '~'
                           : static_cast<char>('0' + cell / (kFull / 8));
  });
}

}  // namespace sluice::tests
