// What happens for a moment, in the terminal's picture: drops that a crest throws, bubbles, spray
// where falling water lands. As client_stub/web/src/particles.ts has it, a character each:
//
//     '    droplet: flies up from the surface, and falls back
//     o    bubble: rises to the surface
//     : :  spray: flies to both sides
//
// They are no part of the world. The server tells of each event once (protocol/README.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "client_stub/activity.h"
#include "client_stub/picture.h"
#include "client_stub/screen.h"
#include "protocol/layers.h"
#include "protocol/mirror.h"

namespace sluice::client {

class Sparks {
 public:
  using Clock = Activity::Clock;
  /// In flight at once; of more, some are left out everywhere.
  static constexpr std::size_t kMost = 128;
  static constexpr std::chrono::milliseconds kLongestLife{600};

  /// What happened before is not shown.
  void welcomed();
  /// To be called after the mirror took a message in.
  void told(const protocol::Mirror& mirror, Clock::time_point now);
  /// Those of the picture's slice; not from afar, where there are no single cells.
  void draw(const protocol::Mirror& mirror, const Picture& picture, Clock::time_point now,
            bool unicode, Screen& screen) const;

  [[nodiscard]] std::size_t count() const { return alive_.size(); }

 private:
  struct Spark {
    EventKind kind;
    Vec3 at;
    double force;  // 0 to 1
    Clock::time_point born;
  };
  [[nodiscard]] std::vector<Spark> take_new(const protocol::Mirror& mirror, std::size_t layer,
                                            Clock::time_point now);

  /// The numbers that the mirror held last, by their cells.
  std::map<Vec3, std::int32_t> seen_;
  std::vector<Spark> alive_;
  bool is_first_ = true;
  std::uint64_t tick_ = 0;
};

}  // namespace sluice::client
