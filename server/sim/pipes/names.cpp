#include "server/sim/pipes/names.h"

#include <algorithm>

#include "server/sim/limits.h"
#include "server/sim/text.h"

namespace sluice::sim {

namespace {

constexpr std::uint32_t kEmpty = UINT32_MAX;
constexpr std::size_t kSmallestTable = 16;

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

std::size_t PipeNames::home(std::uint64_t weight) const {
  return static_cast<std::size_t>(weight >> 1) & (table_.size() - 1);
}

std::uint32_t PipeNames::find(std::string_view name) const {
  if (table_.empty()) return kEmpty;
  const std::uint64_t weight = weight_of(name);
  for (std::size_t i = home(weight);; i = (i + 1) & (table_.size() - 1)) {
    const std::uint32_t slot = table_[i];
    if (slot == kEmpty) return kEmpty;
    if (weights_[slot] == weight && this->name(slot) == name) return slot;
  }
}

void PipeNames::set(std::uint32_t slot, std::string_view name) {
  if (slot >= places_.size()) {
    places_.resize(std::size_t{slot} + 1);
    weights_.resize(std::size_t{slot} + 1);
  }
  places_[slot] = {static_cast<std::uint32_t>(text_.size()),
                   static_cast<std::uint32_t>(name.size())};
  text_.insert(text_.end(), name.begin(), name.end());
  used_text_ += name.size();
  weights_[slot] = weight_of(name);
  ++count_;
  if (2 * count_ > table_.size())
    grow();  // inserts the new one too
  else
    insert(slot);
}

void PipeNames::insert(std::uint32_t slot) {
  std::size_t i = home(weights_[slot]);
  while (table_[i] != kEmpty) i = (i + 1) & (table_.size() - 1);
  table_[i] = slot;
}

void PipeNames::grow() {
  // A power of two, so that a mask wraps it round.
  std::size_t size = kSmallestTable;
  while (size < 3 * count_) size *= 2;
  table_.assign(size, kEmpty);
  for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
    if (places_[slot].size != 0) insert(slot);
  }
}

void PipeNames::clear(std::uint32_t slot) {
  std::size_t hole = home(weights_[slot]);
  while (table_[hole] != slot) hole = (hole + 1) & (table_.size() - 1);
  // Moves later entries of the chain up, so that no search ends at the hole too early (Knuth, The
  // Art of Computer Programming, volume 3, 6.4, algorithm R).
  for (std::size_t i = (hole + 1) & (table_.size() - 1); table_[i] != kEmpty;
       i = (i + 1) & (table_.size() - 1)) {
    const std::size_t from = home(weights_[table_[i]]);
    const std::size_t mask = table_.size() - 1;
    if (((i - from) & mask) >= ((i - hole) & mask)) {
      table_[hole] = table_[i];
      hole = i;
    }
  }
  table_[hole] = kEmpty;
  used_text_ -= places_[slot].size;
  places_[slot] = {};
  --count_;
  constexpr std::size_t kFew = 4096;
  if (text_.size() > kFew + 2 * used_text_) compact();
}

void PipeNames::compact() {
  std::vector<char> text;
  text.reserve(used_text_);
  for (Place& place : places_) {
    const auto from = text_.begin() + place.begin;
    place.begin = static_cast<std::uint32_t>(text.size());
    text.insert(text.end(), from, from + place.size);
  }
  text_ = std::move(text);
}

void PipeNames::move(const std::vector<std::uint32_t>& to, std::size_t slots) {
  std::vector<Place> places(slots);
  std::vector<std::uint64_t> weights(slots);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].size == 0) continue;
    places[to[i]] = places_[i];
    weights[to[i]] = weights_[i];
  }
  places_ = std::move(places);
  weights_ = std::move(weights);
  compact();  // in the order of the slots
  std::fill(table_.begin(), table_.end(), kEmpty);
  for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
    if (places_[slot].size != 0) insert(slot);
  }
}

std::size_t PipeNames::bytes() const {
  return text_.capacity() + places_.capacity() * sizeof(Place) +
         weights_.capacity() * sizeof(std::uint64_t) + table_.capacity() * sizeof(std::uint32_t);
}

}  // namespace sluice::sim
