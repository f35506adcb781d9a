// What hydro water is beyond its cells: what moves. A world at rest has none of it, so what is not
// listed here is zero. hydro.md says what the numbers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/digest.h"

namespace sluice::sim {

/// Of a cell above its run's surface, whose water falls.
struct HydroFallState {
  std::int32_t speed = 0;  // level units a tick

  [[nodiscard]] Digest digest(Digest place) const {
    return combine(place, static_cast<std::uint64_t>(std::int64_t{speed}));
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("speed", self.speed);
  }
};

/// Of a run, by its lowest cell.
struct HydroRunState {
  std::int64_t pressure = 0;  // head of a full run, 1/256 level units; 0: not known
  std::int32_t friction = 0;  // a tick, Q16
  std::int32_t age = 0;       // ticks since the last event that its water has met; 0: long ago

  [[nodiscard]] bool nothing() const { return pressure == 0 && friction == 0 && age == 0; }
  [[nodiscard]] Digest digest(Digest place) const {
    const auto upper = static_cast<std::uint64_t>(std::int64_t{friction}) << 32;
    return combine(combine(place, static_cast<std::uint64_t>(pressure)),
                   upper | static_cast<std::uint32_t>(age));
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("pressure", self.pressure);
    v.field("friction", self.friction);
    v.field("age", self.age);
  }
};

/// Of a link, by the lowest cell of its opening on the side of the smaller x (or z).
struct HydroLinkState {
  std::int64_t flow = 0;   // units a tick towards greater x (or z), Q16
  std::int32_t carry = 0;  // of a unit, Q16: flowed and not yet moved

  [[nodiscard]] bool nothing() const { return flow == 0 && carry == 0; }
  [[nodiscard]] Digest digest(Digest place) const {
    return combine(combine(place, static_cast<std::uint64_t>(flow)),
                   static_cast<std::uint64_t>(std::int64_t{carry}));
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("flow", self.flow);
    v.field("carry", self.carry);
  }
};

/// What moves of one kind, one after the other, in an order that is no part of the state. Snapshots
/// and comparisons see it by its places. An ordered map took a third of a tick's time.
template <class State>
class HydroMotion {
 public:
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] State& at(std::int32_t slot) {
    return entries_[static_cast<std::size_t>(slot)].state;
  }
  [[nodiscard]] const State& at(std::int32_t slot) const {
    return entries_[static_cast<std::size_t>(slot)].state;
  }
  void clear() {
    entries_.clear();
    owners_.clear();
  }
  /// `digest` is of the place, and so always the same for it; the owner is whoever will ask by the
  /// slot that this returns.
  std::int32_t add(Vec3 place, Digest digest, std::int32_t owner, const State& state) {
    entries_.push_back({state, digest});
    owners_.push_back({place, owner});
    return static_cast<std::int32_t>(entries_.size()) - 1;
  }
  /// The last entry takes the slot. Returns its owner.
  std::int32_t remove(std::int32_t slot) {
    const auto at = static_cast<std::size_t>(slot);
    entries_[at] = entries_.back();
    owners_[at] = owners_.back();
    entries_.pop_back();
    owners_.pop_back();
    return at < owners_.size() ? owners_[at].owner : -1;
  }
  /// f(place, state)
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) f(owners_[i].place, entries_[i].state);
  }
  /// What a tick writes and its digest reads.
  struct Entry {
    State state;
    Digest digest = 0;  // of the place
  };
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  [[nodiscard]] std::map<Vec3, State> by_place() const {
    std::map<Vec3, State> states;
    for_each([&states](Vec3 place, const State& state) { states.emplace(place, state); });
    return states;
  }
  template <class DigestOf>
  void take(const std::map<Vec3, State>& states, DigestOf&& digest_of) {
    clear();
    for (const auto& [place, state] : states) add(place, digest_of(place), -1, state);
  }

 private:
  struct Owner {
    Vec3 place;
    std::int32_t owner = -1;
  };

  std::vector<Entry> entries_;
  std::vector<Owner> owners_;  // of each
};

/// Whether an engine keeps slots of the state: never of a copy.
class HydroAttached {
 public:
  HydroAttached() = default;
  HydroAttached(const HydroAttached& /*other*/) {}
  HydroAttached& operator=(const HydroAttached& /*other*/) {
    is_ = false;
    return *this;
  }
  void set(bool is) { is_ = is; }
  [[nodiscard]] bool is() const { return is_; }

 private:
  bool is_ = false;
};

struct HydroState {
  static constexpr const char* kName = "hydro";

  HydroMotion<HydroRunState> runs;
  HydroMotion<HydroFallState> falls;
  HydroMotion<HydroLinkState> links_x;
  HydroMotion<HydroLinkState> links_z;
  HydroAttached attached;

  /// Of a place, in each of the four lists.
  [[nodiscard]] static Digest digest_of_run(Vec3 at) {
    const std::uint64_t place = combine(0x687964726fU, static_cast<std::uint32_t>(at.x));
    return combine(combine(place, static_cast<std::uint32_t>(at.y)),
                   static_cast<std::uint32_t>(at.z));
  }
  [[nodiscard]] static Digest digest_of_fall(Vec3 at) { return combine(digest_of_run(at), 3); }
  [[nodiscard]] static Digest digest_of_link_x(Vec3 at) { return combine(digest_of_run(at), 1); }
  [[nodiscard]] static Digest digest_of_link_z(Vec3 at) { return combine(digest_of_run(at), 2); }

  [[nodiscard]] bool nothing() const {
    return runs.empty() && falls.empty() && links_x.empty() && links_z.empty();
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    visit(self.runs, "runs", digest_of_run, v);
    visit(self.falls, "falls", digest_of_fall, v);
    visit(self.links_x, "links_x", digest_of_link_x, v);
    visit(self.links_z, "links_z", digest_of_link_z, v);
    // Whoever may have written to what it was shown has its version taken: slots are others then.
    if constexpr (!std::is_const_v<Self>) self.attached.set(false);
  }

 private:
  template <class Motion, class DigestOf, class Visitor>
  static void visit(Motion& motion, const char* name, DigestOf digest_of, Visitor& v) {
    auto states = motion.by_place();
    v.field(name, states);
    if constexpr (!std::is_const_v<Motion>) motion.take(states, digest_of);
  }
};

}  // namespace sluice::sim
