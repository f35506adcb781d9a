#include "server/replay/own_positions.h"

#include <algorithm>
#include <utility>

#include "protocol/base/assert.h"

namespace sluice::replay {

namespace {

constexpr const char* kUnwatched = "nobody watched this position";
constexpr std::chrono::milliseconds kLongestLook{1000};

}  // namespace

OwnPositions::OwnPositions(Player& shared, Open open, PositionPatience patience)
    : shared_(shared), open_(std::move(open)), patience_(patience) {
  shared_.set_alone([this](Player::AskedAlone asked) { return ask(std::move(asked)); });
}

OwnPositions::~OwnPositions() {
  stop();
}

void OwnPositions::start(net::Server& server) {
  server_ = &server;
  thread_ = std::thread([this] { run(); });
}

void OwnPositions::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (auto& [name, position] : positions_) position.player->stop();
}

std::size_t OwnPositions::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

Status OwnPositions::ask(Player::AskedAlone asked) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return Error{"the server stops"};
  if (asked_.size() >= kMostAsked) {
    return Error{"alone: too many wait for a position (" + std::to_string(kMostAsked) + ")"};
  }
  asked_.push_back(std::move(asked));
  changed_.notify_all();
  return Done{};
}

void OwnPositions::run() {
  const auto pause = std::min(kLongestLook, patience_.unwatched / 4);
  for (;;) {
    std::vector<Player::AskedAlone> asked;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, pause, [this] { return stopping_ || !asked_.empty(); });
      if (stopping_) return;
      // One at a time: the server may stop while others wait.
      if (!asked_.empty()) {
        asked.push_back(std::move(asked_.front()));
        asked_.erase(asked_.begin());
      }
    }
    look_about();
    if (!asked.empty()) give(asked.front());
    const std::lock_guard lock(mutex_);
    count_ = positions_.size();
  }
}

void OwnPositions::give(const Player::AskedAlone& asked) {
  const auto place = positions_.find(asked.position);
  // Somebody who comes back, or a second one who comes along: it stays where it stands.
  if (place != positions_.end()) {
    place->second.watched = Clock::now();
    return shared_.answer(asked, place->second.player->shown_tick(), "");
  }
  const Status made = make(asked);
  if (!made.ok()) return shared_.answer(asked, shared_.shown_tick(), "alone: " + made.error());
  shared_.answer(asked, positions_.at(asked.position).player->shown_tick(), "");
}

Status OwnPositions::make(const Player::AskedAlone& asked) {
  if (Status room = room_for_one_more(); !room.ok()) return room;
  auto recordings = open_();
  if (!recordings.ok()) return Error{recordings.error()};
  auto player = std::make_unique<Player>(std::move(recordings).value());
  if (Status begun = player->begin_at(asked.from.value_or(shared_.shown_tick())); !begun.ok()) {
    return begun;
  }
  if (Status served = serve(*player, asked.position); !served.ok()) return served;
  player->start();
  positions_.emplace(asked.position, Position{std::move(player), Clock::now()});
  return Done{};
}

// Who is away for a while keeps a position for as long as nobody else needs it.
Status OwnPositions::room_for_one_more() {
  if (positions_.size() < kMost) return Done{};
  const Clock::time_point now = Clock::now();
  const auto is_free = [&](const Position& position) {
    return !position.player->watched() &&
           (position.player->visited() || now - position.watched >= patience_.settling);
  };
  auto longest = positions_.end();
  for (auto place = positions_.begin(); place != positions_.end(); ++place) {
    if (!is_free(place->second)) continue;
    if (longest == positions_.end() || place->second.watched < longest->second.watched) {
      longest = place;
    }
  }
  if (longest == positions_.end()) {
    return Error{"all " + std::to_string(kMost) +
                 " positions beside the shared one are taken; it is possible again when somebody "
                 "goes back to the others"};
  }
  free(longest->first);
  return Done{};
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

void OwnPositions::look_about() {
  const Clock::time_point now = Clock::now();
  std::vector<std::string> left;
  for (auto& [name, position] : positions_) {
    if (position.player->watched()) position.watched = now;
    if (now - position.watched >= patience_.unwatched) left.push_back(name);
  }
  for (const std::string& name : left) free(name);
}

void OwnPositions::free(const std::string& name) {
  const std::string known_as = name;  // it may be the key that goes
  const auto place = positions_.find(known_as);
  SLUICE_ASSERT(place != positions_.end());
  for (const net::HostedWorld& world : place->second.player->hosted()) {
    server_->remove_world(world.feed->config().name, kUnwatched, known_as);
  }
  positions_.erase(place);
}

}  // namespace sluice::replay
