// Blocks, islands, and what is awake.
#include "server/sim/pipes/layout.h"

#include "protocol/base/assert.h"
#include "server/sim/grow_ahead.h"

namespace sluice::sim {

void PipeLayout::set_block_nodes(Slot block_nodes) {
  shift_ = 0;
  while (Slot{1} << shift_ < block_nodes) ++shift_;
  SLUICE_ASSERT(this->block_nodes() == block_nodes && block_nodes <= kBlockNodes);
}

void PipeLayout::node_made(const PipeGraph& graph, Slot node) {
  while (blocks_.size() <= block_of(node)) {
    blocks_.emplace_back();
    blocks_.back().island = static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  blocks_[block_of(node)].speaker = kNoSlot;
  edited(graph, node);
}

void PipeLayout::node_dropped(const PipeGraph& graph, Slot node) {
  edited(graph, node);
  Slot& speaker = blocks_[block_of(node)].speaker;
  if (speaker == node) speaker = kNoSlot;
}

void PipeLayout::parted(const PipeGraph& graph, Slot node) {
  blocks_[block_of(node)].speaker = kNoSlot;
  wake_if_it_holds(graph, node);
}

void PipeLayout::edited(const PipeGraph& graph, Slot node) {
  edited_.push_back(node);
  ++edits_;
  if (graph.component_at(node).ports > 0) port_nodes_.push_back(node);
  wake_if_it_holds(graph, node);
}

void PipeLayout::link_made(const PipeGraph& graph, Slot link) {
  if (link >= listed_at_.size()) {
    grow_ahead(listed_at_, graph.link_limit(), kMaxPipeLinks);
    grow_ahead(conductances_, graph.link_limit(), kMaxPipeLinks);
    listed_at_.resize(graph.link_limit());
    conductances_.resize(graph.link_limit());
  }
  conductances_[link] = 0;
  register_link(graph, link);
  edited(graph, graph.link(link).a);
  edited(graph, graph.link(link).b());
}

void PipeLayout::link_dropped(const PipeGraph& graph, Slot link) {
  unregister_link(graph, link);
  conductances_[link] = 0;
  edited(graph, graph.link(link).a);
  edited(graph, graph.link(link).b());
}

void PipeLayout::list_links(const PipeGraph& graph, Block& block) {
  if (block.listed) return;
  block.listed = true;
  for (Slot link = block.first_link; link < block.end_link; ++link) {
    if (!inner(graph.link(link))) continue;
    listed_at_[link] = static_cast<std::uint32_t>(block.links.size());
    block.links.push_back(link);
  }
  work_ += block.end_link - block.first_link;
}

void PipeLayout::register_link(const PipeGraph& graph, Slot slot) {
  const Link& link = graph.link(slot);
  const std::uint32_t number = block_of(link.a);
  Block& block = blocks_[number];
  const bool shared = !inner(link);
  if (!shared) list_links(graph, block);
  std::vector<Slot>& list = shared ? block.shared : block.links;
  listed_at_[slot] = static_cast<std::uint32_t>(list.size());
  list.push_back(slot);
  if (!shared) return;
  join_islands(number, block_of(link.b()));
}

// The smaller one joins the larger, so that no path is longer than the logarithm of its blocks.
void PipeLayout::join_islands(std::uint32_t block, std::uint32_t other) {
  std::uint32_t large = island_of(block);
  std::uint32_t small = island_of(other);
  if (large == small) return;
  if (blocks_[large].island_blocks < blocks_[small].island_blocks) std::swap(large, small);
  blocks_[small].island = large;
  blocks_[large].island_blocks += blocks_[small].island_blocks;
  blocks_[large].roused = blocks_[large].roused && blocks_[small].roused;
}

std::uint32_t PipeLayout::first_of_island(std::uint32_t block) const {
  while (blocks_[block].island != block) block = blocks_[block].island;
  return block;
}

std::int64_t PipeLayout::nodes_to_rouse(Slot node) const {
  if (block_of(node) >= blocks_.size()) return 0;
  const Block& first = blocks_[first_of_island(block_of(node))];
  return first.roused ? 0 : std::int64_t{first.island_blocks} << shift_;
}

void PipeLayout::unregister_link(const PipeGraph& graph, Slot slot) {
  const Link& link = graph.link(slot);
  Block& block = blocks_[block_of(link.a)];
  const bool shared = !inner(link);
  list_links(graph, block);  // a shared one's slot, too, may become another block's
  std::vector<Slot>& list = shared ? block.shared : block.links;
  const std::uint32_t at = listed_at_[slot];
  list[at] = list.back();
  listed_at_[list[at]] = at;
  list.pop_back();
}

std::uint32_t PipeLayout::island_of(std::uint32_t block) {
  while (blocks_[block].island != block) {
    std::uint32_t& up = blocks_[block].island;
    up = blocks_[up].island;  // halves the path for the next time (Tarjan and van Leeuwen 1984)
    block = up;
  }
  return block;
}

void PipeLayout::wake(std::uint32_t component) {
  if (component >= is_awake_.size()) {
    grow_ahead(is_awake_, component + std::size_t{1}, kMaxPipes);
    is_awake_.resize(component + std::size_t{1}, kAsleep);
  }
  if (is_awake_[component] != kAsleep) return;
  is_awake_[component] = kWoken;
  awake_.push_back(component);
}

void PipeLayout::set_awake(const std::vector<std::uint32_t>& components) {
  for (const std::uint32_t component : awake_) is_awake_[component] = kAsleep;
  awake_.clear();
  for (const std::uint32_t component : components) {
    wake(component);
    is_awake_[component] = kActive;
  }
}

void PipeLayout::forget_empty(const PipeGraph& graph) {
  std::erase_if(awake_, [&](std::uint32_t number) {
    const Component& component = graph.component(number);
    const bool stays = component.nodes > 0 && (component.units > 0 || is_awake_[number] == kActive);
    if (!stays) is_awake_[number] = kAsleep;
    return !stays;
  });
}

void PipeLayout::collect_awake_blocks(const PipeGraph& graph, bool all) {
  awake_blocks_.clear();
  for (Block& block : blocks_) block.roused = false;
  if (awake_.empty() && !all) return;
  for (const std::uint32_t number : awake_) {
    blocks_[island_of(block_of(graph.component(number).member))].roused = true;
  }
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    const bool awake = blocks_[island_of(block)].roused;
    if (all || (awake && !nothing_to_do_in(blocks_[block], graph))) awake_blocks_.push_back(block);
  }
}

// A whole block of an empty component may be left out even when the rest of it, in blocks shared
// with others, is gone through: where there is nothing, no link demands anything.
bool PipeLayout::nothing_to_do_in(const Block& block, const PipeGraph& graph) const {
  if (block.speaker == kNoSlot) return false;
  const std::uint32_t number = graph.component_of(block.speaker);
  const bool asleep = number >= is_awake_.size() || is_awake_[number] == kAsleep;
  return asleep && graph.component(number).units == 0;
}

std::size_t PipeLayout::bytes() const {
  std::size_t bytes = blocks_.size() * sizeof(Block) + listed_at_.size() * sizeof(std::uint32_t) +
                      conductances_.size() * sizeof(PackedConductance) + is_awake_.size() +
                      awake_.size() * sizeof(std::uint32_t);
  for (const Block& block : blocks_) {
    bytes += (block.links.capacity() + block.shared.capacity()) * sizeof(Slot);
  }
  return bytes;
}

}  // namespace sluice::sim
