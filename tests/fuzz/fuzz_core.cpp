// Any bytes as a world's core whose digest fits are an error or a world: one that ticks, conserves
// its water, and comes back from its own snapshot the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "protocol/base/assert.h"
#include "server/sim/fields.h"
#include "server/sim/world.h"
#include "tests/fuzz/edits.h"
#include "tests/support/every_water.h"
#include "tests/support/random_tracers.h"
#include "tests/support/random_world.h"

namespace {

using sluice::sim::World;

/// A snapshot with the bytes that its chunks lie in.
struct Whole {
  std::vector<std::byte> core;
  std::vector<std::vector<std::byte>> cells;
  std::vector<std::vector<std::byte>> marks;
  std::vector<World::ChunkImage> chunks;

  explicit Whole(const World& world) : core(world.snapshot_core()) {
    world.grid().for_each([&](const sluice::sim::Chunk& chunk) {
      cells.push_back(World::chunk_bytes(chunk));
      marks.push_back(World::mark_bytes(chunk));
      chunks.push_back({chunk.coord, chunk.wake, {}, {}});
    });
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      chunks[i].bytes = cells[i];
      chunks[i].marks = marks[i];
    }
  }
};

/// A world of each water, in side view and in 3D, in motion, with pipes; half of them with waves,
/// half with heat, a third with tracers.
std::vector<Whole> make_wholes() {
  namespace tests = sluice::tests;
  std::vector<Whole> wholes;
  sluice::sim::SerialExecutor serial;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const bool solid = seed % 2 == 0;
    const auto water = tests::any_water(seed / 2);
    auto spec = seed > 8 ? tests::fitted(tests::random_heat(seed, solid, true), water)
                         : tests::random_world_of(water, seed, {.solid = solid, .side = 40});
    if (seed % 4 < 2) tests::add_random_waves(seed, spec);
    if (seed % 3 == 0) tests::add_random_tracers(seed, spec);
    auto world = World::create(spec);
    if (!world) continue;
    for (int t = 0; t < 4; ++t) (void)(*world)->tick({}, serial);
    wholes.emplace_back(**world);
  }
  SLUICE_ASSERT(wholes.size() >= 8);
  return wholes;
}

void seal(std::vector<std::byte>& core) {
  core.resize(core.size() - std::min(core.size(), sizeof(sluice::sim::Digest)));
  const sluice::sim::Digest digest = sluice::sim::digest_bytes(core);
  sluice::sim::StateWriter(core).field("digest", digest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Whole>& wholes = *new std::vector<Whole>(make_wholes());
  if (size == 0) return 0;
  const Whole& whole = wholes[data[0] % wholes.size()];
  std::vector<std::byte> core = whole.core;
  sluice::tests::apply_edits({data + 1, size - 1}, core);
  seal(core);
  auto world = World::restore(core, whole.chunks);
  if (!world) return 0;
  SLUICE_ASSERT((*world)->conserved());
  sluice::sim::SerialExecutor serial;
  const auto again = [&serial](const World& from) {
    const Whole image(from);
    auto back = World::restore(image.core, image.chunks);
    SLUICE_ASSERT(back.ok());
    SLUICE_ASSERT((*back)->digest() == from.digest());
    (void)(*back)->tick({}, serial);
    return (*back)->digest();
  };
  for (int t = 0; t < 3; ++t) {
    const auto expected = again(**world);
    (void)(*world)->tick({}, serial);
    SLUICE_ASSERT((*world)->conserved());
    SLUICE_ASSERT((*world)->digest() == expected);
  }
  return 0;
}
