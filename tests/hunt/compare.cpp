#include "tests/hunt/compare.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "server/net/layer_follower.h"
#include "server/net/published_world.h"

namespace sluice::hunt {

namespace {

std::string chunk_difference(const protocol::Mirror& mirror, ChunkCoord coord,
                             const sim::World& world) {
  const protocol::ChunkCells* held = mirror.find(coord);
  const sim::Chunk* chunk = world.grid().find(coord);
  const bool stored = chunk != nullptr && chunk->digest != chunk->pristine;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int32_t there = stored ? chunk->cells[i] : 0;
    const std::int32_t shown = held == nullptr ? 0 : (*held)[i];
    if (there == shown) continue;
    const Vec3 at = mirror.welcome().sides.cell_at(coord, static_cast<std::int32_t>(i));
    return "cell " + to_string(at) + " holds " + std::to_string(there) + ", its mirror " +
           std::to_string(shown);
  }
  return {};
}

std::string pipe_difference(const protocol::Mirror& mirror, bool whole, const sim::World& world) {
  std::size_t shown = 0;
  std::string found;
  mirror.pipes().for_each_section(
      [&](const protocol::PipeKey&, const protocol::PipeSection& section) {
        for (std::size_t i = 0; i < section.plan.nodes.size(); ++i) {
          ++shown;
          const std::string& name = section.plan.nodes[i].name;
          const auto slot = world.pipes().find(name);
          if (!slot) {
            found = "pipe " + name + " is shown and is not there";
          } else if (section.amount(i) != world.pipes().amount(*slot)) {
            found = "pipe " + name + " holds " + std::to_string(world.pipes().amount(*slot)) +
                    ", its mirror " + std::to_string(section.amount(i));
          }
        }
      });
  const auto there = static_cast<std::size_t>(world.pipes().node_count());
  if (found.empty() && whole && shown != there) {
    found = std::to_string(there) + " pipes, in the mirror " + std::to_string(shown);
  }
  return found;
}

/// Whether a chunk of coarse cells has some of the view's, whose chunks are those of the range.
bool within(const net::ChunkRange& range, ChunkCoord c, int level) {
  return !range.empty() && c.x >= range.low.x >> level && c.x <= range.high.x >> level &&
         c.y >= range.low.y >> level && c.y <= range.high.y >> level &&
         c.z >= range.low.z >> level && c.z <= range.high.z >> level;
}

/// Between what the mirror holds of a layer, by its place among all, and what it should.
std::string number_difference(const protocol::Mirror& mirror, std::size_t layer,
                              net::ChunkPictures there, const std::string& name) {
  std::string found;
  mirror.for_each_chunk_of(layer, [&](ChunkCoord coord, const protocol::ChunkCells& shown) {
    const auto place = there.find(coord);
    if (place == there.end()) {
      found = "it holds chunk " + to_string(coord) + " of the layer " + name;
    } else if (*place->second != shown) {
      found = "chunk " + to_string(coord) + " of the layer " + name + " differs";
    } else {
      there.erase(place);
    }
  });
  if (found.empty() && !there.empty()) {
    found = "chunk " + to_string(there.begin()->first) + " of the layer " + name + " is missing";
  }
  return found;
}

/// A layer's coarse numbers, each found from the numbers of its cells.
net::ChunkPictures coarse_numbers(const net::ChunkPictures& fine, const ChunkShape& sides,
                                  int level) {
  struct Sum {
    std::int64_t sum = 0;
    std::int64_t cells = 0;
  };
  std::map<ChunkCoord, std::map<std::size_t, Sum>> sums;
  for (const auto& [coord, numbers] : fine) {
    if (numbers == nullptr) continue;
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      if ((*numbers)[i] == 0) continue;
      const Vec3 at = sides.cell_at(coord, static_cast<std::int32_t>(i));
      const Vec3 coarse = {at.x >> level, at.y >> level, at.z >> level};
      const auto place = static_cast<std::size_t>(sides.index_of(coarse));
      Sum& sum = sums[sides.chunk_of(coarse)][place];
      sum.sum += (*numbers)[i];
      ++sum.cells;
    }
  }
  net::ChunkPictures pictures;
  for (const auto& [coord, cells] : sums) {
    auto picture = std::make_shared<protocol::ChunkCells>();
    for (const auto& [place, sum] : cells) {
      (*picture)[place] = static_cast<std::int32_t>((sum.sum + sum.cells / 2) / sum.cells);
    }
    pictures[coord] = std::move(picture);
  }
  return pictures;
}

/// Of the layers that the client asks for, of cells and of coarse cells; of the others it must hold
/// nothing.
std::string layer_difference(const protocol::Mirror& mirror, const net::ChunkRange& range,
                             const Asked& wanted, const sim::World& world) {
  const std::vector<net::Layer> layers = net::layers_of(world);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string& name = layers[i].name;
    const bool asked = (wanted.layers >> i & 1U) != 0;
    const bool has_events = layers[i].kind == net::Layer::Kind::kEvents;
    net::ChunkPictures all;
    net::LayerFollower follower(layers[i], {.layer_chunks = SIZE_MAX});
    follower.begin();
    follower.collect(world, all);
    net::ChunkPictures there = all;
    std::erase_if(there, [&](const auto& entry) { return !asked || !range.contains(entry.first); });
    // Events are of moments: what is held of those that were asked for may be of the last one.
    std::string found;
    if (!asked || !has_events) found = number_difference(mirror, i, std::move(there), name);
    for (int level = 1; level <= mirror.welcome().levels_of_detail && found.empty(); ++level) {
      net::ChunkPictures coarse;
      if (level == wanted.detail && (wanted.coarse_layers >> i & 1U) != 0 && !has_events) {
        coarse = coarse_numbers(all, mirror.welcome().sides, level);
        std::erase_if(coarse,
                      [&](const auto& entry) { return !within(range, entry.first, level); });
      }
      found = number_difference(mirror, mirror.layer_of_coarse(level, i), std::move(coarse),
                                name + " at level " + std::to_string(level));
    }
    if (!found.empty()) return found;
  }
  return {};
}

/// What a coarse cell is to be, found cell by cell.
Cell coarse_cell(const sim::World& world, Vec3 at, int level) {
  const std::int32_t side = 1 << level;
  std::vector<Cell> solid;
  std::vector<Cell> open;
  for (std::int32_t i = 0; i < side * side * side; ++i) {
    const Vec3 p = {at.x * side + i % side, at.y * side + i / side % side,
                    at.z * side + i / side / side};
    const Cell cell = world.grid().cell(p);
    if (cell == kOutside) continue;
    (cell == kRock || is_ice(cell) ? solid : open).push_back(cell);
  }
  const bool is_solid = solid.size() >= open.size();
  std::vector<Cell>& cells = is_solid ? solid : open;
  if (cells.empty()) return kAir;
  const auto rock = static_cast<std::size_t>(std::count(cells.begin(), cells.end(), kRock));
  if (2 * rock > cells.size()) return kRock;
  std::erase(cells, kRock);
  std::int64_t units = 0;
  for (const Cell cell : cells) units += held_in(cell);
  const std::int64_t step = std::ssize(cells) * net::kCoarseUnits;
  const auto mean = static_cast<std::int32_t>((units + step - 1) / step * net::kCoarseUnits);
  return is_solid ? ice_of(mean) : mean;
}

/// Of the levels of detail: of that which the client asks for; of the others it must hold nothing.
std::string detail_difference(const protocol::Mirror& mirror, const net::ChunkRange& range,
                              int detail, const sim::World& world) {
  const ChunkShape& sides = mirror.welcome().sides;
  std::string found;
  for (int level = 1; level <= mirror.welcome().levels_of_detail && found.empty(); ++level) {
    mirror.for_each_chunk_of(mirror.layer_of_detail(level),
                             [&](ChunkCoord coord, const protocol::ChunkCells&) {
                               if (level != detail || !within(range, coord, level)) {
                                 found = "it holds chunk " + to_string(coord) +
                                         " of the level of detail " + std::to_string(level);
                               }
                             });
    if (level != detail || range.empty()) continue;
    const Vec3 size = world.config().size;
    for (std::int32_t y = 0; y < size.y; y += 1 << level) {
      for (std::int32_t z = 0; z < size.z; z += 1 << level) {
        for (std::int32_t x = 0; x < size.x; x += 1 << level) {
          const Vec3 at = {x >> level, y >> level, z >> level};
          if (!found.empty() || !within(range, sides.chunk_of(at), level)) continue;
          const std::int32_t there = coarse_cell(world, at, level);
          const std::int32_t shown = mirror.coarse_cell(level, {x, y, z});
          if (there == shown) continue;
          found = "coarse cell " + to_string(at) + " of level " + std::to_string(level) +
                  " holds " + std::to_string(there) + ", its mirror " + std::to_string(shown);
        }
      }
    }
  }
  return found;
}

}  // namespace

std::string difference(const protocol::Mirror& mirror, const Asked& asked,
                       const sim::World& world) {
  const Box& view = asked.view;
  if (mirror.tick() != world.tick_number()) {
    return "it is at tick " + std::to_string(mirror.tick()) + ", the world at " +
           std::to_string(world.tick_number());
  }
  const Vec3 size = mirror.welcome().size;
  const net::ChunkRange range = net::chunks_in_view(view, size, mirror.welcome().sides);
  std::string found = detail_difference(mirror, range, asked.detail, world);
  const net::ChunkRange cells = asked.detail == 0 ? range : net::ChunkRange{};
  std::set<ChunkCoord> looked_at;
  const auto look = [&](ChunkCoord coord) {
    if (found.empty() && looked_at.insert(coord).second) {
      found = chunk_difference(mirror, coord, world);
    }
  };
  world.grid().for_each([&](const sim::Chunk& chunk) {
    if (cells.contains(chunk.coord)) look(chunk.coord);
  });
  mirror.for_each_chunk([&](ChunkCoord coord, const protocol::ChunkCells&) {
    if (found.empty() && !cells.contains(coord)) {
      found = "it holds chunk " + to_string(coord) + ", which is not in its view";
    }
    look(coord);
  });
  if (!found.empty()) return found;
  const bool whole = view.from == Vec3{} && view.size == size;
  found = pipe_difference(mirror, whole, world);
  return found.empty() ? layer_difference(mirror, range, asked, world) : found;
}

std::string inconsistency(const sim::World& world) {
  if (world.recompute_digest() != world.digest()) return "the digest is not that of the state";
  std::int64_t water = 0;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    for (std::size_t i = 0; i < kChunkCells; ++i) water += held_in(chunk.cells[i]);
  });
  if (water != world.totals().water) {
    return "the cells hold " + std::to_string(water) + " units, the sum says " +
           std::to_string(world.totals().water);
  }
  return {};
}

std::string changed_rock(std::span<const Box> boxes, const sim::World& world,
                         const sim::WorldSpec& spec) {
  if (boxes.empty()) return {};
  const auto begun = sim::World::create(spec);
  if (!begun) return begun.error();
  const sim::World& before = **begun;
  for (const Box& box : boxes) {
    for (std::int32_t z = box.from.z; z < box.from.z + box.size.z; ++z) {
      for (std::int32_t y = box.from.y; y < box.from.y + box.size.y; ++y) {
        for (std::int32_t x = box.from.x; x < box.from.x + box.size.x; ++x) {
          const bool was = before.cell({x, y, z}) == kRock;
          const bool is = world.cell({x, y, z}) == kRock;
          if (was == is) continue;
          return "the rock at " + to_string(Vec3{x, y, z}) + (is ? " was built" : " was dug");
        }
      }
    }
  }
  return {};
}

}  // namespace sluice::hunt
