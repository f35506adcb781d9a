#include "server/tools/frames.h"

#include <cinttypes>
#include <cstdio>
#include <iostream>

namespace sluice::tools {

Result<Frames> Frames::of(const OutputFlags& flags, std::uint64_t from, std::uint64_t to) {
  Frames frames;
  if (!flags.every) return frames;
  const auto view = flags.picture();
  if (!view) return Error{view.error()};
  frames.view_ = *view;
  frames.name_ = flags.png;
  if (frames.name_.ends_with(".png")) frames.name_.resize(frames.name_.size() - 4);
  frames.every_ = *flags.every;
  frames.from_ = from;
  const std::uint64_t count = to < from ? 0 : (to - from) / frames.every_ + 1;
  if (count > kMostFrames) {
    return Error{"--every " + std::to_string(frames.every_) + " makes " + std::to_string(count) +
                 " pictures from tick " + std::to_string(from) + " to " + std::to_string(to) +
                 ", allowed: " + std::to_string(kMostFrames)};
  }
  return frames;
}

void Frames::take(const sim::World& world) {
  if (every_ == 0 || !status_ || world.tick_number() != from_ + drawn_ * every_) return;
  status_ = write_png(path(drawn_ + 1), draw(world, view_));
  if (status_) ++drawn_;
}

void Frames::tell() const {
  if (drawn_ == 0) return;
  const std::string last = drawn_ == 1 ? "" : " to " + path(drawn_);
  std::cerr << "sluice: drew " << path(1) << last << ", every " << every_ << " ticks from tick "
            << from_ << '\n';
}

std::string Frames::path(std::uint64_t number) const {
  char digits[16];
  std::snprintf(digits, sizeof digits, "-%05" PRIu64 ".png", number);
  return name_ + digits;
}

}  // namespace sluice::tools
