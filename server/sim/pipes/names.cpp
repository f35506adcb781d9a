#include "server/sim/pipes/names.h"

#include <algorithm>
#include <array>
#include <bit>

#include "server/sim/grow_ahead.h"
#include "server/sim/limits.h"
#include "server/sim/text.h"

namespace sluice::sim {

namespace {

constexpr std::uint32_t kEmpty = UINT32_MAX;
constexpr std::size_t kTables = 256;
constexpr std::size_t kSmallestTable = 8;
/// Before the text of a name: its slot, and its size in a byte.
using SlotBytes = std::array<char, sizeof(std::uint32_t)>;
constexpr std::size_t kHeadBytes = sizeof(SlotBytes) + 1;
static_assert(kMaxPipeNameBytes <= UINT8_MAX && PipeNames::kBlockBytes <= UINT16_MAX);

}  // namespace

bool valid_pipe_name(std::string_view name) {
  constexpr std::string_view kSigns = "_-.:/#@+";
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kSigns.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= static_cast<std::size_t>(kMaxPipeNameBytes) &&
         std::all_of(name.begin(), name.end(), allowed);
}

std::string quoted_pipe_name(std::string_view name) {
  constexpr auto kMost = static_cast<std::size_t>(kMaxPipeNameBytes);
  return "'" + printable(cut_text(name, kMost)) + (name.size() > kMost ? "...'" : "'");
}

std::uint64_t PipeNames::weight_of(std::string_view name) {
  std::uint64_t weight = combine(0x70697065U, name.size());
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    word = word << 8 | static_cast<unsigned char>(name[i]);
    if (i % 8 == 7 || i + 1 == name.size()) {
      weight = combine(weight, word);
      word = 0;
    }
  }
  return weight | 1;
}

std::size_t PipeNames::home(std::uint64_t weight, const Table& table) {
  return static_cast<std::size_t>(weight >> 1) & (table.slots.size() - 1);
}

std::uint32_t PipeNames::find(std::string_view name) const {
  if (tables_.empty()) return kEmpty;
  const std::uint64_t weight = weight_of(name);
  const Table& table = table_of(weight);
  if (table.slots.empty()) return kEmpty;
  for (std::size_t i = home(weight, table);; i = (i + 1) & (table.slots.size() - 1)) {
    const std::uint32_t slot = table.slots[i];
    if (slot == kEmpty) return kEmpty;
    if (weights_[slot] == weight && this->name(slot) == name) return slot;
  }
}

void PipeNames::set(std::uint32_t slot, std::string_view name) {
  if (tables_.empty()) tables_.resize(kTables);
  if (slot >= places_.size()) {
    grow_ahead(places_, std::size_t{slot} + 1, kMaxPipes);
    grow_ahead(weights_, std::size_t{slot} + 1, kMaxPipes);
    places_.resize(std::size_t{slot} + 1);
    weights_.resize(std::size_t{slot} + 1);
  }
  write(slot, name);
  weights_[slot] = weight_of(name);
  Table& table = table_of(weights_[slot]);
  ++table.count;
  if (2 * table.count > table.slots.size()) grow(table);
  insert(slot, table);
}

void PipeNames::insert(std::uint32_t slot, Table& table) {
  std::size_t i = home(weights_[slot], table);
  while (table.slots[i] != kEmpty) i = (i + 1) & (table.slots.size() - 1);
  table.slots[i] = slot;
}

void PipeNames::grow(Table& table) {
  const std::vector<std::uint32_t> before = std::move(table.slots);
  table.slots.assign(std::max(kSmallestTable, 2 * before.size()), kEmpty);
  for (const std::uint32_t slot : before) {
    if (slot != kEmpty) insert(slot, table);
  }
}

void PipeNames::clear(std::uint32_t slot) {
  Table& table = table_of(weights_[slot]);
  std::vector<std::uint32_t>& slots = table.slots;
  const std::size_t mask = slots.size() - 1;
  std::size_t hole = home(weights_[slot], table);
  while (slots[hole] != slot) hole = (hole + 1) & mask;
  // Moves later entries of the chain up, so that no search ends at the hole too early (Knuth, The
  // Art of Computer Programming, volume 3, 6.4, algorithm R).
  for (std::size_t i = (hole + 1) & mask; slots[i] != kEmpty; i = (i + 1) & mask) {
    const std::size_t from = home(weights_[slots[i]], table);
    if (((i - from) & mask) >= ((i - hole) & mask)) {
      slots[hole] = slots[i];
      hole = i;
    }
  }
  slots[hole] = kEmpty;
  --table.count;
  const Place place = places_[slot];
  places_[slot] = {};
  Block& block = blocks_[place.block];
  block.live -= kHeadBytes + place.size;
  if (place.block != open_ && 2 * block.live < block.text.size()) rewrite(place.block);
}

void PipeNames::write(std::uint32_t slot, std::string_view name) {
  const std::size_t bytes = kHeadBytes + name.size();
  const auto full = [&] {
    const std::size_t used = blocks_[open_].text.size();
    return used > 0 && used + bytes > block_bytes_;
  };
  while (blocks_.empty() || full()) open_block();
  Block& block = blocks_[open_];
  std::vector<char>& text = block.text;
  const auto head = std::bit_cast<SlotBytes>(slot);
  text.insert(text.end(), head.begin(), head.end());
  text.push_back(static_cast<char>(name.size()));
  places_[slot] = {open_, static_cast<std::uint16_t>(text.size()),
                   static_cast<std::uint16_t>(name.size())};
  text.insert(text.end(), name.begin(), name.end());
  block.live += bytes;
}

void PipeNames::open_block() {
  if (free_blocks_.empty()) {
    free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const std::uint32_t before = open_;
  open_ = free_blocks_.back();
  free_blocks_.pop_back();
  // The one before may have become half empty while it was written to.
  const Block& left = blocks_[before];
  if (before != open_ && 2 * left.live < left.text.size()) rewrite(before);
}

// What is left of a block that was cleared for the greater part goes to the block that is written
// to.
void PipeNames::rewrite(std::uint32_t block) {
  const std::vector<char> text = std::move(blocks_[block].text);
  blocks_[block] = {};
  for (std::size_t at = 0; at < text.size();) {
    SlotBytes head;
    std::copy_n(text.data() + at, head.size(), head.begin());
    const auto slot = std::bit_cast<std::uint32_t>(head);
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(text[at + head.size()]));
    const std::size_t begin = at + kHeadBytes;
    const Place& place = places_[slot];
    if (place.size != 0 && place.block == block && place.begin == begin) {
      write(slot, {text.data() + begin, size});
    }
    at = begin + size;
  }
  free_blocks_.push_back(block);
}

void PipeNames::move(const std::vector<std::uint32_t>& to, std::size_t slots) {
  PipeNames moved(block_bytes_);
  moved.places_.resize(slots);
  moved.weights_.resize(slots);
  std::vector<std::uint32_t> from(slots, kEmpty);
  for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
    if (places_[slot].size != 0) from[to[slot]] = slot;
  }
  // The text in the order of the slots.
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (from[slot] == kEmpty) continue;
    moved.write(slot, name(from[slot]));
    moved.weights_[slot] = weights_[from[slot]];
  }
  moved.tables_ = std::move(tables_);
  for (Table& table : moved.tables_) {
    for (std::uint32_t& slot : table.slots) {
      if (slot != kEmpty) slot = to[slot];
    }
  }
  *this = std::move(moved);
}

std::size_t PipeNames::bytes() const {
  std::size_t bytes = places_.size() * sizeof(Place) + weights_.size() * sizeof(std::uint64_t) +
                      blocks_.size() * sizeof(Block) + tables_.size() * sizeof(Table);
  for (const Block& block : blocks_) bytes += block.text.capacity();
  for (const Table& table : tables_) bytes += table.slots.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace sluice::sim
