#include "server/playback/own_positions.h"

#include <algorithm>

#include "protocol/base/assert.h"
#include "server/playback/give_way.h"

namespace sluice::playback {

namespace {

constexpr const char* kUnwatched = "nobody watched this position";
constexpr const char* kFewer = "this server lets fewer people look back than before";
constexpr const char* kTooLarge =
    "looking back took more memory than this server has for it (look_back_memory)";
constexpr std::chrono::milliseconds kLongestLook{1000};
/// Between two positions beside living worlds, at the least.
constexpr std::chrono::milliseconds kRest{50};

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (1U << 20) - 1) >> 20) + " MiB";
}

/// `of_server`: it is the bound of all histories that was met.
Error none_left(Player::Manner manner, std::size_t most, bool of_server) {
  const std::string all = "all " + std::to_string(most) + " positions ";
  if (manner == Player::Manner::kReplay) {
    return {all +
            "beside the shared one are taken; it is possible again when somebody goes back to the "
            "others"};
  }
  return {all +
          (of_server ? "in the past that this server has are taken (look_back)"
                     : "in the past of this world are taken (look_back_per_world)") +
          "; there is one again when somebody goes back to live"};
}

}  // namespace

/// No longer one of positions_.
struct OwnPositions::Ended {
  std::string name;
  Position position;
};

OwnPositions::OwnPositions(PositionBounds bounds, PositionPatience patience,
                           const net::Clock& clock)
    : patience_(patience), clock_(clock) {
  set_bounds(bounds);
}

OwnPositions::~OwnPositions() {
  stop();
}

void OwnPositions::add_beside(Player& shared,
                              std::function<Result<std::vector<Player::Recording>>()> open) {
  History history;
  history.open = std::move(open);
  history.shown_tick = [&shared] { return shared.shown_tick(); };
  history.answer = [&shared](const AskedAlone& asked, std::uint64_t tick, std::string refusal) {
    shared.answer(asked, tick, std::move(refusal));
  };
  add("", std::move(history));
  shared.set_alone([this](AskedAlone asked) { return ask("", std::move(asked)); });
}

void OwnPositions::add(const std::string& name, History history) {
  const std::lock_guard lock(mutex_);
  histories_[name] = {std::make_shared<const History>(std::move(history)), {}};
}

void OwnPositions::remove(const std::string& name, const std::string& why) {
  std::vector<Ended> ended;
  {
    std::unique_lock lock(mutex_);
    const auto known = histories_.find(name);
    if (known == histories_.end()) return;
    const std::shared_ptr<const History> history = known->second.history;
    histories_.erase(known);
    for (const Asked& one : asked_) {
      if (one.history == name) history->answer(one.asked, 0, "alone: " + why);
    }
    std::erase_if(asked_, [&name](const Asked& one) { return one.history == name; });
    if (at_work_ && at_work_->history == name) {
      at_work_->ends = true;
      if (at_work_->player != nullptr) at_work_->player->give_up();
    }
    work_done_.wait(
        lock, [&] { return !(at_work_ && at_work_->history == name) && !freeing_.contains(name); });
    for (auto place = positions_.begin(); place != positions_.end();) {
      const auto here = place++;
      if (here->first.first != name) continue;
      ended.push_back({here->first.second, std::move(here->second)});
      positions_.erase(here);
    }
  }
  end(std::move(ended), why);
}

Status OwnPositions::ask(const std::string& history, AskedAlone asked) {
  const std::lock_guard lock(mutex_);
  const auto known = histories_.find(history);
  if (stopping_ || known == histories_.end()) {
    return Error{"alone: the world begins, or goes: nobody can look back just now"};
  }
  const auto refuse = [known](std::string why) {
    ++known->second.sample.refused;
    return Error{std::move(why)};
  };
  if (!offers_) {
    return refuse("alone: this server lets nobody look back (look_back)");
  }
  // Who asks faster than it is made is not to keep the others waiting.
  const bool waits = std::any_of(asked_.begin(), asked_.end(), [&](const Asked& one) {
    return one.history == history && one.asked.session == asked.session &&
           one.asked.pane == asked.pane;
  });
  if (waits) return refuse("alone: the position that was asked for before is not made yet");
  if (asked_.size() >= kMostAsked) {
    return refuse("alone: too many wait for a position (" + std::to_string(kMostAsked) + ")");
  }
  asked_.push_back({history, std::move(asked)});
  changed_.notify_all();
  return Done{};
}

void OwnPositions::start(net::Server& server) {
  server_ = &server;
  thread_ = std::thread([this] { run(); });
}

void OwnPositions::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (at_work_ && at_work_->player != nullptr) at_work_->player->give_up();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (auto& [key, position] : positions_) position.player->stop();
}

void OwnPositions::set_bounds(PositionBounds bounds) {
  const std::lock_guard lock(mutex_);
  bounds_ = bounds;
  offers_ = bounds.most > 0 && bounds.most_of_one > 0 && bounds.most_bytes > 0;
}

std::size_t OwnPositions::count() const {
  const std::lock_guard lock(mutex_);
  return positions_.size();
}

std::size_t OwnPositions::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_in_use();
}

OwnPositions::Sample OwnPositions::sample(const std::string& history) const {
  const std::lock_guard lock(mutex_);
  const auto known = histories_.find(history);
  if (known == histories_.end()) return {};
  Sample sample = known->second.sample;
  for (const auto& [key, position] : positions_) sample.positions += key.first == history ? 1U : 0U;
  return sample;
}

// Only with mutex_ held.
std::size_t OwnPositions::bytes_in_use() const {
  std::size_t bytes = 0;
  for (const auto& [key, position] : positions_) bytes += position.player->bytes();
  return bytes;
}

void OwnPositions::run() {
  const auto pause = std::min(kLongestLook, patience_.unwatched / 4);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, rests_until_ - clock_.now(), [this] { return stopping_; });
    changed_.wait_for(lock, pause, [this] { return stopping_ || !asked_.empty(); });
    if (stopping_) return;
    look_about(lock);
    // One at a time: the server may stop while others wait.
    if (stopping_ || asked_.empty()) continue;
    const Asked asked = std::move(asked_.front());
    asked_.erase(asked_.begin());
    give(lock, asked);
  }
}

// With the lock, as long as nothing is said otherwise.
void OwnPositions::give(std::unique_lock<std::mutex>& lock, const Asked& asked) {
  const auto known = histories_.find(asked.history);
  SLUICE_ASSERT(known != histories_.end());  // or its asker had gone with it
  const std::shared_ptr<const History> history = known->second.history;
  const Key key{asked.history, asked.asked.position};
  // Somebody who comes back, or a second one who comes along: it stays where it stands.
  if (const auto place = positions_.find(key); place != positions_.end()) {
    place->second.watched = clock_.now();
    return history->answer(asked.asked, place->second.player->shown_tick(), "");
  }
  if (history->manner == Player::Manner::kLookBack) give_way();
  at_work_ = AtWork{asked.history, nullptr, false};
  const Status made = make(lock, asked, *history);
  if (made.ok()) {
    history->answer(asked.asked, positions_.at(key).player->shown_tick(), "");
  } else {
    history->answer(asked.asked, history->shown_tick(), "alone: " + made.error());
  }
  // It may be gone by now.
  if (const auto still = histories_.find(asked.history); still != histories_.end()) {
    ++(made.ok() ? still->second.sample.made : still->second.sample.refused);
  }
  at_work_.reset();
  work_done_.notify_all();
}

// The lock is free while the recording is opened and replayed.
Status OwnPositions::make(std::unique_lock<std::mutex>& lock, const Asked& asked,
                          const History& history) {
  const Key key{asked.history, asked.asked.position};
  if (Status room = room_for_one_more(lock, asked, history.manner); !room.ok()) return room;
  lock.unlock();
  auto recordings = history.open();
  std::unique_ptr<Player> player;
  if (recordings.ok()) {
    player = std::make_unique<Player>(std::move(recordings).value(), history.manner, clock_);
  }
  lock.lock();
  // Also after what cannot be opened, or who asks for that again and again would have all of it.
  if (history.manner == Player::Manner::kLookBack) rests_until_ = clock_.now() + kRest;
  if (player == nullptr) return Error{recordings.error()};
  at_work_->player = player.get();
  if (at_work_->ends || stopping_) player->give_up();
  lock.unlock();
  Status made = begin(*player, history, asked.asked);
  lock.lock();
  at_work_->player = nullptr;
  if (history.manner == Player::Manner::kLookBack) {
    rests_until_ =
        clock_.now() + std::max<std::chrono::microseconds>(kRest, player->rest_after_jump());
  }
  if (made.ok()) made = room_in_memory(player->bytes());
  lock.unlock();
  if (made.ok()) made = serve(*player, asked.asked.position);
  if (made.ok()) {
    player->start();
  } else {
    player.reset();  // here: a large world takes a while to take down
  }
  lock.lock();
  if (made.ok())
    positions_.emplace(key, Position{std::move(player), clock_.now(), ++made_, asked.asked.asker});
  return made;
}

// Of a living world what it shows may not be recorded yet, and what a page remembers may be of a
// history that was reset.
Status OwnPositions::begin(Player& player, const History& history, const AskedAlone& asked) {
  std::uint64_t tick = asked.from.value_or(history.shown_tick());
  if (history.manner == Player::Manner::kLookBack) {
    tick = std::clamp(tick, player.first_tick(), player.last_tick());
  }
  return player.begin_at(tick);
}

/// Positions that are counted together.
struct OwnPositions::Scope {
  std::size_t most;
  std::function<bool(const Key& key, const Position& position)> has;
};

// Who is away for a while keeps a position for as long as nobody else needs it.
bool OwnPositions::make_room_in(std::unique_lock<std::mutex>& lock, const Scope& scope) {
  const Time now = clock_.now();
  const auto is_free = [&](const Position& position) {
    return !position.player->watched() &&
           (position.player->visited() || now - position.watched >= patience_.settling);
  };
  std::size_t there = 0;
  auto longest = positions_.end();
  for (auto place = positions_.begin(); place != positions_.end(); ++place) {
    if (!scope.has(place->first, place->second)) continue;
    ++there;
    if (!is_free(place->second)) continue;
    if (longest == positions_.end() || place->second.watched < longest->second.watched) {
      longest = place;
    }
  }
  if (there < scope.most) return true;
  if (longest == positions_.end()) return false;
  free(lock, {longest->first}, kUnwatched);
  return true;
}

Status OwnPositions::room_for_one_more(std::unique_lock<std::mutex>& lock, const Asked& asked,
                                       Player::Manner manner) {
  const std::string& asker = asked.asked.asker;
  const Scope own{bounds_.most_of_asker, [&](const Key&, const Position& position) {
                    return !asker.empty() && position.asker == asker;
                  }};
  if (!make_room_in(lock, own)) {
    return Error{"you have " + std::to_string(own.most) +
                 " positions in the past already; leave one of them first"};
  }
  const Scope of_one{std::min(bounds_.most_of_one, bounds_.most),
                     [&](const Key& key, const Position&) { return key.first == asked.history; }};
  if (!make_room_in(lock, of_one)) return none_left(manner, of_one.most, false);
  const Scope all{bounds_.most, [](const Key&, const Position&) { return true; }};
  if (!make_room_in(lock, all)) return none_left(manner, all.most, true);
  return Done{};
}

Status OwnPositions::room_in_memory(std::size_t bytes) const {
  const std::size_t used = bytes_in_use();
  if (used <= bounds_.most_bytes && bytes <= bounds_.most_bytes - used) return Done{};
  return Error{"a position at that tick takes " + mebibytes(bytes) + "; of the " +
               mebibytes(bounds_.most_bytes) +
               " that this server has for them "
               "(look_back_memory) " +
               mebibytes(used) + " are taken"};
}

Status OwnPositions::serve(Player& player, const std::string& name) {
  std::vector<net::HostedWorld> served;
  for (net::HostedWorld world : player.hosted()) {
    world.position = name;
    const Status added = server_->add_world(world);
    if (added.ok()) {
      served.push_back(std::move(world));
      continue;
    }
    for (const net::HostedWorld& one : served) {
      server_->remove_world(one.feed->config().name, added.error(), name);
    }
    return added;
  }
  return Done{};
}

void OwnPositions::look_about(std::unique_lock<std::mutex>& lock) {
  const Time now = clock_.now();
  std::vector<Key> left;
  for (auto& [key, position] : positions_) {
    if (position.player->watched()) position.watched = now;
    if (now - position.watched >= patience_.unwatched) left.push_back(key);
  }
  free(lock, left, kUnwatched);
  end_those_beyond(lock);
}

// The bounds may be others than when they were made, and a world that was small at the tick at
// which a position began may be large where it has gone.
void OwnPositions::end_those_beyond(std::unique_lock<std::mutex>& lock) {
  std::vector<std::pair<std::uint64_t, Key>> newest;
  for (const auto& [key, position] : positions_) newest.emplace_back(position.number, key);
  std::sort(newest.rbegin(), newest.rend());
  std::map<std::string, std::size_t> of_one;
  for (const auto& [number, key] : newest) ++of_one[key.first];
  std::vector<Key> beyond;
  for (const auto& [number, key] : newest) {
    if (newest.size() - beyond.size() <= bounds_.most && of_one[key.first] <= bounds_.most_of_one) {
      continue;
    }
    --of_one[key.first];
    beyond.push_back(key);
  }
  free(lock, beyond, kFewer);

  std::vector<std::pair<std::size_t, Key>> largest;
  std::size_t used = 0;
  for (const auto& [key, position] : positions_) {
    largest.emplace_back(position.player->bytes(), key);
    used += largest.back().first;
  }
  std::sort(largest.rbegin(), largest.rend());
  std::vector<Key> too_large;
  for (const auto& [bytes, key] : largest) {
    if (used <= bounds_.most_bytes) break;
    used -= bytes;
    too_large.push_back(key);
  }
  free(lock, too_large, kTooLarge);
}

// Without the lock while their viewers are told. One that went meanwhile is gone already.
void OwnPositions::free(std::unique_lock<std::mutex>& lock, const std::vector<Key>& keys,
                        const std::string& why) {
  std::vector<Ended> ended;
  for (const Key& key : keys) {
    const auto place = positions_.find(key);
    if (place == positions_.end()) continue;
    freeing_.insert(key.first);
    ended.push_back({key.second, std::move(place->second)});
    positions_.erase(place);
  }
  if (ended.empty()) return;
  lock.unlock();
  end(std::move(ended), why);
  lock.lock();
  freeing_.clear();
  work_done_.notify_all();
}

// The players end with the list, once nobody is shown them any more.
void OwnPositions::end(std::vector<Ended> ended, const std::string& why) {
  std::vector<net::Server::Leaving> leaving;
  for (const auto& [name, position] : ended) {
    for (const net::HostedWorld& world : position.player->hosted()) {
      leaving.push_back({world.feed->config().name, name});
    }
  }
  if (!leaving.empty()) server_->remove_worlds(leaving, why);
  for (const auto& [name, position] : ended) position.player->give_up();
}

}  // namespace sluice::playback
