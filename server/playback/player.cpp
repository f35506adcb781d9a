#include "server/playback/player.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "protocol/base/assert.h"
#include "server/playback/comparison.h"
#include "server/playback/give_way.h"

namespace sluice::playback {

namespace {

using namespace std::chrono_literals;

// A page shows no more pictures a second than this; ticks in between are not published.
constexpr auto kFrame = 33ms;
// How long playing goes on before it looks after requests.
constexpr auto kSlice = 25ms;
// Playing that cannot keep up forgets what it is behind: it is slower then, not late.
constexpr auto kMostBehind = 250ms;
// How often to look whether a recording has grown.
constexpr auto kLookForMore = 1s;
// After a jump a player beside a living world rests for so long, times its stored chunks, before
// it goes on. A jump has the network's thread copy and compare each chunk, which takes 4 us where
// nothing changed; this is fifty times as much. So eight viewers who jump all the time take less
// than a fifth of that thread.
constexpr auto kRestOfAChunk = 200us;
// A world is held here, on the way to the network, and there.
constexpr std::size_t kCopies = 3;

}  // namespace

Player::Player(std::vector<Recording> recordings, Manner manner, const net::Clock& clock)
    : manner_(manner), clock_(clock) {
  SLUICE_ASSERT(!recordings.empty() && recordings.size() <= 2);
  last_tick_ = UINT64_MAX;
  for (const Recording& recording : recordings) {
    first_tick_ = std::max(first_tick_, recording.cursor->first_tick());
    last_tick_ = std::min(last_tick_, recording.cursor->last_tick());
  }
  SLUICE_ASSERT(first_tick_ <= last_tick_);
  tick_ = first_tick_;
  const protocol::Playback playback{first_tick_, last_tick_, false, speed_, -1, ""};
  for (Recording& recording : recordings) {
    auto pane = std::make_unique<Pane>();
    pane->player = this;
    pane->number = panes_.size();
    pane->cursor = std::move(recording.cursor);
    pane->feed = std::make_unique<net::WorldFeed>(pane->cursor->world(), std::move(recording.name),
                                                  playback);
    pane->feed->set_watch([this] {
      visited_ = true;
      const std::lock_guard lock(mutex_);
      awaited_ = true;
      changed_.notify_all();
    });
    panes_.push_back(std::move(pane));
  }
}

Player::~Player() {
  stop();
}

std::vector<net::HostedWorld> Player::hosted() {
  std::vector<net::HostedWorld> worlds;
  for (const auto& pane : panes_) worlds.push_back({pane->feed.get(), pane.get()});
  return worlds;
}

Status Player::begin_at(std::uint64_t tick) {
  // Recordings may begin at different ticks.
  if (Status first = go_to(first_tick_); !first.ok()) return Error{told(first.error())};
  if (Status there = go_to(tick); !there.ok()) return Error{told(there.error())};
  // Whoever connects before the thread runs is shown this tick, too.
  publish();
  return Done{};
}

void Player::start() {
  thread_ = std::thread([this] { run(); });
}

void Player::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Player::give_up() {
  for (const auto& pane : panes_) pane->cursor->give_up();
}

std::chrono::microseconds Player::rest_after_jump() const {
  return std::max<std::chrono::microseconds>(kFrame, chunks_.load() * kRestOfAChunk);
}

Status Player::Pane::submit(net::ClientCommand command) {
  auto control = parse_control(
      command.json, player->manner_ == Manner::kLookBack ? "this is the past" : "this is a replay");
  if (!control.ok()) return Error{control.error()};
  if (control->kind == Control::Kind::kAlone) {
    if (!player->alone_) return Error{"alone: this is a position of one's own already"};
    return player->alone_(
        {std::move(control->position), control->from, number, command.session, command.seq});
  }
  const std::lock_guard lock(player->mutex_);
  if (player->stopping_) return Error{"the server stops"};
  if (player->requests_.size() >= kMostRequests) {
    return Error{"too many requests wait (" + std::to_string(kMostRequests) + ")"};
  }
  player->requests_.push_back({std::move(*control), number, command.session, command.seq, ""});
  player->changed_.notify_all();
  return Done{};
}

void Player::answer(const AskedAlone& asked, std::uint64_t tick, std::string refusal) {
  const bool ok = refusal.empty();
  panes_[asked.pane]->feed->deliver({{asked.session, {asked.seq, ok, tick, std::move(refusal)}}});
}

bool Player::watched() const {
  return std::any_of(panes_.begin(), panes_.end(),
                     [](const auto& pane) { return pane->feed->watched(); });
}

void Player::run() {
  if (manner_ == Manner::kLookBack) give_way();
  publish();
  std::vector<Request> requests;
  while (wait(requests)) {
    bool news = !requests.empty();
    obey(requests);
    if (playing_) news = play() || news;
    if (clock_.now() - looked_for_more_ >= kLookForMore) look_about();
    const bool awaited = std::any_of(panes_.begin(), panes_.end(),
                                     [](const auto& pane) { return pane->feed->awaited(); });
    if (news || awaited) publish();
    reply(requests);
    report_warnings();
  }
}

// False when it is to stop.
bool Player::wait(std::vector<Request>& requests) {
  requests.clear();
  std::unique_lock lock(mutex_);
  // Seeks that come meanwhile are taken together.
  if (manner_ == Manner::kLookBack) {
    changed_.wait_for(lock, rests_until_ - clock_.now(), [this] { return stopping_; });
  }
  changed_.wait_for(lock, next_look() - clock_.now(),
                    [this] { return stopping_ || awaited_ || !requests_.empty(); });
  awaited_ = false;
  requests.swap(requests_);
  return !stopping_;
}

Player::Time Player::next_look() const {
  // At the end of what a living world has recorded yet there is nothing to play.
  if (!playing_ || tick_ == last_tick_) return looked_for_more_ + kLookForMore;
  if (speed_ == kAsFastAsItGoes) return clock_.now();
  // When the next tick is due, as ticks_due() counts.
  const auto rate = static_cast<double>(panes_.front()->cursor->world().config().tick_rate);
  const std::chrono::duration<double> until(static_cast<double>(pace_ticks_ + 1) * kRealTime /
                                            (rate * speed_));
  const auto due = pace_begin_ + std::chrono::ceil<net::Clock::Duration>(until);
  return std::max(due, published_ + kFrame);
}

std::uint64_t Player::ticks_due(Time now) const {
  if (speed_ == kAsFastAsItGoes) return UINT64_MAX;
  const auto rate = static_cast<double>(panes_.front()->cursor->world().config().tick_rate);
  const double seconds = std::chrono::duration<double>(now - pace_begin_).count();
  const auto due = static_cast<std::uint64_t>(seconds * rate * speed_ / kRealTime + 1e-6);
  return due > pace_ticks_ ? due - pace_ticks_ : 0;
}

void Player::set_pace() {
  pace_begin_ = clock_.now();
  pace_ticks_ = 0;
}

/// Where the request leads from `target`; it is refused where that is nowhere.
std::uint64_t Player::target_of(Request& request, std::uint64_t target) {
  const Control& control = request.control;
  switch (control.kind) {
    case Control::Kind::kPlay:
      if (!playing_) set_pace();
      playing_ = true;
      if (manner_ == Manner::kLookBack) return target;     // goes on with the world
      return target == last_tick_ ? first_tick_ : target;  // once more from the beginning
    case Control::Kind::kPause:
      playing_ = false;
      return target;
    case Control::Kind::kSpeed:
      speed_ = control.speed;
      set_pace();
      return target;
    case Control::Kind::kSeek:
      if (control.tick >= first_tick_ && control.tick <= last_tick_) return control.tick;
      request.refusal = "seek: there is no tick " + std::to_string(control.tick) + "; ticks " +
                        std::to_string(first_tick_) + " to " + std::to_string(last_tick_) +
                        " can be shown";
      return target;
    case Control::Kind::kStep:
      playing_ = false;
      if (control.by < 0) {
        const std::uint64_t back = 0 - static_cast<std::uint64_t>(control.by);
        return target - std::min(target - first_tick_, back);
      }
      return target + std::min(last_tick_ - target, static_cast<std::uint64_t>(control.by));
    case Control::Kind::kAlone:  // was handed on
      return target;
  }
  return target;
}

void Player::obey(std::vector<Request>& requests) {
  if (requests.empty()) return;
  trouble_.clear();
  std::uint64_t target = tick_;
  for (Request& request : requests) target = target_of(request, target);
  if (target == tick_) return;
  const Status gone = go_to(target);
  set_pace();
  if (gone.ok()) return;
  playing_ = false;
  trouble_ = gone.error();
  for (Request& request : requests) {
    const Control::Kind kind = request.control.kind;
    const bool moves = kind == Control::Kind::kSeek || kind == Control::Kind::kStep ||
                       kind == Control::Kind::kPlay;
    if (moves && request.refusal.empty()) request.refusal = gone.error();
  }
}

Status Player::go_to(std::uint64_t tick) {
  if (tick < first_tick_ || tick > last_tick_) {
    return Error{"there is no tick " + std::to_string(tick) + "; ticks " +
                 std::to_string(first_tick_) + " to " + std::to_string(last_tick_) +
                 " can be shown"};
  }
  if (tick == tick_ + 1) {
    return advance() ? Status(Done{}) : Status(Error{trouble_});
  }
  jumped_ = true;
  for (const auto& pane : panes_) pane->feed->jump();
  for (const auto& pane : panes_) {
    if (const Status gone = pane->cursor->seek(tick); !gone.ok()) {
      retreat(gone.error());
      return gone;
    }
  }
  tick_ = tick;
  return Done{};
}

/// All panes by one tick. False where that tick cannot be shown.
bool Player::advance() {
  for (const auto& pane : panes_) {
    if (unpublished_) pane->feed->skip(pane->cursor->world());
  }
  unpublished_ = true;
  for (const auto& pane : panes_) {
    if (const Status done = pane->cursor->advance(); !done.ok()) {
      retreat(done.error());
      return false;
    }
  }
  ++tick_;
  return true;
}

/// Back to the tick that was shown: panes must never stand at different ones.
void Player::retreat(const std::string& trouble) {
  trouble_ = trouble;
  playing_ = false;
  jumped_ = true;
  for (const auto& pane : panes_) {
    pane->feed->jump();
    const Status back = pane->cursor->seek(tick_);
    if (!back.ok()) trouble_ += "; and back: " + back.error();
  }
}

/// For a slice of time at the most. Returns whether anything changed.
bool Player::play() {
  const Time begin = clock_.now();
  const std::uint64_t due = ticks_due(begin);
  std::uint64_t done = 0;
  while (done < due && tick_ < last_tick_ && clock_.now() - begin < kSlice) {
    if (!advance()) return true;
    ++done;
  }
  pace_ticks_ += done;
  if (tick_ == last_tick_ && manner_ == Manner::kReplay) playing_ = false;
  if (due != UINT64_MAX && done < due) {
    const std::uint64_t most = static_cast<std::uint64_t>(
        std::chrono::duration<double>(kMostBehind).count() *
        static_cast<double>(panes_.front()->cursor->world().config().tick_rate) * speed_ /
        kRealTime);
    if (due - done > most) set_pace();
  }
  return done > 0 || !playing_;
}

void Player::look_about() {
  looked_for_more_ = clock_.now();
  for (const auto& pane : panes_) pane->cursor->keep_to_share();
  look_for_more();
}

void Player::look_for_more() {
  std::uint64_t first = first_tick_;
  std::uint64_t last = UINT64_MAX;
  for (const auto& pane : panes_) {
    const Status looked = pane->cursor->refresh();
    if (!looked.ok()) warnings_.insert(looked.error());
    first = std::max(first, pane->cursor->first_tick());
    last = std::min(last, pane->cursor->last_tick());
  }
  if (last <= last_tick_ && first == first_tick_) return;
  last_tick_ = std::max(last_tick_, last);
  if (std::exchange(first_tick_, first) != first && tick_ < first) leave_what_was_cut_off();
  publish();
}

void Player::leave_what_was_cut_off() {
  playing_ = false;
  jumped_ = true;
  for (const auto& pane : panes_) {
    pane->feed->jump();
    if (const Status gone = pane->cursor->seek(first_tick_); !gone.ok()) trouble_ = gone.error();
  }
  if (trouble_.empty()) {
    trouble_ = "what was before tick " + std::to_string(first_tick_) +
               " was cut off from this world's recording meanwhile";
  }
  tick_ = first_tick_;
}

void Player::publish() {
  protocol::Playback playback{first_tick_, last_tick_, playing_, speed_, -1, told(trouble_)};
  if (panes_.size() == 2) {
    playback.differing_cells =
        count_differing_cells(panes_[0]->cursor->world(), panes_[1]->cursor->world());
  }
  for (const auto& pane : panes_) {
    pane->feed->set_playback(playback);
    pane->feed->publish(pane->cursor->world());
  }
  published_ = clock_.now();
  unpublished_ = false;
  std::size_t bytes = 0;
  std::int64_t chunks = 0;
  for (const auto& pane : panes_) {
    bytes += kCopies * StateCache::bytes_of(pane->cursor->world());
    chunks += pane->cursor->world().grid().chunk_count();
  }
  bytes_ = bytes;
  chunks_ = chunks;
  if (std::exchange(jumped_, false)) rests_until_ = published_ + rest_after_jump();
}

void Player::reply(std::vector<Request>& requests) {
  for (const auto& pane : panes_) {
    std::vector<net::CommandReply> replies;
    for (Request& request : requests) {
      if (request.pane != pane->number) continue;
      const bool applied = request.refusal.empty();
      replies.push_back(
          {request.session, {request.seq, applied, tick_, told(std::move(request.refusal))}});
    }
    pane->feed->deliver(std::move(replies));
  }
}

// Where a server's files lie is nothing for strangers.
std::string Player::told(std::string trouble) const {
  if (manner_ == Manner::kReplay) return trouble;
  for (const auto& pane : panes_) {
    const std::string& path = pane->cursor->reader().path();
    for (std::size_t at = 0; (at = trouble.find(path, at)) != std::string::npos;) {
      trouble.replace(at, path.size(), "the recording");
    }
  }
  return trouble;
}

void Player::report_warnings() {
  for (const auto& pane : panes_) {
    for (const std::string& warning : pane->cursor->take_warnings()) {
      if (warnings_.insert(warning).second) {
        spdlog::warn("{}; began at an earlier checkpoint", warning);
      }
    }
  }
}

}  // namespace sluice::playback
