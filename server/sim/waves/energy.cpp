#include <algorithm>
#include <utility>
#include <vector>

#include "server/sim/waves/field.h"

namespace sluice::sim {

WaveEnergy energy_of(const WaveOptions& options, const WaveSheet& sheet,
                     const WaveColumns& columns) {
  WaveEnergy energy;
  for (std::size_t i = 0; i < columns.size(); ++i) energy.add(own_energy(options, columns.at(i)));
  sheet.for_each_pair([&](std::int32_t a, std::int32_t b) {
    energy.add(shared_energy(options, columns.at(static_cast<std::size_t>(a)),
                             columns.at(static_cast<std::size_t>(b))));
  });
  return energy;
}

namespace {

/// A wave that is lower by an eighth, rounded towards rest.
WaveColumn lowered(WaveColumn column) {
  const auto part = [](std::int32_t value) {
    return static_cast<std::int32_t>(std::int64_t{value} * 7 / 8);  // rounded towards 0
  };
  return {part(column.height), part(column.speed)};
}

/// The bodies of columns that move, before and after: those slots come first that were.
class Bodies {
 public:
  Bodies(const WaveOptions& options, const WaveSheet& before, const WaveColumns& old,
         std::span<const std::int32_t> moved, const WaveSheet& after, WaveColumns& columns)
      : options_(options),
        after_(after),
        columns_(columns),
        first_new_(before.size()),
        groups_(old.size() + columns.size()),
        was_(old.size() + columns.size()),
        moves_(columns.size()) {
    const auto moves = [](const WaveColumns& all, std::int32_t slot) {
      return !all.at(index(slot)).nothing();
    };
    before.for_each_pair([&](std::int32_t a, std::int32_t b) {
      if (moves(old, a) && moves(old, b)) groups_.join(a, b);
    });
    after.for_each_pair([&](std::int32_t a, std::int32_t b) {
      if (moves(columns, a) && moves(columns, b)) groups_.join(first_new_ + a, first_new_ + b);
    });
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (moved[i] != kNoColumn) groups_.join(static_cast<std::int32_t>(i), first_new_ + moved[i]);
    }
    for (std::int32_t slot = 0; slot < before.size(); ++slot) {
      if (moves(old, slot)) was_[body_of(slot)].add(own_energy(options, old.at(index(slot))));
    }
    before.for_each_pair([&](std::int32_t a, std::int32_t b) {
      if (!moves(old, a) && !moves(old, b)) return;
      was_[body_of(moves(old, a) ? a : b)].add(
          shared_energy(options, old.at(index(a)), old.at(index(b))));
    });
    for (std::int32_t slot = 0; slot < after.size(); ++slot) {
      moves_[index(slot)] = moves(columns, slot);
      if (moves_[index(slot)]) members_.emplace_back(body_of(first_new_ + slot), slot);
    }
    std::sort(members_.begin(), members_.end());
  }

  void lower() {
    for (std::size_t first = 0; first < members_.size();) {
      std::size_t end = first;
      while (end < members_.size() && members_[end].first == members_[first].first) ++end;
      const std::span<const Member> body(members_.data() + first, end - first);
      while (is(body) > was_[members_[first].first]) {
        for (const auto& [number, slot] : body) {
          columns_.set(index(slot), lowered(columns_.at(index(slot))));
        }
      }
      first = end;
    }
  }

 private:
  using Member = std::pair<std::size_t, std::int32_t>;  // the body's number, a slot after

  [[nodiscard]] std::size_t body_of(std::int32_t slot) { return index(groups_.of(slot)); }

  [[nodiscard]] WaveEnergy is(std::span<const Member> body) const {
    WaveEnergy energy;
    for (const auto& [number, slot] : body) {
      const WaveColumn column = columns_.at(index(slot));
      energy.add(own_energy(options_, column));
      after_.for_each_beside(slot, [&, a = slot](std::int32_t b) {
        // Pairs of two that move are seen from both ends; they count at the first.
        const WaveColumn other = columns_.at(index(b));
        if (!moves_[index(b)] || a < b) energy.add(shared_energy(options_, column, other));
      });
    }
    return energy;
  }

  const WaveOptions& options_;
  const WaveSheet& after_;
  WaveColumns& columns_;
  std::int32_t first_new_;
  SlotGroups groups_;
  std::vector<WaveEnergy> was_;  // by body
  std::vector<bool> moves_;      // after, before any is lowered
  std::vector<Member> members_;
};

}  // namespace

void keep_energy(const WaveOptions& options, const WaveSheet& before, const WaveColumns& old,
                 std::span<const std::int32_t> moved, const WaveSheet& after,
                 WaveColumns& columns) {
  Bodies(options, before, old, moved, after, columns).lower();
}

}  // namespace sluice::sim
