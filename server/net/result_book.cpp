#include "server/net/result_book.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocol/base/sometimes.h"
#include "server/access/token.h"

namespace sluice::net {

std::string resume_text(const protocol::ResumeToken& token) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::string hash = access::hash_of(std::string(token.begin(), token.end()));
  std::uint64_t bits = std::stoull(hash.substr(0, 16), nullptr, 16);
  std::string text;
  for (; text.size() < kResumeTextBytes; bits >>= 6U) text += kDigits[bits & 63U];
  return text;
}

void ResultBook::remember(PastResults past) {
  complete_since_ = past.complete_since;
  for (PastResult& one : past.results) {
    const auto [place, is_new] = entries_.try_emplace(std::move(one.client));
    Entry& entry = place->second;
    if (is_new) {
      entry.from_recording = true;
      entry.left_order = next_left_++;
      gone_[""].emplace(entry.left_order, place);
      gone_in_order_.emplace(entry.left_order, place);
      ++by_address_[""];
      // What came before the part that was read may have been applied, too.
      entry.unread_to = one.result.seq > 0 ? one.result.seq - 1 : 0;
    }
    put(entry, one.result);
    while (entries_.size() > limits_.clients || bytes_ > limits_.bytes) {
      erase(gone_in_order_.begin()->second, one.result.tick);
    }
  }
}

ResultBook::Opened ResultBook::open(const Client& client, std::uint64_t fresh_number,
                                    std::uint64_t tick, Time now) {
  if (!began_) began_ = now;
  expire(tick, now);
  auto place = entries_.find(client.key);
  if (place == entries_.end()) {
    if (!make_room(client.address, tick)) return {};
    place = entries_.try_emplace(client.key).first;
    Entry& entry = place->second;
    const bool nothing_was_lost = client.since_tick >= complete_since_;
    if (client.last_seq > 0 && !nothing_was_lost) entry.forgotten_to = client.last_seq;
    entry.address = client.address;
    ++by_address_[entry.address];
  } else {
    Entry& entry = place->second;
    if (entry.from_recording) SLUICE_SOMETIMES("a client came back after a restart");
    if (!entry.here) {
      gone_in_order_.erase(entry.left_order);
      auto& there = gone_[entry.address];
      there.erase(entry.left_order);
      if (there.empty()) gone_.erase(entry.address);
    }
    if (--by_address_[entry.address] == 0) by_address_.erase(entry.address);
    entry.address = client.address;
    ++by_address_[entry.address];
    if (std::exchange(entry.from_recording, false) && client.since_tick >= complete_since_) {
      entry.unread_to = 0;
    }
  }
  Entry& entry = place->second;
  entry.here = true;
  if (entry.number == 0) {
    entry.number = fresh_number;
    by_number_.emplace(fresh_number, place);
  }
  const bool known = client.last_seq == 0 || entry.unknown_to() < client.last_seq;
  return {entry.number, known, entry.pending};
}

void ResultBook::leave(std::uint64_t number, Time now) {
  const auto known = by_number_.find(number);
  if (known == by_number_.end() || !known->second->second.here) return;
  Entry& entry = known->second->second;
  entry.here = false;
  entry.left = now;
  entry.left_order = next_left_++;
  gone_[entry.address].emplace(entry.left_order, known->second);
  gone_in_order_.emplace(entry.left_order, known->second);
}

ResultBook::Found ResultBook::find(std::uint64_t number, std::uint64_t seq) const {
  const auto known = by_number_.find(number);
  if (known == by_number_.end()) return {};
  const Entry& entry = known->second->second;
  const auto result = entry.results.find(seq);
  if (result == entry.results.end()) {
    const bool forgotten = seq <= entry.unknown_to();
    if (forgotten) SLUICE_SOMETIMES("what became of a command was forgotten");
    return {forgotten ? State::kForgotten : State::kNew, {}};
  }
  if (!result->second) {
    SLUICE_SOMETIMES("a command was asked for while it waited");
    return {State::kPending, {}};
  }
  return {State::kStored, *result->second};
}

void ResultBook::begin(std::uint64_t number, std::uint64_t seq) {
  const auto known = by_number_.find(number);
  if (known == by_number_.end()) return;
  Entry& entry = known->second->second;
  if (entry.results.emplace(seq, std::nullopt).second) ++entry.pending;
}

void ResultBook::settle(std::uint64_t number, const protocol::CommandResult& result,
                        std::uint64_t tick) {
  const auto known = by_number_.find(number);
  if (known == by_number_.end()) return;
  Entry& entry = known->second->second;
  put(entry, result);
  // Whoever is gone makes room for who is here; then everybody for himself.
  while (bytes_ > limits_.bytes) {
    const std::string* address = fullest_address();
    if (address != nullptr && (gone_longest(address)->second.number != number)) {
      erase(gone_longest(address), tick);
    } else if (!forget_oldest_result(entry)) {
      break;
    }
  }
}

void ResultBook::put(Entry& entry, const protocol::CommandResult& result) {
  const auto [place, is_new] = entry.results.try_emplace(result.seq);
  if (!is_new && !place->second) --entry.pending;
  if (place->second) {
    // The truth came after what had to be said first.
    const std::size_t before = kResultBytes + place->second->reason.size();
    entry.bytes -= before;
    bytes_ -= before;
  }
  place->second = result;
  const std::size_t taken = kResultBytes + result.reason.size();
  entry.bytes += taken;
  bytes_ += taken;
  bound(entry);
}

void ResultBook::bound(Entry& entry) {
  while (entry.results.size() - entry.pending > limits_.results ||
         entry.bytes > limits_.client_bytes) {
    if (!forget_oldest_result(entry)) return;
  }
}

// Of those that are settled the one with the lowest number; pending ones stay until they are.
bool ResultBook::forget_oldest_result(Entry& entry) {
  const auto oldest = std::find_if(entry.results.begin(), entry.results.end(),
                                   [](const auto& one) { return one.second.has_value(); });
  if (oldest == entry.results.end()) return false;
  const std::size_t taken = kResultBytes + oldest->second->reason.size();
  entry.bytes -= taken;
  bytes_ -= taken;
  entry.forgotten_to = std::max(entry.forgotten_to, oldest->first);
  entry.results.erase(oldest);
  return true;
}

// Among those that are gone.
const std::string* ResultBook::fullest_address() const {
  const auto fullest = std::max_element(
      gone_.begin(), gone_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return fullest == gone_.end() ? nullptr : &fullest->first;
}

ResultBook::Entries::iterator ResultBook::gone_longest(const std::string* address) {
  return gone_.at(*address).begin()->second;
}

bool ResultBook::make_room(const std::string& address, std::uint64_t tick) {
  const auto from_there = by_address_.find(address);
  if (from_there != by_address_.end() && from_there->second >= limits_.clients_per_address) {
    if (!gone_.contains(address)) return false;
    erase(gone_longest(&address), tick);
  }
  while (entries_.size() >= limits_.clients) {
    const std::string* fullest = fullest_address();
    if (fullest == nullptr) return false;
    erase(gone_longest(fullest), tick);
  }
  return true;
}

// What a client of that time did can then not be told any more.
void ResultBook::erase(Entries::iterator place, std::uint64_t tick) {
  Entry& entry = place->second;
  if (!entry.results.empty() || entry.unknown_to() > 0) {
    complete_since_ = std::max(complete_since_, tick + 1);
  }
  bytes_ -= entry.bytes;
  if (entry.number != 0) by_number_.erase(entry.number);
  if (--by_address_[entry.address] == 0) by_address_.erase(entry.address);
  gone_in_order_.erase(entry.left_order);
  auto& there = gone_[entry.address];
  there.erase(entry.left_order);
  if (there.empty()) gone_.erase(entry.address);
  entries_.erase(place);
}

void ResultBook::expire(std::uint64_t tick, Time now) {
  while (!gone_in_order_.empty()) {
    const auto oldest = gone_in_order_.begin()->second;
    // Those of a recording left before the first that comes.
    if (now - std::max(oldest->second.left, *began_) < limits_.kept) return;
    erase(oldest, tick);
  }
}

}  // namespace sluice::net
