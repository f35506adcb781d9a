// Pictures of a world as it runs, for a video: `--png NAME.png --every N` of `sluice sim` and
// `sluice replay`.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"
#include "server/sim/world.h"
#include "server/tools/output.h"

namespace sluice::tools {

/// As many as their numbers have digits for.
inline constexpr std::uint64_t kMostFrames = 99999;

/// NAME-00001.png shows the first tick, NAME-00002.png the one N ticks later: numbers without gaps,
/// as programs that make videos read them.
class Frames {
 public:
  /// Without --every there are none. An error where it would be too many from one tick to the
  /// other.
  [[nodiscard]] static Result<Frames> of(const OutputFlags& flags, std::uint64_t from,
                                         std::uint64_t to);
  /// Draws the world if its tick is due; ticks before the first are not. What the view needs was
  /// checked. The first error stays: nothing is drawn after it.
  void take(const sim::World& world);
  [[nodiscard]] const Status& status() const { return status_; }
  /// Says on standard error which pictures there are.
  void tell() const;

 private:
  Frames() = default;
  [[nodiscard]] std::string path(std::uint64_t number) const;

  PictureView view_;
  std::string name_;         // without its ".png"
  std::uint64_t every_ = 0;  // 0: none are wanted
  std::uint64_t from_ = 0;
  std::uint64_t drawn_ = 0;
  Status status_ = Done{};
};

}  // namespace sluice::tools
