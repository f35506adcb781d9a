#include "server/replay/recordings.h"

#include <algorithm>
#include <utility>

namespace sluice::replay {

namespace {

std::string size_text(const sim::World& world) {
  const Vec3 size = world.config().size;
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

/// Whether two recordings can be shown side by side.
Status check_pair(playback::Cursor& a, playback::Cursor& b) {
  const std::string both = a.reader().path() + " and " + b.reader().path() + ": ";
  const sim::WorldConfig& of_a = a.world().config();
  const sim::WorldConfig& of_b = b.world().config();
  if (!(of_a.size == of_b.size)) {
    return Error{both + "are of different sizes, " + size_text(a.world()) + " and " +
                 size_text(b.world()) + "; side by side there can be recordings of one size only"};
  }
  if (of_a.tick_rate != of_b.tick_rate) {
    return Error{both + "have different tick rates, " + std::to_string(of_a.tick_rate) + " and " +
                 std::to_string(of_b.tick_rate)};
  }
  if (std::max(a.first_tick(), b.first_tick()) > std::min(a.last_tick(), b.last_tick())) {
    return Error{both + "have no tick in common: the first holds " + range_text(a) +
                 ", the second " + range_text(b)};
  }
  return Done{};
}

}  // namespace

std::string range_text(const playback::Cursor& cursor) {
  return "ticks " + std::to_string(cursor.first_tick()) + " to " +
         std::to_string(cursor.last_tick());
}

Recordings::Recordings(std::vector<std::string> paths, sim::Executor& executor)
    : executor_(executor) {
  for (std::string& path : paths) {
    files_.push_back(
        {std::move(path), std::make_shared<playback::CacheBudget>(playback::Cursor::kCacheBytes)});
  }
}

Result<std::vector<playback::Player::Recording>> Recordings::open() const {
  std::vector<playback::Player::Recording> opened;
  for (const File& file : files_) {
    auto cursor = playback::Cursor::open(file.path, executor_, file.budget);
    if (!cursor.ok()) return Error{cursor.error()};
    // Two recordings are mostly of one world, so its name would not tell them apart.
    const std::string name = files_.size() == 1 ? (*cursor)->world().config().name
                             : opened.empty()   ? "a"
                                                : "b";
    opened.push_back({name, std::move(cursor).value()});
  }
  if (opened.size() == 2) {
    const Status fits = check_pair(*opened[0].cursor, *opened[1].cursor);
    if (!fits.ok()) return Error{fits.error()};
  }
  return opened;
}

}  // namespace sluice::replay
