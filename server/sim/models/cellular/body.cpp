#include "server/sim/models/cellular/body.h"

#include <cstdlib>

namespace sluice::sim {

namespace {

constexpr Vec3 kSteps[] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}};

}  // namespace

BodySearch::BodySearch(const CellularRule& rule, std::int64_t most_cells)
    : rule_(rule), kept_(kept_difference(rule)), most_cells_(most_cells) {
  for (std::size_t i = 0; i < kSides; ++i) sides_[i].step = kSteps[i];
}

// What searches before this one wrote is less than their numbers from now on: no page is cleared.
void BodySearch::begin(Grid& grid) {
  grid_ = &grid;
  side_count_ = grid.shape().depth() > 1 ? kSides : kSides / 2;
  constexpr std::uint32_t kMostSearches = std::uint32_t{1} << 30;
  const bool ends = search_ > kMostSearches;
  if (ends) search_ = 0;
  if (ends || pages_.size() > kKeptPages) pages_.resize(ends ? 0 : kKeptPages);
  used_pages_ = 0;
  first_ = search_ + 1;
}

bool BodySearch::find(Vec3 seed, WaterBody& body) {
  body.clear();
  ++search_;
  cells_ = 0;
  pending_.assign(1, seed);
  while (!pending_.empty()) {
    const Vec3 at = pending_.back();
    pending_.pop_back();
    const Place place = place_of(at);
    const std::uint32_t search = seen(*place.chunk, place.index);
    if (search == search_) continue;
    // What another search came to belongs to a body that moves or is too large: others are found as
    // a whole.
    if (search >= first_ || !take_run(at, body) || cells_ > most_cells_) return false;
  }
  return true;
}

bool BodySearch::moves_within(const Chunk& chunk, std::int32_t index) const {
  const ChunkShape& shape = grid_->shape();
  const Cell* const cell = chunk.cells.data() + index;
  const auto moves_over = [&](std::int32_t step) {
    return is_open(cell[step]) && std::abs(*cell - cell[step]) > kept_;
  };
  const std::int32_t x = index & (shape.width() - 1);
  if (x > 0 && moves_over(-1)) return true;
  if (x + 1 < shape.width() && moves_over(1)) return true;
  const std::int32_t in_slab = index & (shape.slab() - 1);
  if (in_slab >= shape.width() && moves_over(-shape.width())) return true;
  if (in_slab + shape.width() < shape.slab() && moves_over(shape.width())) return true;
  if (index + shape.slab() >= static_cast<std::int32_t>(kChunkCells)) return false;
  const Cell above = cell[shape.slab()];
  return is_open(above) && lower_share(rule_, *cell + above) != *cell;
}

std::uint32_t& BodySearch::seen(Chunk& chunk, std::int32_t index) {
  if (chunk.pass_slot >= used_pages_ || pages_[chunk.pass_slot]->chunk != &chunk) {
    chunk.pass_slot = static_cast<std::uint32_t>(used_pages_++);
    if (used_pages_ > pages_.size()) pages_.push_back(std::make_unique<SeenPage>());
    pages_[chunk.pass_slot]->chunk = &chunk;
  }
  return pages_[chunk.pass_slot]->search[static_cast<std::size_t>(index)];
}

BodySearch::Place BodySearch::place_of(Vec3 at) const {
  return {at, grid_->find(grid_->shape().chunk_of(at)), grid_->shape().index_of(at)};
}

Cell BodySearch::beyond(const Place& place, std::int32_t step) const {
  const std::int32_t index = place.index + step * grid_->shape().slab();
  const auto cells = static_cast<std::int32_t>(kChunkCells);
  if (index >= 0 && index < cells) return place.chunk->cells[static_cast<std::size_t>(index)];
  const Chunk* const next = step < 0 ? place.chunk->below : place.chunk->above;
  if (next != nullptr) return next->cells[static_cast<std::size_t>(index - step * cells)];
  const ChunkCoord c = place.chunk->coord;
  return missing({c.x, c.y + step, c.z});
}

// One that it can fall from is none.
bool BodySearch::find_floor(Place& place) const {
  for (;;) {
    const Cell under = beyond(place, -1);
    if (!is_open(under)) return true;
    if (under == kAir) return false;
    --place.at.y;
    place.index -= grid_->shape().slab();
    if (place.index >= 0) continue;
    place.index += static_cast<std::int32_t>(kChunkCells);
    place.chunk = place.chunk->below;
  }
}

bool BodySearch::take_run(Vec3 at, WaterBody& body) {
  Place place = place_of(at);
  if (!find_floor(place)) return false;
  WaterRun run = {at.x, at.z, place.at.y, place.at.y, place.at.y, 0};
  for (std::size_t i = 0; i < side_count_; ++i) sides_[i].in_contact = false;
  look_beside(place);
  for (Cell amount = cell(place); amount > 0;) {
    std::uint32_t& search = seen(*place.chunk, place.index);
    if (search >= first_) return false;
    const Cell above = beyond(place, +1);
    if (is_open(above) && lower_share(rule_, amount + above) != amount) return false;
    if (!still_beside(place, amount)) return false;
    seen(*place.chunk, place.index) = search_;
    run.units += amount;
    run.top = ++place.at.y;
    amount = above;
    place.index += grid_->shape().slab();
    if (place.index < static_cast<std::int32_t>(kChunkCells) || amount <= 0) continue;
    place.index -= static_cast<std::int32_t>(kChunkCells);
    place.chunk = place.chunk->above;
    look_beside(place);
  }
  run.ceiling = run.top;
  cells_ += run.top - run.floor;
  body.push_back(run);
  return true;
}

void BodySearch::look_beside(const Place& place) {
  for (std::size_t i = 0; i < side_count_; ++i) {
    Side& side = sides_[i];
    const Vec3 at = place.at + side.step;
    const ChunkCoord coord = grid_->shape().chunk_of(at);
    const ChunkCoord here = place.chunk->coord;
    side.offset = grid_->shape().index_of(at) - place.index;
    if (coord == here) {
      side.chunk = place.chunk;
    } else if (side.step.x != 0) {
      side.chunk = side.step.x < 0 ? place.chunk->left : place.chunk->right;
    } else {
      side.chunk = side.step.z < 0 ? place.chunk->front : place.chunk->back;
    }
    if (side.chunk == nullptr) side.missing = missing(coord);
  }
}

// Where nothing falls, a sideways flow is a matter of the two amounts alone: what could fall first
// has a face below it that moves.
bool BodySearch::still_beside(const Place& place, Cell amount) {
  for (std::size_t i = 0; i < side_count_; ++i) {
    Side& side = sides_[i];
    const auto index = static_cast<std::size_t>(place.index + side.offset);
    const Cell beside = side.chunk != nullptr ? side.chunk->cells[index] : side.missing;
    if (is_open(beside) && std::abs(amount - beside) > kept_) return false;
    const bool touches = beside > 0;
    if (touches && !side.in_contact) {
      const std::uint32_t search = seen(*side.chunk, place.index + side.offset);
      if (search < first_) {
        pending_.push_back(place.at + side.step);
      } else if (search != search_) {
        return false;
      }
    }
    side.in_contact = touches;
  }
  return true;
}

}  // namespace sluice::sim
