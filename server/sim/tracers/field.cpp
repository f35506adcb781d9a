#include "server/sim/tracers/field.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/sim/fields.h"
#include "server/sim/spec.h"

namespace sluice::sim {

namespace {

/// One tracer, as water carries it. Water that comes is clear, if nothing else is said.
class TracerCargo final : public Cargo {
 public:
  TracerCargo(std::size_t number, TracerState& state, TracerField& field)
      : Cargo(state.tracers[number].pages, state.tracers[number].totals),
        number_(number),
        state_(state),
        field_(field) {}
  [[nodiscard]] std::int64_t usual(std::int64_t /*units*/) const override { return 0; }
  [[nodiscard]] std::int64_t most(std::int64_t units) const override {
    return units == 0 ? 0 : kMostTracerUnits;
  }
  void note(ChunkCoord coord) override { field_.note(number_, state_, coord); }

 private:
  std::size_t number_;
  const TracerState& state_;
  TracerField& field_;
};

/// The layer's digest from those of its tracers.
template <class DigestOf>
Digest sum_of(DigestOf&& digest_of_tracer) {
  Digest digest = 0;
  for (std::size_t i = 0; i < kMostTracers; ++i) {
    const Digest one = digest_of_tracer(i);
    if (one != 0) digest += combine(i, one);
  }
  return digest;
}

}  // namespace

std::vector<std::unique_ptr<Cargo>> TracerField::cargoes(TracerState& state) {
  std::vector<std::unique_ptr<Cargo>> cargoes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.count); ++i) {
    cargoes.push_back(std::make_unique<TracerCargo>(i, state, *this));
  }
  return cargoes;
}

Status TracerField::attach(TracerState& state, const Grid& grid) {
  const Error wrong{"snapshot: its tracers are not those of its water"};
  awake_.clear();
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    Tracer& tracer = state.tracers[t];
    digests_[t].clear();
    std::uint64_t sum = 0;
    for (const auto& [coord, page] : tracer.pages) {
      const Chunk* const chunk = grid.find(coord);
      if (chunk == nullptr) return wrong;
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        const std::int64_t amount = page.at(i);
        if (amount < 0 || amount > kMostTracerUnits) return wrong;
        if (amount > 0 && held_in(chunk->cells[i]) == 0) return wrong;
        sum += static_cast<std::uint64_t>(amount);
      }
    }
    if (sum != static_cast<std::uint64_t>(tracer.totals.now)) return wrong;
    for (const auto& [coord, page] : tracer.pages) note(t, state, coord);
    digests_[t].finish(tracer.pages);
  }
  return Done{};
}

void TracerField::note(std::size_t tracer, const TracerState& state, ChunkCoord coord) {
  digests_[tracer].note(coord);
  if (state.tracers[tracer].options.moves()) wake_around(coord);
}

void TracerField::wake_around(ChunkCoord coord) {
  const auto [x, y, z] = coord;
  awake_.insert(awake_.end(), {coord,
                               {x - 1, y, z},
                               {x + 1, y, z},
                               {x, y - 1, z},
                               {x, y + 1, z},
                               {x, y, z - 1},
                               {x, y, z + 1}});
}

void TracerField::finish(TracerState& state) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    digests_[t].finish(state.tracers[t].pages);
  }
}

Digest TracerField::digest() const {
  return sum_of([this](std::size_t t) { return digests_[t].digest(); });
}

void fill_tracers(const Grid& grid, const Box& box, const TracerAmounts& shares,
                  TracerState& state) {
  const ChunkShape& shape = grid.shape();
  const auto share_of = by_number(state, shares);
  grid.for_each([&](const Chunk& chunk) {
    const Box part = intersect(box, shape.box(chunk.coord));
    if (part.empty()) return;
    for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
      if (shares.count(state.tracers[t].options.name) == 0) continue;
      AmountPage& page = state.tracers[t].pages[chunk.coord];
      for (std::int32_t i = 0; i < kChunkCells; ++i) {
        if (!part.contains(shape.cell_at(chunk.coord, i))) continue;
        const auto at = static_cast<std::size_t>(i);
        page.edit()[at] = share_of[t] * held_in(chunk.cells[at]) / kFull;
      }
      page.share_if_uniform();
    }
  });
}

Status begin_tracers(TracerState& state) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    Tracer& tracer = state.tracers[t];
    std::erase_if(tracer.pages, [](const auto& entry) { return entry.second.nothing(); });
    std::int64_t sum = 0;
    for (const auto& [coord, page] : tracer.pages) {
      // A page holds less than 2^12 cells of 2^30 units, 2^30 to 4,096 of each.
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        sum += std::min(page.at(i), kMostTracerUnits - sum + 1);
      }
    }
    if (sum > kMostTracerUnits) {
      return Error{"fill: the world would hold more of '" + tracer.options.name + "' than the " +
                   std::to_string(kMostTracerUnits) + " units of a tracer that one takes in"};
    }
    tracer.totals = {sum, sum, 0, 0};
  }
  return Done{};
}

Digest digest_of(const TracerState& state) {
  return sum_of([&](std::size_t t) { return digest_of(state.tracers[t].pages); });
}

Digest digest_of_small(const TracerState& state) {
  TracerState small;
  small.count = state.count;
  small.springs = state.springs;
  small.solid = state.solid;
  for (std::size_t t = 0; t < kMostTracers; ++t) {
    small.tracers[t].options = state.tracers[t].options;
    small.tracers[t].totals = state.tracers[t].totals;
  }
  return digest_bytes(canonical_bytes(small));
}

std::array<std::int64_t, kMostTracers> by_number(const TracerState& state,
                                                 const TracerAmounts& amounts) {
  std::array<std::int64_t, kMostTracers> found{};
  for (const auto& [name, amount] : amounts) {
    if (const auto number = state.find(name)) found[*number] = amount;
  }
  return found;
}

}  // namespace sluice::sim
