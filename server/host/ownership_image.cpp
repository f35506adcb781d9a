// Who owns what as bytes, and what of it a world still has.
//
//   owners   count, then of each: name
//   plots    count, then of each: x, y, z of the chunk (zigzag), runs, then of each: cells, owner
//   pipes    count, then of each: name, owner
//
// Numbers are varints; an owner is its place among the owners, counted from 1, and 0 is nobody.
// Plots and pipes stand in rising order.
#include <algorithm>
#include <utility>

#include "protocol/base/varint.h"
#include "server/host/ownership.h"
#include "server/record/byte_io.h"

namespace sluice::host {

namespace {

ChunkCoord read_coord(record::ByteReader& reader) {
  ChunkCoord coord;
  for (std::int32_t* axis : {&coord.x, &coord.y, &coord.z}) {
    *axis = unzigzag(static_cast<std::uint32_t>(reader.varint()));
  }
  return coord;
}

}  // namespace

std::vector<std::byte> Ownership::image() const {
  record::Bytes bytes;
  std::vector<std::uint64_t> places(holders_.size());
  append_varint(ids_.size(), bytes);
  std::uint64_t next = 0;
  for (const auto& [name, id] : ids_) {
    record::put_string(name, bytes);
    places[id] = ++next;
  }
  append_varint(plots_.size(), bytes);
  for (const auto& [coord, plot] : plots_) {
    for (const std::int32_t axis : {coord.x, coord.y, coord.z}) append_varint(zigzag(axis), bytes);
    append_varint(plot.size(), bytes);
    std::uint64_t begin = 0;
    for (const Run& run : plot) {
      append_varint(run.end - begin, bytes);
      append_varint(places[run.owner], bytes);
      begin = run.end;
    }
  }
  append_varint(pipes_.size(), bytes);
  for (const auto& [name, owner] : pipes_) {
    record::put_string(name, bytes);
    append_varint(places[owner], bytes);
  }
  return bytes;
}

Result<Ownership> Ownership::read(std::span<const std::byte> image, ChunkShape shape,
                                  std::size_t most_owners) {
  Ownership owned(shape, most_owners);
  record::ByteReader reader(image);
  const Error wrong{"is damaged: it does not say who owns what"};
  const std::size_t owners = reader.count();
  for (std::size_t i = 1; i <= owners; ++i) {
    if (owned.id_for(reader.string()) != i) return wrong;  // none twice, none without a name
  }
  const std::size_t plots = reader.count();
  for (std::size_t i = 0; i < plots; ++i) {
    const ChunkCoord coord = read_coord(reader);
    if (!owned.plots_.empty() && !(owned.plots_.rbegin()->first < coord)) return wrong;
    Plot plot;
    std::uint64_t end = 0;
    for (std::size_t runs = reader.count(); runs > 0; --runs) {
      const std::uint64_t cells = reader.varint();
      const std::uint64_t owner = reader.varint();
      if (cells == 0 || cells > kChunkCells - end || owner > owners) return wrong;
      end += cells;
      plot.push_back({static_cast<std::uint16_t>(end), static_cast<Id>(owner)});
      owned.add_cells(static_cast<Id>(owner), static_cast<std::int64_t>(cells));
    }
    if (end != kChunkCells) return wrong;
    plot.shrink_to_fit();
    owned.run_bytes_ += bytes_of(plot);
    owned.plots_.emplace_hint(owned.plots_.end(), coord, std::move(plot));
  }
  const std::size_t pipes = reader.count();
  for (std::size_t i = 0; i < pipes; ++i) {
    const std::string name = reader.string();
    const std::uint64_t owner = reader.varint();
    const std::size_t before = owned.pipes_.size();
    if (owner == 0 || owner > owners || name.size() > kMaxPipeNameBytes) return wrong;
    owned.add_pipe(name, static_cast<Id>(owner));
    if (owned.pipes_.size() == before) return wrong;
  }
  if (reader.failed() || !reader.rest().empty()) return wrong;
  owned.forget_who_owns_nothing();
  return owned;
}

void Ownership::keep_to(const sim::World& world) {
  const Box all = world.grid().world_box();
  std::vector<Box> gone;
  Cells cells;
  for (const auto& [coord, plot] : plots_) {
    unfold(plot, {}, cells);
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      if (cells[static_cast<std::size_t>(i)] == 0) continue;
      const Vec3 at = shape_.cell_at(coord, i);
      if (!all.contains(at) || world.cell(at) != kRock) gone.push_back({at, {1, 1, 1}});
    }
  }
  for (const Box& cell : gone) assign_part(shape_.chunk_of(cell.from), cell, 0);
  std::vector<std::string> taken_down;
  for (const auto& [name, owner] : pipes_) {
    if (!world.pipes().find(name)) taken_down.push_back(name);
  }
  for (const std::string& name : taken_down) drop_pipe(name);
  forget_who_owns_nothing();
}

}  // namespace sluice::host
