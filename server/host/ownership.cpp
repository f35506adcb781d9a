#include "server/host/ownership.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "server/sim/commands/cost.h"

namespace sluice::host {

namespace {

/// Those that add a pipe, pump or valve.
template <class Row>
inline constexpr bool kAddsNode = std::is_base_of_v<sim::PipeFields, Row>;

/// Chunks of a shape that the box covers, which lies in a world.
std::int64_t chunks_covered(const ChunkShape& shape, const Box& box) {
  const ChunkCoord first = shape.chunk_of(box.from);
  const ChunkCoord last = shape.chunk_of(box.end() - Vec3{1, 1, 1});
  const auto along = [](std::int32_t from, std::int32_t to) { return std::int64_t{to} - from + 1; };
  return along(first.x, last.x) * along(first.y, last.y) * along(first.z, last.z);
}

bool names_cells_of(const Box& box, Vec3 size) {
  return !box.empty() && lies_in(box, {{0, 0, 0}, size});
}

/// Who owns so much, as the one who is refused is told it.
std::string whose(const std::string& owner, std::int64_t count) {
  return (owner.starts_with('~') ? "those of your address own " : "you own ") +
         std::to_string(count);
}

std::string refusal_text(const char* what, const std::string& owns, std::int64_t added,
                         access::Role role, std::uint32_t bound) {
  return std::string("too many ") + what + ": " + owns + " in this world, and this adds " +
         std::to_string(added) + "; the role " + std::string(name_of(role)) + " may own " +
         std::to_string(bound) + ", so none until some are removed";
}

}  // namespace

Ownership::Ownership(ChunkShape shape, std::size_t most_owners)
    : shape_(shape), most_owners_(std::min(most_owners, kMostOwners)), holders_(1) {}

std::size_t Ownership::bytes_of(const Plot& plot) {
  return kBytesOfPlot + plot.capacity() * sizeof(Run);
}

std::size_t Ownership::bytes() const {
  return run_bytes_ + name_bytes_ + pipes_.size() * kBytesOfOwnedName +
         holders_.size() * (kBytesOfOwnedName + sizeof(Holder));
}

void Ownership::unfold(const Plot& plot, Span span, Cells& cells) {
  auto run = std::upper_bound(plot.begin(), plot.end(), span.begin,
                              [](std::int32_t at, const Run& one) { return at < one.end; });
  for (std::int32_t at = span.begin; at < span.end; ++run) {
    const std::int32_t end = std::min<std::int32_t>(run->end, span.end);
    std::fill(cells.begin() + at, cells.begin() + end, run->owner);
    at = end;
  }
}

void Ownership::fold(const Cells& cells, Span span, Plot& plot) {
  folded_.clear();
  const auto add = [this](std::int32_t end, Id owner) {
    if (!folded_.empty() && folded_.back().owner == owner) {
      folded_.back().end = static_cast<std::uint16_t>(end);
    } else {
      folded_.push_back({static_cast<std::uint16_t>(end), owner});
    }
  };
  auto run = plot.cbegin();
  for (; run->end <= span.begin; ++run) folded_.push_back(*run);
  if (span.begin > 0 && (folded_.empty() || folded_.back().end < span.begin)) {
    add(span.begin, run->owner);
  }
  for (std::int32_t at = span.begin; at < span.end;) {
    const Id owner = cells[static_cast<std::size_t>(at)];
    while (at < span.end && cells[static_cast<std::size_t>(at)] == owner) ++at;
    add(at, owner);
  }
  while (run != plot.cend() && run->end <= span.end) ++run;
  for (; run != plot.cend(); ++run) add(run->end, run->owner);
  plot = Plot(folded_.begin(), folded_.end());  // with room for these, and no more
}

Ownership::Span Ownership::span_of(const Box& part) const {
  return {shape_.index_of(part.from), shape_.index_of(part.end() - Vec3{1, 1, 1}) + 1};
}

/// Of each chunk that the box covers.
template <class F>
void Ownership::for_each_part(const Box& box, F&& f) const {
  const ChunkCoord first = shape_.chunk_of(box.from);
  const ChunkCoord last = shape_.chunk_of(box.end() - Vec3{1, 1, 1});
  for (std::int32_t z = first.z; z <= last.z; ++z) {
    for (std::int32_t x = first.x; x <= last.x; ++x) {
      for (std::int32_t y = first.y; y <= last.y; ++y) {
        f(ChunkCoord{x, y, z}, intersect(box, shape_.box({x, y, z})));
      }
    }
  }
}

/// f(coord, plot, part) of each plot that the box meets; whichever is fewer are looked through, the
/// plots or the places that it covers.
template <class F>
void Ownership::for_each_plot_in(const Box& box, F&& f) const {
  if (chunks_covered(shape_, box) <= static_cast<std::int64_t>(plots_.size())) {
    for_each_part(box, [&](ChunkCoord coord, const Box& part) {
      const auto place = plots_.find(coord);
      if (place != plots_.end()) f(coord, place->second, part);
    });
    return;
  }
  for (const auto& [coord, plot] : plots_) {
    const Box part = intersect(box, shape_.box(coord));
    if (!part.empty()) f(coord, plot, part);
  }
}

std::int64_t Ownership::count_in(const Box& box, Id owner) const {
  std::int64_t count = 0;
  if (owner == 0) return count;
  Cells cells;
  for_each_plot_in(box, [&](ChunkCoord /*coord*/, const Plot& plot, const Box& part) {
    unfold(plot, span_of(part), cells);
    const Vec3 end = part.end();
    for (std::int32_t y = part.from.y; y < end.y; ++y) {
      for (std::int32_t z = part.from.z; z < end.z; ++z) {
        const auto row = cells.begin() + shape_.index_of({part.from.x, y, z});
        count += std::count(row, row + part.size.x, owner);
      }
    }
  });
  return count;
}

void Ownership::add_cells(Id owner, std::int64_t cells) {
  if (owner == 0 || cells == 0) return;
  Owned& owned = holders_[owner].owned;
  owned.cells += cells;
  all_.cells += cells;
  if (owned == Owned{}) emptied_.push_back(owner);
}

void Ownership::assign_part(ChunkCoord coord, const Box& part, Id owner) {
  const auto [place, is_new] = plots_.try_emplace(coord);
  Plot& plot = place->second;
  if (is_new) {
    plot = {{kChunkCells, 0}};
    plot.shrink_to_fit();
    run_bytes_ += bytes_of(plot);
  }
  run_bytes_ -= bytes_of(plot);
  Cells cells;
  const Span span = span_of(part);
  unfold(plot, span, cells);
  const Vec3 end = part.end();
  for (std::int32_t y = part.from.y; y < end.y; ++y) {
    for (std::int32_t z = part.from.z; z < end.z; ++z) {
      Id* const row = cells.data() + shape_.index_of({part.from.x, y, z});
      for (std::int32_t x = 0; x < part.size.x; ++x) {
        if (row[x] == owner) continue;
        add_cells(row[x], -1);
        add_cells(owner, 1);
        row[x] = owner;
      }
    }
  }
  fold(cells, span, plot);
  if (plot.size() == 1 && plot.front().owner == 0) {
    plots_.erase(place);
    return;
  }
  run_bytes_ += bytes_of(plot);
}

void Ownership::assign(const Box& box, Id owner) {
  std::vector<std::pair<ChunkCoord, Box>> parts;
  if (owner != 0) {
    for_each_part(
        box, [this, owner](ChunkCoord coord, const Box& part) { assign_part(coord, part, owner); });
    return;
  }
  for_each_plot_in(box, [&parts](ChunkCoord coord, const Plot& /*plot*/, const Box& part) {
    parts.emplace_back(coord, part);
  });
  for (const auto& [coord, part] : parts) assign_part(coord, part, 0);
}

Ownership::Id Ownership::id_of(std::string_view owner) const {
  const auto known = ids_.find(owner);
  return known == ids_.end() ? Id{0} : known->second;
}

Ownership::Id Ownership::id_for(const std::string& owner) {
  if (owner.empty()) return 0;
  if (const Id known = id_of(owner); known != 0) return known;
  if (ids_.size() >= most_owners_) return 0;
  Id id = static_cast<Id>(holders_.size());
  if (free_ids_.empty()) {
    holders_.push_back({owner, {}});
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
    holders_[id] = {owner, {}};
  }
  ids_.emplace(owner, id);
  name_bytes_ += 2 * owner.size();
  emptied_.push_back(id);  // unless it comes to own something
  return id;
}

void Ownership::forget_who_owns_nothing() {
  for (const Id id : emptied_) {
    Holder& holder = holders_[id];
    if (holder.name.empty() || holder.owned != Owned{}) continue;
    name_bytes_ -= 2 * holder.name.size();
    ids_.erase(holder.name);
    holder = {};
    free_ids_.push_back(id);
  }
  emptied_.clear();
}

void Ownership::add_pipe(const std::string& name, Id owner) {
  if (owner == 0 || !pipes_.try_emplace(name, owner).second) return;
  name_bytes_ += name.size();
  ++holders_[owner].owned.pipes;
  ++all_.pipes;
}

void Ownership::drop_pipe(const std::string& name) {
  const auto place = pipes_.find(name);
  if (place == pipes_.end()) return;
  name_bytes_ -= name.size();
  Owned& owned = holders_[place->second].owned;
  --owned.pipes;
  --all_.pipes;
  if (owned == Owned{}) emptied_.push_back(place->second);
  pipes_.erase(place);
}

bool Ownership::concerns(const sim::Command& command) {
  return std::visit(
      []<class Row>(const Row& /*row*/) {
        return std::is_same_v<Row, sim::SetCells> || std::is_same_v<Row, sim::RemovePipe> ||
               kAddsNode<Row>;
      },
      static_cast<const sim::CommandRows&>(command.body));
}

void Ownership::apply(const sim::Command& command, const std::string& owner) {
  std::visit(
      [this, &owner]<class Row>(const Row& row) {
        if constexpr (std::is_same_v<Row, sim::SetCells>) {
          assign({row.from, row.size}, row.cell == kRock ? id_for(owner) : Id{0});
        } else if constexpr (std::is_same_v<Row, sim::RemovePipe>) {
          drop_pipe(row.name);
        } else if constexpr (kAddsNode<Row>) {
          add_pipe(row.name, id_for(owner));
        }
      },
      static_cast<const sim::CommandRows&>(command.body));
  forget_who_owns_nothing();
}

std::string Ownership::refusal_of(const sim::Command& command, const std::string& owner,
                                  access::Role role, const OwnedBound& bound, Vec3 size) const {
  if (owner.empty() || !bound.any()) return {};
  const Id id = id_of(owner);
  const Owned& owned = holders_[id].owned;
  Owned added;
  std::visit(
      [&]<class Row>(const Row& row) {
        if constexpr (std::is_same_v<Row, sim::SetCells>) {
          const Box box{row.from, row.size};
          if (bound.cells == 0 || row.cell != kRock || !names_cells_of(box, size)) return;
          added.cells = box.volume();
          // What is too many anyway need not be counted out.
          if (added.cells <= owned.cells + bound.cells) added.cells -= count_in(box, id);
        } else if constexpr (kAddsNode<Row>) {
          added.pipes = bound.pipes == 0 ? 0 : 1;
        }
      },
      static_cast<const sim::CommandRows&>(command.body));
  if (added == Owned{}) return {};
  if (added.cells > 0 && owned.cells + added.cells > bound.cells) {
    return refusal_text("cells", whose(owner, owned.cells), added.cells, role, bound.cells);
  }
  if (added.pipes > 0 && owned.pipes + added.pipes > bound.pipes) {
    return refusal_text("pipes", whose(owner, owned.pipes), added.pipes, role, bound.pipes);
  }
  if (id == 0 && ids_.size() >= most_owners_) {
    return "too many owners: " + std::to_string(most_owners_) +
           " own something in this world, so nobody else may until one of them owns nothing";
  }
  return {};
}

std::int64_t Ownership::work_of(const sim::Command& command, Vec3 size) const {
  const auto* const set = std::get_if<sim::SetCells>(&command.body);
  if (set == nullptr) return 0;
  const Box box{set->from, set->size};
  if (!names_cells_of(box, size)) return 0;
  const std::int64_t covered = chunks_covered(shape_, box);
  const auto plots = static_cast<std::int64_t>(plots_.size());
  const std::int64_t touched = set->cell == kRock ? covered : std::min(covered, plots);
  return std::min(touched, sim::kTooMuchWork / kWorkOfPlot) * kWorkOfPlot;
}

Owned Ownership::of(std::string_view owner) const {
  const Id id = id_of(owner);
  return id == 0 ? Owned{} : holders_[id].owned;
}

std::vector<std::pair<std::string, Owned>> Ownership::largest(std::size_t most) const {
  std::vector<std::pair<std::string, Owned>> list;
  for (const auto& [name, id] : ids_) list.emplace_back(name, holders_[id].owned);
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(most, list.size()));
  std::partial_sort(list.begin(), end, list.end(), [](const auto& a, const auto& b) {
    const std::int64_t of_a = a.second.cells + a.second.pipes;
    const std::int64_t of_b = b.second.cells + b.second.pipes;
    return of_a != of_b ? of_a > of_b : a.first < b.first;
  });
  list.erase(end, list.end());
  return list;
}

}  // namespace sluice::host
