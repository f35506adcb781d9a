#include "server/record/flipped_bit.h"

#include <array>
#include <span>
#include <utility>

#include "server/sim/kernels.h"

namespace sluice::record {

namespace {

// The inverses of mix64 and combine (server/sim/digest.h), step by step.

constexpr std::uint64_t inverse_of_odd(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;  // Newton: the correct bits double
  return inverse;
}

constexpr std::uint64_t unshift(std::uint64_t value, int shift) {
  std::uint64_t result = value;
  for (int done = shift; done < 64; done += shift) result = value ^ (result >> shift);
  return result;
}

constexpr std::uint64_t unmix(std::uint64_t value) {
  value = unshift(value, 31);
  value *= inverse_of_odd(0x94d049bb133111ebU);
  value = unshift(value, 27);
  value *= inverse_of_odd(0xbf58476d1ce4e5b9U);
  return unshift(value, 30);
}

constexpr std::uint64_t kSeedFactor = 0x9e3779b97f4a7c15U;

/// x of combine(seed, x) == result.
constexpr std::uint64_t value_behind(std::uint64_t result, std::uint64_t seed) {
  return unmix(result) - unmix(sim::combine(seed, 0));
}
/// x of combine(x, value) == result.
constexpr std::uint64_t seed_behind(std::uint64_t result, std::uint64_t value) {
  return (unmix(result) - unmix(sim::combine(0, value))) * inverse_of_odd(kSeedFactor);
}
static_assert(unmix(sim::mix64(0x0123456789abcdefU)) == 0x0123456789abcdefU);
static_assert(value_behind(sim::combine(77, 5), 77) == 5);
static_assert(seed_behind(sim::combine(77, 5), 5) == 77);

/// What element `at` of the chain combine(combine(0, values[0]), values[1])... would have to be for
/// the chain to end in `wanted`.
std::uint64_t element_behind(std::span<const std::uint64_t> values, std::size_t at,
                             std::uint64_t wanted) {
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < at; ++i) seed = sim::combine(seed, values[i]);
  for (std::size_t i = values.size(); i-- > at + 1;) wanted = seed_behind(wanted, values[i]);
  return value_behind(wanted, seed);
}

std::uint64_t place_of(ChunkCoord coord) {
  // chunk_contribution's mix of the place, by way of its own difference from nothing.
  std::uint64_t place = sim::combine(0x736c75696365U, static_cast<std::uint32_t>(coord.x));
  place = sim::combine(place, static_cast<std::uint32_t>(coord.y));
  return sim::combine(place, static_cast<std::uint32_t>(coord.z));
}

using Sums = std::array<std::uint64_t, sim::kDigestLanes>;

Sums sums_of(const Cell* cells) {
  Sums sums{};
  sim::kernels().digest_cells(cells, 0, kChunkCells, sums.data());
  return sums;
}

/// The cell and bit of the lane whose flip adds `change` to the lane's sum.
std::optional<std::pair<std::int32_t, int>> flip_in_lane(const Cell* cells, std::size_t lane,
                                                         std::uint64_t change) {
  std::uint64_t key = sim::kDigestKeys[lane];
  for (std::size_t i = 2 * lane; i < kChunkCells; i += 2 * sim::kDigestLanes) {
    const std::uint64_t data = static_cast<std::uint32_t>(cells[i]) |
                               std::uint64_t{static_cast<std::uint32_t>(cells[i + 1])} << 32;
    const auto term = [key](std::uint64_t pair) {
      const std::uint64_t keyed = pair ^ key;
      return (keyed & 0xffffffffU) * (keyed >> 32) + pair;
    };
    const std::uint64_t before = term(data);
    for (int bit = 0; bit < 64; ++bit) {
      if (term(data ^ (std::uint64_t{1} << bit)) - before != change) continue;
      return std::pair{static_cast<std::int32_t>(i) + bit / 32, bit % 32};
    }
    key += sim::kDigestStep;
  }
  return std::nullopt;
}

Difference flipped(const sim::World& state, const sim::Chunk& chunk, std::int32_t index, int bit) {
  StateImage image = StateImage::of(state);
  StateImage::Cells cells = *image.chunks.at(chunk.coord);
  const auto value = static_cast<std::uint32_t>(cells[static_cast<std::size_t>(index)]);
  cells[static_cast<std::size_t>(index)] = static_cast<Cell>(value ^ (1U << bit));
  image.chunks[chunk.coord] = std::make_shared<const StateImage::Cells>(std::move(cells));
  const Comparison comparison = compare_states(StateView::of(state), image.view(), 1);
  return comparison.differences.empty() ? Difference{} : comparison.differences.front();
}

}  // namespace

std::optional<Difference> find_flipped_bit(const sim::World& state, sim::Digest wanted) {
  const auto layers = state.recompute_layer_digests();
  constexpr auto kCells = static_cast<std::size_t>(sim::Layer::kCells);
  // The tree's layers: those that may be absent stand behind the cells.
  std::vector<sim::Digest> chain;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i] != 0 || !sim::may_be_absent(static_cast<sim::Layer>(i)))
      chain.push_back(layers[i]);
  }
  static_assert(sim::Layer::kPipes > sim::Layer::kCells && sim::Layer::kMarks > sim::Layer::kCells);
  const std::uint64_t change = element_behind(chain, kCells, wanted) - layers[kCells];
  std::optional<Difference> found;
  state.grid().for_each([&](const sim::Chunk& chunk) {
    if (found) return;
    const Sums sums = sums_of(chunk.cells.data());
    const std::uint64_t place = place_of(chunk.coord);
    const sim::Digest digest = sim::digest_cells(chunk.cells.data());
    const sim::Digest needed = value_behind(sim::combine(place, digest) + change, place);
    for (std::size_t lane = 0; lane < sums.size() && !found; ++lane) {
      const std::uint64_t sum = element_behind(sums, lane, needed);
      const auto flip = flip_in_lane(chunk.cells.data(), lane, sum - sums[lane]);
      if (flip) found = flipped(state, chunk, flip->first, flip->second);
    }
  });
  if (found && found->layer.empty()) found.reset();  // beyond the world: not a part of its state
  return found;
}

}  // namespace sluice::record
