#include "server/net/pipe_homes.h"

#include <algorithm>

#include "protocol/base/assert.h"

namespace sluice::net {

namespace {

ChunkCoord coord_of(const ChunkShape& shape, Vec3 at) {
  return at == kNowhere ? protocol::PipeKey().coord : shape.chunk_of(at);
}

}  // namespace

// Those that stay come first, so that who leaves makes room for who comes.
void PipeHomes::update(const sim::PipeNetwork& pipes, const ChunkShape& shape) {
  std::vector<PipeHome> homes(pipes.slot_limit());
  std::vector<sim::Slot> newcomers;
  for (Section& section : sections_) {
    std::fill(section.slots.begin(), section.slots.end(), sim::kNoSlot);
  }
  for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
    if (!pipes.used(slot)) continue;
    const sim::NodeView node = pipes.node(slot);
    const PipeHome home = known_home(slot, node.name, coord_of(shape, node.at));
    if (home.section == PipeHome::kNone) {
      newcomers.push_back(slot);
      continue;
    }
    homes[slot] = home;
    sections_[home.section].slots[home.index] = slot;
  }
  homes_ = std::move(homes);
  for (std::uint32_t i = 0; i < sections_.size(); ++i) move_out(i);
  for (const sim::Slot slot : newcomers) {
    const sim::NodeView node = pipes.node(slot);
    move_in(slot, node.name, coord_of(shape, node.at));
  }
}

PipeHome PipeHomes::known_home(sim::Slot slot, std::string_view name, ChunkCoord coord) const {
  const auto fits = [&](PipeHome home) {
    return home.section < sections_.size() && sections_[home.section].names[home.index] == name &&
           sections_[home.section].key.coord == coord;
  };
  // Most nodes are where they were; the network's rearranging is rare.
  if (slot < homes_.size() && homes_[slot].section != PipeHome::kNone &&
      !sections_[homes_[slot].section].names.empty() && fits(homes_[slot])) {
    return homes_[slot];
  }
  const auto found = by_name_.find(name);
  return found != by_name_.end() && fits(found->second) ? found->second : PipeHome{};
}

void PipeHomes::move_out(std::uint32_t number) {
  Section& section = sections_[number];
  for (std::size_t i = 0; i < section.names.size(); ++i) {
    if (section.names[i].empty() || section.slots[i] != sim::kNoSlot) continue;
    by_name_.erase(section.names[i]);
    section.names[i].clear();
    --section.count;
    with_room_[section.key.coord].insert(number);
  }
}

void PipeHomes::move_in(sim::Slot slot, std::string_view name, ChunkCoord coord) {
  const std::uint32_t number = section_with_room(coord);
  Section& section = sections_[number];
  const auto free = std::find(section.names.begin(), section.names.end(), std::string());
  SLUICE_ASSERT(free != section.names.end());
  *free = name;
  const auto index = static_cast<std::size_t>(free - section.names.begin());
  section.slots[index] = slot;
  homes_[slot] = {number, static_cast<std::uint8_t>(index)};
  by_name_.insert_or_assign(*free, homes_[slot]);
  if (++section.count == protocol::kMaxSectionNodes) with_room_[coord].erase(number);
}

std::uint32_t PipeHomes::section_with_room(ChunkCoord coord) {
  std::set<std::uint32_t>& candidates = with_room_[coord];
  if (!candidates.empty()) return *candidates.begin();
  std::set<std::uint32_t>& parts = parts_[coord];
  std::uint32_t part = 0;  // the lowest that is not taken
  for (const std::uint32_t taken : parts) {
    if (taken != part) break;
    ++part;
  }
  parts.insert(part);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(sections_.size()));
    sections_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Section& section = sections_[number];
  section.key = {coord, part};
  section.names.assign(protocol::kMaxSectionNodes, {});
  section.slots.assign(protocol::kMaxSectionNodes, sim::kNoSlot);
  candidates.insert(number);
  return number;
}

bool PipeHomes::free_if_empty(std::uint32_t number) {
  Section& section = sections_[number];
  if (section.count > 0) return false;
  with_room_[section.key.coord].erase(number);
  if (with_room_[section.key.coord].empty()) with_room_.erase(section.key.coord);
  parts_[section.key.coord].erase(section.key.part);
  if (parts_[section.key.coord].empty()) parts_.erase(section.key.coord);
  section = {};
  free_.push_back(number);
  return true;
}

}  // namespace sluice::net
