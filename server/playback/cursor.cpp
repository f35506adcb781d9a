#include "server/playback/cursor.h"

#include <algorithm>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/base/sometimes.h"

namespace sluice::playback {

namespace {

// What the states that one step back keeps may take: copying them must not make the step slow.
constexpr std::size_t kTrailBytes = std::size_t{16} << 20;

}  // namespace

Cursor::Cursor(std::unique_ptr<record::Reader> reader, sim::Executor& executor,
               std::shared_ptr<CacheBudget> budget)
    : reader_(std::move(reader)), executor_(executor), cache_(std::move(budget)) {}

Result<std::unique_ptr<Cursor>> Cursor::open(const std::string& path, sim::Executor& executor,
                                             std::shared_ptr<CacheBudget> budget) {
  auto reader = record::Reader::open(path);
  if (!reader) return Error{reader.error()};
  std::unique_ptr<Cursor> cursor(
      new Cursor(std::move(reader).value(), executor, std::move(budget)));
  auto first = cursor->reader_->restore(cursor->first_tick());
  if (!first) return Error{first.error()};
  cursor->adopt(std::move(first).value());
  return cursor;
}

Result<std::unique_ptr<Cursor>> Cursor::open(const std::string& path, sim::Executor& executor) {
  return open(path, executor, std::make_shared<CacheBudget>(kCacheBytes));
}

void Cursor::adopt(std::unique_ptr<sim::World> world) {
  world_ = std::move(world);
  history_.reset();
  sound_ = true;
}

Status Cursor::refresh() {
  if (!reader_->replaced()) return reader_->refresh();
  auto reader = record::Reader::open(reader_->path());
  if (!reader) return Error{reader.error()};
  SLUICE_SOMETIMES("a position followed its recording into another file");
  history_.reset();
  reader_ = std::move(reader).value();
  return Done{};
}

// False digests make the world unsound: it is then of no recorded tick.
Status Cursor::tick_once() {
  if (!history_) history_.emplace(*reader_, tick() + 1);
  const auto record = history_->next();
  if (!record) return Error{record.error()};
  commands_.clear();
  for (const auto& recorded : (*record)->commands) commands_.push_back(recorded.command);
  const sim::TickReport report = world_->tick(commands_, executor_);
  ++replayed_ticks_;
  if (report.digest == (*record)->digest) return Done{};
  sound_ = false;
  return Error{reader_->path() + ": the replay diverges from the recording at tick " +
               std::to_string(report.tick) + "; 'sluice verify' tells more"};
}

// Where a tick cannot be shown, the state of the next checkpoint still can.
Error Cursor::with_way_on(const Status& failed, std::uint64_t tick) {
  const auto checkpoint = reader_->checkpoint_after(tick);
  if (!checkpoint || !*checkpoint || (*checkpoint)->tick > last_tick()) return {failed.error()};
  return {failed.error() + "; from its checkpoint of tick " + std::to_string((*checkpoint)->tick) +
          " on it can be shown again"};
}

Status Cursor::advance() {
  const std::uint64_t before = tick();
  SLUICE_ASSERT(before < last_tick());
  if (!sound_) {
    if (Status back = restore(before, before); !back.ok()) return back;
  }
  const Status done = tick_once();
  if (done.ok()) return done;
  if (!sound_) {
    if (const Status back = restore(before, before); !back.ok()) return back;
  }
  return with_way_on(done, before + 1);
}

Status Cursor::replay_to(std::uint64_t tick) {
  while (this->tick() < tick) {
    if (given_up_) return Error{reader_->path() + ": the replay was stopped"};
    if (Status done = advance(); !done.ok()) return done;
  }
  return Done{};
}

Status Cursor::seek(std::uint64_t tick) {
  SLUICE_ASSERT(tick >= first_tick() && tick <= last_tick());
  replayed_ticks_ = 0;
  const std::uint64_t here = this->tick();
  if (sound_ && here == tick) return Done{};
  const auto checkpoint = reader_->checkpoint_before(tick);
  if (!checkpoint) return Error{checkpoint.error()};
  const std::uint64_t from = *checkpoint ? (*checkpoint)->tick : first_tick();
  const record::CheckpointImage* kept = cache_.nearest(from, tick);
  if (sound_ && here < tick && here >= (kept == nullptr ? from : kept->tick)) {
    return replay_to(tick);
  }
  if (kept != nullptr) {
    const std::uint64_t kept_tick = kept->tick;
    auto world = kept->restore();
    if (world.ok()) {
      SLUICE_SOMETIMES("a state that a step back had kept was shown");
      adopt(std::move(world).value());
      return replay_to(tick);
    }
    warnings_.push_back("the state kept of tick " + std::to_string(kept_tick) + ": " +
                        world.error());
    cache_.forget(kept_tick);
  }
  const bool steps_back = tick < here && here - tick <= kStepTicks;
  const Status restored = restore(tick, steps_back ? trail_begin(tick) : tick);
  return restored.ok() ? restored : Status(with_way_on(restored, tick));
}

// The first tick whose state a step back to `tick` keeps.
std::uint64_t Cursor::trail_begin(std::uint64_t tick) const {
  const std::uint64_t states = std::min<std::uint64_t>(
      kStepTicks, std::max<std::size_t>(1, kTrailBytes / StateCache::bytes_of(*world_)));
  return tick > states ? tick - states : 0;
}

// From a checkpoint. States of [keep_from, tick) go to the cache on the way.
Status Cursor::restore(std::uint64_t tick, std::uint64_t keep_from) {
  SLUICE_SOMETIMES("a position was replayed from a checkpoint");
  const auto visit = [&](const sim::World& world, const sim::TickReport& report) {
    if (report.tick >= keep_from && report.tick < tick) cache_.keep(world);
  };
  auto at = record::world_at(*reader_, tick, executor_, visit, &given_up_);
  if (!at) return Error{at.error()};
  warnings_.insert(warnings_.end(), std::make_move_iterator(at->warnings.begin()),
                   std::make_move_iterator(at->warnings.end()));
  replayed_ticks_ += at->replayed_ticks;
  adopt(std::move(at->world));
  return Done{};
}

std::vector<std::string> Cursor::take_warnings() {
  return std::exchange(warnings_, {});
}

}  // namespace sluice::playback
