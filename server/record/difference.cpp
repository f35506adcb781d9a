#include "server/record/difference.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "server/record/state_fields.h"
#include "server/sim/models/registry.h"

namespace sluice::record {

namespace {

std::string describe(Cell cell, bool both_open) {
  if (cell == kRock) return "rock";
  if (cell == kOutside) return "outside";
  if (cell == kTrappedAir) return "trapped air";
  if (is_ice(cell)) return "ice of " + std::to_string(held_in(cell)) + " units";
  if (!is_open(cell)) return "material " + std::to_string(-std::int64_t{cell});
  return both_open ? std::to_string(cell) : "open with " + std::to_string(cell) + " units";
}

std::string text_of(ChunkCoord c) {
  return "(" + std::to_string(c.x) + ", " + std::to_string(c.y) + ", " + std::to_string(c.z) + ")";
}

class Comparer {
 public:
  Comparer(std::size_t limit, Comparison& out) : limit_(limit), out_(out) {}

  void fields(const std::vector<sim::StateField>& a, const std::vector<sim::StateField>& b) {
    const Index in_a = index(a);
    const Index in_b = index(b);
    for (const sim::StateField& field : a) {
      const auto other = in_b.find(name_of(field));
      if (other != in_b.end()) {
        if (other->second->value != field.value) note(field, field.value, other->second->value);
      } else if (field.field == sim::kThere) {
        note(field, "yes", "no");
      }
    }
    for (const sim::StateField& field : b) {
      const bool missing = field.field == sim::kThere && !in_a.contains(name_of(field));
      if (missing) note(field, "no", "yes");
    }
  }

  void cells(const StateView& expected, const StateView& actual) {
    for_each_differing(expected.chunks, actual.chunks,
                       [&](ChunkCoord coord, const Cell* a, const Cell* b) {
                         chunk(*expected.core, coord, a, b);
                       });
  }

  void marks(const StateView& expected, const StateView& actual) {
    for_each_differing(expected.marks, actual.marks,
                       [&](ChunkCoord coord, const Cell* a, const Cell* b) {
                         chunk_marks(*expected.core, coord, a, b);
                       });
  }

 private:
  using Index = std::map<std::array<std::string, 3>, const sim::StateField*>;

  static std::array<std::string, 3> name_of(const sim::StateField& field) {
    return {field.layer, field.place, field.field};
  }

  static Index index(const std::vector<sim::StateField>& fields) {
    Index index;
    for (const sim::StateField& field : fields) index[name_of(field)] = &field;
    return index;
  }

  template <class F>
  static void for_each_differing(const StateView::Planes& expected, const StateView::Planes& actual,
                                 F&& f) {
    static constexpr std::array<Cell, kChunkCells> kNothing{};
    const auto cells_of = [](const StateView::Planes& planes, ChunkCoord coord) {
      const auto found = planes.find(coord);
      return found == planes.end() ? kNothing.data() : found->second;
    };
    std::set<ChunkCoord> coords;
    for (const auto& [coord, cells] : expected) coords.insert(coord);
    for (const auto& [coord, cells] : actual) coords.insert(coord);
    for (const ChunkCoord coord : coords) {
      const Cell* a = cells_of(expected, coord);
      const Cell* b = cells_of(actual, coord);
      if (!std::equal(a, a + kChunkCells, b)) f(coord, a, b);
    }
  }

  static std::string place_of(ChunkCoord coord, Vec3 at) {
    return "chunk " + text_of(coord) + " cell " + to_string(at);
  }

  void note(const sim::StateField& field, const std::string& expected, const std::string& actual) {
    ++out_.fields;
    list({field.layer, field.place, field.field, expected, actual, {}, {}});
  }

  void list(Difference difference) {
    if (listed_[difference.layer]++ < limit_) out_.differences.push_back(std::move(difference));
  }

  void chunk(const sim::CoreState& core, ChunkCoord coord, const Cell* a, const Cell* b) {
    const ChunkShape shape = core.config.shape();
    const Box world = core.config.box();
    std::uint64_t differing = 0;
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      if (a[i] == b[i]) continue;
      const Vec3 at = shape.cell_at(coord, i);
      if (!world.contains(at)) continue;
      ++differing;
      include(at);
      const bool both_open = is_open(a[i]) && is_open(b[i]);
      list({sim::layer_name(sim::Layer::kCells), place_of(coord, at),
            both_open ? "water" : "material", describe(a[i], both_open), describe(b[i], both_open),
            coord, at});
    }
    out_.cells += differing;
    if (differing != 0) ++out_.chunks;
  }

  /// The parts of a mark as the world's water model declares them; what it does not declare is
  /// nobody's, and yet a difference.
  void chunk_marks(const sim::CoreState& core, ChunkCoord coord, const Cell* a, const Cell* b) {
    const sim::WaterModelRow* model = sim::find_water_model(core.config.water);
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      if (a[i] == b[i]) continue;
      const Vec3 at = core.config.shape().cell_at(coord, i);
      const auto both = [&](const char* name, std::uint32_t mask, std::int32_t shift) {
        const std::uint32_t one = (static_cast<std::uint32_t>(a[i]) & mask) >> shift;
        const std::uint32_t other = (static_cast<std::uint32_t>(b[i]) & mask) >> shift;
        if (one == other) return;
        ++out_.fields;
        list({sim::layer_name(sim::Layer::kMarks), place_of(coord, at), name, std::to_string(one),
              std::to_string(other), coord, at});
      };
      std::uint32_t known = 0;
      if (model != nullptr) {
        for (const sim::MarkField& field : model->marks) {
          both(field.name, field.mask(), field.shift);
          known |= field.mask();
        }
      }
      both("other bits", ~known, 0);
    }
  }

  void include(Vec3 at) {
    Box& box = out_.cell_box;
    if (box.empty()) {
      box = {at, {1, 1, 1}};
      return;
    }
    const Vec3 end = box.from + box.size;
    const Vec3 low = {std::min(box.from.x, at.x), std::min(box.from.y, at.y),
                      std::min(box.from.z, at.z)};
    const Vec3 high = {std::max(end.x, at.x + 1), std::max(end.y, at.y + 1),
                       std::max(end.z, at.z + 1)};
    box = {low, high - low};
  }

  std::size_t limit_;
  std::map<std::string, std::size_t> listed_;  // by layer
  Comparison& out_;
};

}  // namespace

Comparison compare_states(const StateView& expected, const StateView& actual, std::size_t limit) {
  Comparison comparison;
  Comparer comparer(limit, comparison);
  comparer.fields(sim::state_fields(*expected.core, true), sim::state_fields(*actual.core, true));
  comparer.fields(pipe_fields(expected.pipes), pipe_fields(actual.pipes));
  const bool same_shape = expected.core->config.size == actual.core->config.size;
  if (same_shape) {
    comparer.cells(expected, actual);
    comparer.marks(expected, actual);
  }
  return comparison;
}

Comparison compare_worlds(const sim::World& expected, const sim::World& actual, std::size_t limit) {
  return compare_states(StateView::of(expected), StateView::of(actual), limit);
}

std::string to_string(const Difference& difference) {
  std::string text = difference.layer + ": ";
  if (!difference.place.empty()) text += difference.place + ": ";
  return text + difference.field + " is " + difference.actual + ", was recorded as " +
         difference.expected;
}

}  // namespace sluice::record
