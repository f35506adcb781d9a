#include "client_stub/far.h"

#include <algorithm>

namespace sluice::client {

namespace {

/// How long after an edit cells are kept.
constexpr std::chrono::seconds kKeptAfterAnEdit{5};

bool holds_any(const protocol::Mirror& mirror, int level) {
  if (level == 0) return mirror.chunk_count() > 0;
  bool any = false;
  mirror.for_each_chunk_of(mirror.layer_of_detail(level), [&any](auto&&...) { any = true; });
  return any;
}

}  // namespace

int Far::level_for(int zoom, int levels) {
  return std::clamp(-zoom, 0, levels);
}

void Far::welcomed() {
  asked_ = shown_ = 0;
}

void Far::keep_cells(Clock::time_point now) {
  cells_until_ = now + kKeptAfterAnEdit;
}

void Far::look(const protocol::Mirror& mirror, int zoom, bool needs_cells, bool keeps,
               Clock::time_point now) {
  const bool cells = needs_cells || now < cells_until_ || (keeps && asked_ == 0);
  const int levels = static_cast<int>(mirror.welcome().levels_of_detail);
  const int level = cells ? 0 : level_for(zoom, levels);
  if (level != asked_) ask(mirror, level, now);
  if (waits() && now >= asked_at_ + kPatience) shown_ = asked_;
}

void Far::ask(const protocol::Mirror& mirror, int level, Clock::time_point now) {
  asked_ = level;
  asked_at_ = now;
  // Where nothing is shown nothing is lost; and of an empty world nothing comes.
  if (!holds_any(mirror, shown_)) shown_ = asked_;
}

void Far::ticked(const protocol::Mirror& mirror) {
  if (waits() && holds_any(mirror, asked_)) shown_ = asked_;
}

}  // namespace sluice::client
