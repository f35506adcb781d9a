// Goal: a coarse cell is what its cells make it, and a coarse number of a layer what its numbers
// do, whoever looked at it when; a viewer holds the level of detail that it asks for, with the
// coarse layers that it wants, and nothing of the cells themselves or of another level.
// Method: chunks drawn by hand; random changes with and without somebody who looks, against the sum
// of the cells one by one; a random viewer and the real mirror.
#include "server/net/coarse_chunks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/limits.h"
#include "protocol/mirror.h"
#include "server/formats/world_file.h"
#include "server/net/interest.h"
#include "server/net/published_world.h"
#include "server/net/world_feed.h"
#include "tests/support/random_world.h"

namespace sluice::net::coarse_chunks_test {
namespace {

using protocol::ChunkCells;
using Truth = std::map<ChunkCoord, ChunkCells>;

constexpr std::size_t kThorough = 4;

struct Shape {
  ChunkShape sides;
  Vec3 size;
};
// Sizes off the chunks' and the coarse cells' multiples.
const Shape kShapes[] = {{kSideViewShape, {203, 141, 1}}, {kSolidShape, {51, 37, 42}}};

std::int32_t cell_of(const Truth& truth, const ChunkShape& sides, Vec3 at) {
  const auto place = truth.find(sides.chunk_of(at));
  if (place == truth.end()) return 0;
  return place->second[static_cast<std::size_t>(sides.index_of(at))];
}

// By the words of coarse_chunks.h, cell by cell.
std::int32_t expected_cell(const Truth& truth, const Shape& shape, Vec3 coarse, int level) {
  std::vector<Cell> cells;
  const std::int32_t side = 1 << level;
  for (std::int32_t i = 0; i < side * side * side; ++i) {
    const Vec3 at = {coarse.x * side + i % side, coarse.y * side + i / side % side,
                     coarse.z * side + i / side / side};
    if (Box{{}, shape.size}.contains(at)) cells.push_back(cell_of(truth, shape.sides, at));
  }
  const auto count = [&](auto&& is) { return std::count_if(cells.begin(), cells.end(), is); };
  const auto mean_of = [&](auto&& is) {
    std::int64_t units = 0;
    for (const Cell cell : cells) units += is(cell) ? held_in(cell) : 0;
    std::int32_t mean = 0;
    while (mean * count(is) < units) mean += kFull / 64;
    return mean;
  };
  const auto open = [](Cell cell) { return cell >= 0 || cell == kTrappedAir; };
  const std::int64_t rock = count([](Cell cell) { return cell == kRock; });
  const std::int64_t ice = count(is_ice);
  if (cells.empty()) return kAir;
  if (2 * (rock + ice) < static_cast<std::int64_t>(cells.size())) return mean_of(open);
  return ice >= rock ? ice_of(mean_of(is_ice)) : kRock;
}

// Likewise.
std::int32_t expected_number(const Truth& truth, const Shape& shape, Vec3 coarse, int level) {
  double sum = 0;
  double cells = 0;
  for (std::int32_t i = 0; i < 1 << (3 * level); ++i) {
    const std::int32_t side = 1 << level;
    const Vec3 at = {coarse.x * side + i % side, coarse.y * side + i / side % side,
                     coarse.z * side + i / side / side};
    if (!Box{{}, shape.size}.contains(at)) continue;
    const std::int32_t number = cell_of(truth, shape.sides, at);
    sum += number;
    cells += number > 0 ? 1 : 0;
  }
  return cells == 0 ? 0 : static_cast<std::int32_t>(std::floor(sum / cells + 0.5));
}

Publication publication_of(std::uint64_t tick, ChunkPictures chunks) {
  Publication publication;
  publication.tick = tick;
  publication.has_chunks = true;
  publication.chunks = std::move(chunks);
  return publication;
}

// Some runs of what `draw` gives, in some chunks; some chunks become empty.
template <class Draw>
ChunkPictures scribble_runs(tests::Dice& dice, const Shape& shape, Truth& truth, Draw&& draw) {
  ChunkPictures changes;
  for (std::int32_t i = dice.roll(0, 4); i > 0; --i) {
    const ChunkCoord coord = shape.sides.chunk_of(tests::random_place(dice, shape.size));
    if (dice.chance(15)) {
      truth.erase(coord);
      changes[coord] = nullptr;
      continue;
    }
    ChunkCells& cells = truth[coord];
    for (std::int32_t run = dice.roll(1, 6); run > 0; --run) {
      const Cell cell = draw();
      const std::int32_t from = dice.roll(0, kChunkCells - 1);
      const std::int32_t to = std::min(kChunkCells, from + (dice.chance(50) ? 3 : 700));
      std::fill(cells.begin() + from, cells.begin() + to, cell);
    }
    changes[coord] = std::make_shared<const ChunkCells>(cells);
  }
  return changes;
}

ChunkPictures scribble_cells(tests::Dice& dice, const Shape& shape, Truth& truth) {
  return scribble_runs(dice, shape, truth, [&] {
    return dice.chance(20) ? ice_of(dice.roll(1, kFull)) : tests::random_cell(dice);
  });
}

// Of a layer: nothing, or above 0.
ChunkPictures scribble_numbers(tests::Dice& dice, const Shape& shape, Truth& truth) {
  return scribble_runs(dice, shape, truth, [&] {
    return dice.chance(30) ? 0 : dice.roll(1, dice.chance(50) ? 3 : 1201);
  });
}

RC_GTEST_PROP(CoarseChunks, AreWhatTheirCellsMakeThemWhoeverLooked, (std::uint64_t seed)) {
  tests::Dice dice(seed);
  const Shape& shape = kShapes[dice.roll(0, 1)];
  const int level = dice.roll(1, protocol::kLevelsOfDetail);
  Truth truth;
  PublishedChunks fine(shape.sides, kThorough);
  const bool of_cells = dice.chance(50);
  CoarseChunks coarse(of_cells ? CoarseChunks::Of::kCells : CoarseChunks::Of::kNumbers, shape.sides,
                      shape.size, level, kThorough);
  const auto scribble = of_cells ? scribble_cells : scribble_numbers;
  const auto expected = of_cells ? expected_cell : expected_number;
  bool wanted = false;
  for (std::uint64_t tick = 1; tick < 12; ++tick) {
    fine.apply(tick, scribble(dice, shape, truth), false);
    coarse.follow(tick, fine);
    if (dice.chance(10)) {
      // Nobody watches the world for a while.
      fine.pause(tick, true);
      coarse.end();
      coarse.pause(tick, true);
      truth.clear();
      wanted = false;
    }
    if (!dice.chance(40)) continue;
    wanted = !wanted;
    wanted ? coarse.begin(tick, fine) : coarse.end();
  }
  coarse.begin(12, fine);
  for (std::int32_t y = 0; y << level < shape.size.y; ++y) {
    for (std::int32_t z = 0; z << level < shape.size.z; ++z) {
      for (std::int32_t x = 0; x << level < shape.size.x; ++x) {
        const ChunkCells* cells = coarse.cells(shape.sides.chunk_of({x, y, z}));
        const auto index = static_cast<std::size_t>(shape.sides.index_of({x, y, z}));
        RC_ASSERT((cells == nullptr ? 0 : (*cells)[index]) ==
                  expected(truth, shape, {x, y, z}, level));
      }
    }
  }
}

RC_GTEST_PROP(CoarseChunks, AViewerHoldsTheLevelThatItWantsAndNothingElse, (std::uint64_t seed)) {
  tests::Dice dice(seed);
  const Shape& shape = kShapes[dice.roll(0, 1)];
  Truth truth;
  Truth numbers;
  PublishedWorld world(shape.sides, 1, {.thorough_chunks = kThorough}, shape.size);
  Interest interest;
  protocol::Welcome welcome;
  welcome.size = shape.size;
  welcome.sides = shape.sides;
  welcome.layers = {"one"};
  welcome.levels_of_detail = protocol::kLevelsOfDetail;
  welcome.coarse_layers = true;
  protocol::Mirror mirror(welcome);
  const auto give = [&mirror](const protocol::Bytes& frame) {
    const auto message = protocol::decode_server_message(frame);
    RC_ASSERT(message.ok());
    RC_ASSERT(mirror.apply(std::get<protocol::Tick>(message.value())).ok());
  };
  std::size_t detail = 0;
  std::uint64_t wanted = 0;
  const auto wants = [&wanted](std::size_t layer) { return (wanted >> layer & 1U) != 0; };
  for (std::uint64_t tick = 1; tick < 12; ++tick) {
    Publication publication = publication_of(tick, scribble_cells(dice, shape, truth));
    publication.layers.push_back(scribble_numbers(dice, shape, numbers));
    world.apply(std::move(publication), true);
    if (dice.chance(30)) {
      interest.miss(world);
    } else {
      give(interest.step_frame(world));
    }
    if (dice.chance(50)) {
      for (std::size_t i = 1; i < world.layer_count(); ++i) {
        if (wants(i) && dice.chance(50)) world.forget_layer(i);
      }
      detail = static_cast<std::size_t>(dice.roll(0, protocol::kLevelsOfDetail));
      wanted = world.bits_of(detail, static_cast<std::uint64_t>(dice.roll(0, 7)),
                             static_cast<std::uint64_t>(dice.roll(0, 7)));
      world.keep_layers(wanted);
      const Box view = tests::random_box(dice, shape.size, shape.size.x);
      interest.set_view(chunks_in_view(view, shape.size, shape.sides), world, wanted);
    }
    if (dice.chance(30)) {
      RC_ASSERT(interest.resync({dice.roll(0, 3), dice.roll(0, 2), 0}, world,
                                static_cast<std::size_t>(dice.roll(0, 9))));
    }
  }
  while (!interest.up_to_date()) give(interest.catch_up_frame(world));
  RC_ASSERT(mirror.stats().digest_mismatches == 0U);
  const auto held_of = [&](auto&& for_each) {
    Truth held;
    for_each([&held](ChunkCoord coord, const ChunkCells& cells) { held[coord] = cells; });
    return held;
  };
  const auto there_of = [&](const PublishedChunks& there, const ChunkRange& range) {
    Truth in_view;
    there.for_each_chunk([&](ChunkCoord coord) {
      if (range.contains(coord)) in_view[coord] = *there.cells(coord);
    });
    return in_view;
  };
  RC_ASSERT(held_of([&](auto&& f) { mirror.for_each_chunk(f); }) ==
            there_of(world, detail == 0 ? interest.view() : ChunkRange{}));
  for (std::size_t i = 0; i < world.layer_count(); ++i) {
    const ChunkRange range = world.range_of(i, interest.view());
    RC_ASSERT(held_of([&](auto&& f) { mirror.for_each_chunk_of(i, f); }) ==
              there_of(world.layer(i), wants(i) ? range : ChunkRange{}));
  }
}

/// What viewers of all of a world are sent over some ticks, in bytes: one for each of `wanted`,
/// who come after the first tick.
std::vector<std::size_t> bytes_of(const char* text, std::size_t layers, int ticks,
                                  const std::vector<protocol::SetView>& wanted) {
  const auto spec = formats::parse_world(text, "world");
  EXPECT_TRUE(spec.ok()) << spec.error();
  const auto world = std::move(sim::World::create(spec.value())).value();
  WorldFeed feed(*world);
  EXPECT_EQ(feed.layers().size(), layers);
  feed.set_watched(true);
  for (std::size_t i = 0; i < layers; ++i) feed.want_layer(i, true);
  const Vec3 size = world->config().size;
  PublishedWorld published(world->config().shape(), layers, {}, size);
  std::vector<Interest> viewers(wanted.size());
  std::vector<std::size_t> bytes(wanted.size());
  sim::SerialExecutor executor;
  for (int tick = 0; tick < ticks; ++tick) {
    world->tick({}, executor);
    feed.publish(*world);
    published.apply(std::move(*feed.take().publication), true);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      bytes[i] += viewers[i].step_frame(published).size();
      if (tick > 0) continue;
      const protocol::SetView& view = wanted[i];
      const std::uint64_t bits =
          published.bits_of(view.level_of_detail, view.layers, view.coarse_layers);
      published.keep_layers(bits);
      viewers[i].set_view(chunks_in_view({{}, size}, size, world->config().shape()), published,
                          bits);
      bytes[i] += viewers[i].catch_up_frame(published).size();
    }
  }
  return bytes;
}

TEST(CoarseChunks, FromAfarAWorldInMotionTakesFewerBytes) {
  const auto bytes = bytes_of(R"(
[world]
name = "dam"
size = [1024, 256, 1]
water = "hydro"
[[fill]]
from = [0, 0, 0]
size = [300, 240, 1]
cell = "~"
)",
                              0, 200, {{{}, 0}, {{}, 1}, {{}, 2}, {{}, 3}});
  for (std::size_t level = 1; level < bytes.size(); ++level) {
    RecordProperty("bytes_of_level_" + std::to_string(level), std::to_string(bytes[level]));
    EXPECT_LT(bytes[level], bytes[level - 1]);
  }
  EXPECT_LT(2 * bytes.back(), bytes.front());
}

// A lake that cools from above, with dye that spreads in it.
TEST(CoarseChunks, FromAfarItsLayersTakeFewerBytes) {
  const auto bytes = bytes_of(R"(
[world]
name = "lake"
size = [1024, 256, 1]
water = "hydro"
[heat]
air = -20
[[tracer]]
name = "mud"
[[fill]]
from = [0, 0, 0]
size = [300, 240, 1]
cell = "~"
tracer = { mud = 2000 }
[[fill]]
from = [300, 0, 0]
size = [724, 40, 1]
cell = "~"
)",
                              3, 120, {{{}, 2, 3, 0}, {{}, 2, 0, 3}});
  RecordProperty("bytes_of_cells", std::to_string(bytes[0]));
  RecordProperty("bytes_of_coarse_cells", std::to_string(bytes[1]));
  EXPECT_LT(2 * bytes[1], bytes[0]);
}

}  // namespace
}  // namespace sluice::net::coarse_chunks_test
