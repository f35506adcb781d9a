#include "server/host/look_back.h"

#include <chrono>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "server/net/address.h"
#include "server/playback/control.h"

namespace sluice::host {

namespace {

// As strangers may make the network write lines (server/net/network.h).
constexpr double kLogLinesPerSecond = 2;
constexpr double kLogLinesAtOnce = 20;
// Of the memory for looking back, a quarter is for states that were visited.
constexpr std::size_t kCacheParts = 4;

/// An account, or else an address. Behind one of this machine a proxy may stand, and so anybody.
std::string asker_of(const net::ClientCommand& command) {
  if (!command.account.empty()) return "account " + command.account;
  return net::is_loopback(command.address) ? "" : command.address;
}

constexpr std::size_t bytes_of(std::uint32_t mebibytes) {
  return std::size_t{mebibytes} << 20;
}

playback::PositionBounds position_bounds(const LookBackBounds& bounds) {
  playback::PositionBounds positions;
  positions.most = bounds.positions;
  positions.most_of_one = bounds.per_world;
  positions.most_of_asker = kMostOfAsker;
  positions.most_bytes = bytes_of(bounds.memory) - bytes_of(bounds.memory) / kCacheParts;
  return positions;
}

}  // namespace

LookBack::LookBack(LookBackBounds bounds, playback::PositionPatience patience)
    : caches_(std::make_shared<playback::CacheBudget>(bytes_of(bounds.memory) / kCacheParts)),
      log_(kLogLinesPerSecond, kLogLinesAtOnce),
      positions_(position_bounds(bounds), patience) {}

void LookBack::serve(WorldRunner& runner) {
  runner.set_look_back({[this] { return positions_.offers(); },
                        [this, name = runner.name()](net::ClientCommand command) -> Status {
                          auto control = playback::parse_control(command.json);
                          if (!control.ok()) return Error{control.error()};
                          return positions_.ask(name,
                                                {std::move(control->position), control->from, 0,
                                                 command.session, command.seq, asker_of(command)});
                        }});
}

void LookBack::add(WorldRunner& runner, const std::string& recording) {
  playback::History history;
  history.manner = playback::Player::Manner::kLookBack;
  history.open = [this, name = runner.name(), recording] { return open(name, recording); };
  history.shown_tick = [&runner] { return runner.feed().tick(); };
  history.answer = [&runner](const playback::AskedAlone& asked, std::uint64_t tick,
                             std::string refusal) {
    const bool ok = refusal.empty();
    runner.feed().deliver({{asked.session, {asked.seq, ok, tick, std::move(refusal)}}});
  };
  positions_.add(runner.name(), std::move(history));
}

void LookBack::remove(const std::string& world, const std::string& why) {
  positions_.remove(world, why);
}

LookBackSample LookBack::sample(const std::string& world) const {
  const playback::OwnPositions::Sample sample = positions_.sample(world);
  return {sample.positions, sample.made, sample.refused};
}

void LookBack::set_bounds(LookBackBounds bounds) {
  caches_->set_most(bytes_of(bounds.memory) / kCacheParts);
  positions_.set_bounds(position_bounds(bounds));
}

// Strangers are not told where files lie.
Result<std::vector<playback::Player::Recording>> LookBack::open(const std::string& world,
                                                                const std::string& recording) {
  auto cursor = playback::Cursor::open(recording, executor_, caches_);
  if (!cursor.ok()) {
    log_.log(std::chrono::steady_clock::now(), [&](const std::string& left_out) {
      spdlog::warn("{}: nobody can look back: {}{}", world, cursor.error(), left_out);
    });
    return Error{"its recording cannot be read; the server's log says why"};
  }
  std::vector<playback::Player::Recording> recordings;
  recordings.push_back({world, std::move(cursor).value()});
  return recordings;
}

}  // namespace sluice::host
