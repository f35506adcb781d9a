#include "server/sim/events.h"

#include <algorithm>
#include <utility>

#include "server/sim/draw.h"
#include "server/sim/heat/field.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

namespace {

/// Level units of sharpness (WaveField::for_each_crest) from which on drops are thrown.
constexpr std::int32_t kThrows = kFull / 4;
/// One step of strength: of sharpness, and of units that fall.
constexpr std::int32_t kStep = kFull / 64;
/// One of so many crests throws a drop in a tick, one of so many landings sprays.
constexpr std::uint32_t kRareDroplet = 8;
constexpr std::uint32_t kRareSpray = 2;

std::int32_t strength_of(std::int64_t steps) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(steps, 1, kStrongestEvent));
}

struct Drawn {
  WorldEvent event;
  std::uint64_t chance = 0;
};

class Finder {
 public:
  explicit Finder(const World& world) : world_(world) {}

  std::vector<Drawn> find() {
    if (world_.waves() != nullptr) {
      add_droplets();
      add_spray();
    }
    if (world_.heat() != nullptr) add_bubbles();
    return std::move(found_);
  }

 private:
  void add_droplets() {
    world_.waves()->for_each_crest(
        world_.core().waves, [&](const Surface& surface, std::int32_t sharpness) {
          if (sharpness < kThrows) return;
          add(surface.at, EventKind::kDroplet, (sharpness - kThrows) / kStep, kRareDroplet);
        });
  }
  void add_spray() {
    for (const Surface& surface : world_.waves()->sheet().surfaces) {
      if (surface.landing > 0)
        add(surface.at, EventKind::kSpray, surface.landing / kStep, kRareSpray);
    }
  }
  /// Those that kicked the waves, where the world has any; a drop that boils as it falls has none.
  void add_bubbles() {
    const HeatField& heat = *world_.heat();
    if (!heat.simmers()) return;
    const std::uint64_t seed = world_.config().seed;
    for (const WavePush& kick :
         heat.kicks(world_.tick_number(), seed, world_.grid(), world_.core().heat)) {
      if (!stands(kick.at)) continue;
      add(kick.at, EventKind::kBubble, kick.energy / (kKickEnergy / kStrongestEvent), 1);
    }
  }
  /// Whether the cell lies in water that stands, and does not fall.
  [[nodiscard]] bool stands(Vec3 at) const {
    const auto surfaces = scan_column(world_.grid(), world_.measure().full, at.x, at.z);
    return std::any_of(surfaces.begin(), surfaces.end(), [at](const Surface& surface) {
      return surface.floor <= at.y && at.y <= surface.at.y;
    });
  }
  void add(Vec3 at, EventKind kind, std::int64_t steps, std::uint32_t rare) {
    const std::uint64_t drawn =
        draw(world_.config().seed, world_.tick_number(), at, DrawPurpose::kEvent);
    const std::uint64_t chance = combine(drawn, static_cast<std::uint64_t>(kind));
    if (choose(chance, rare) != 0) return;
    found_.push_back({{at, kind, strength_of(steps)}, chance});
  }

  const World& world_;
  std::vector<Drawn> found_;
};

}  // namespace

std::vector<WorldEvent> events_of(const World& world, std::size_t most) {
  std::vector<Drawn> found = Finder(world).find();
  if (found.size() > most) {
    // Which these are depends on nothing but the draws; the upper halves decided already.
    const auto less = [](const Drawn& a, const Drawn& b) {
      return std::pair(static_cast<std::uint32_t>(a.chance), a.chance) <
             std::pair(static_cast<std::uint32_t>(b.chance), b.chance);
    };
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                     less);
    found.resize(most);
  }
  std::vector<WorldEvent> events;
  for (const Drawn& one : found) events.push_back(one.event);
  const auto before = [](const WorldEvent& a, const WorldEvent& b) {
    return std::pair(a.at, a.kind) < std::pair(b.at, b.kind);
  };
  std::sort(events.begin(), events.end(), before);
  const auto same = [](const WorldEvent& a, const WorldEvent& b) { return a.at == b.at; };
  events.erase(std::unique(events.begin(), events.end(), same), events.end());
  return events;
}

}  // namespace sluice::sim
