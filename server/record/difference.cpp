#include "server/record/difference.h"

#include <map>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice::record {

namespace {

/// Every declared field of a struct with its value as text, nested ones joined by dots.
class FieldLister {
 public:
  explicit FieldLister(std::vector<std::pair<std::string, std::string>>& fields)
      : fields_(fields) {}

  template <class Value>
  void field(std::string_view name, const Value& value) {
    const std::string path = prefix_ + std::string(name);
    if constexpr (std::is_enum_v<Value>) {
      fields_.emplace_back(path, std::to_string(static_cast<std::int64_t>(value)));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      fields_.emplace_back(path, std::to_string(value));
    } else if constexpr (std::is_convertible_v<Value, std::string>) {
      fields_.emplace_back(path, value);
    } else {
      const std::string outer = std::exchange(prefix_, path + ".");
      Value::visit_state(value, *this);
      prefix_ = outer;
    }
  }
  template <class Value>
  void optional(std::string_view name, const Value& value) {
    field(name, value);
  }
  template <class Value, class Names>
  void choice(std::string_view name, const Value& value, const Names& names) {
    fields_.emplace_back(prefix_ + std::string(name),
                         std::string(names[static_cast<std::size_t>(value)]));
  }

 private:
  std::vector<std::pair<std::string, std::string>>& fields_;
  std::string prefix_;
};

class Comparer {
 public:
  Comparer(std::size_t limit, Comparison& out) : limit_(limit), out_(out) {}

  template <class State>
  void fields(sim::Layer layer, const std::string& place, const State& expected,
              const State& actual) {
    std::vector<std::pair<std::string, std::string>> a;
    std::vector<std::pair<std::string, std::string>> b;
    FieldLister list_a(a);
    FieldLister list_b(b);
    State::visit_state(expected, list_a);
    State::visit_state(actual, list_b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].second != b[i].second) value(layer, place, a[i].first, a[i].second, b[i].second);
    }
  }

  void value(sim::Layer layer, const std::string& place, const std::string& field,
             const std::string& expected, const std::string& actual) {
    std::size_t& listed = listed_[static_cast<std::size_t>(layer)];
    if (listed++ >= limit_) return;
    out_.differences.push_back({sim::layer_name(layer), place, field, expected, actual});
  }

  void springs(const char* kind, const sim::Springs& expected, const sim::Springs& actual) {
    std::set<sim::Vec3> places;
    for (const auto& [at, spring] : expected) places.insert(at);
    for (const auto& [at, spring] : actual) places.insert(at);
    for (const sim::Vec3 at : places) {
      const std::string place = std::string(kind) + " at " + sim::to_string(at);
      const auto a = expected.find(at);
      const auto b = actual.find(at);
      if (a == expected.end() || b == actual.end()) {
        value(sim::Layer::kSprings, place, "there", a == expected.end() ? "no" : "yes",
              b == actual.end() ? "no" : "yes");
      } else {
        fields(sim::Layer::kSprings, place, a->second, b->second);
      }
    }
  }

  void cells(const sim::Grid& expected, const sim::Grid& actual) {
    std::set<sim::ChunkCoord> coords;
    expected.for_each([&](const sim::Chunk& chunk) { coords.insert(chunk.coord); });
    actual.for_each([&](const sim::Chunk& chunk) { coords.insert(chunk.coord); });
    for (const sim::ChunkCoord coord : coords) {
      const sim::Chunk* a = expected.find(coord);
      const sim::Chunk* b = actual.find(coord);
      if (a != nullptr && b != nullptr && a->cells == b->cells) continue;
      chunk(coord, expected, actual);
    }
  }

 private:
  static std::string describe(sim::Cell cell) {
    return sim::is_open(cell) ? std::to_string(cell) : "solid";
  }

  void chunk(sim::ChunkCoord coord, const sim::Grid& expected, const sim::Grid& actual) {
    std::uint64_t differing = 0;
    for (std::int32_t i = 0; i < sim::kChunkCells; ++i) {
      const sim::Vec3 at = expected.shape().cell_at(coord, i);
      // What is not stored is air; the grid's own look-up knows.
      const sim::Cell a = expected.cell(at);
      const sim::Cell b = actual.cell(at);
      if (a == b) continue;
      ++differing;
      const std::string place = "chunk (" + std::to_string(coord.x) + ", " +
                                std::to_string(coord.y) + ", " + std::to_string(coord.z) +
                                ") cell " + sim::to_string(at);
      const bool both_open = sim::is_open(a) && sim::is_open(b);
      value(sim::Layer::kCells, place, both_open ? "water" : "material", describe(a), describe(b));
    }
    out_.cells += differing;
    if (differing != 0) ++out_.chunks;
  }

  std::size_t limit_;
  std::size_t listed_[sim::kLayerCount] = {};
  Comparison& out_;
};

}  // namespace

Comparison compare_worlds(const sim::World& expected, const sim::World& actual, std::size_t limit) {
  Comparison comparison;
  Comparer comparer(limit, comparison);
  if (expected.tick_number() != actual.tick_number()) {
    comparer.value(sim::Layer::kClock, "", "tick", std::to_string(expected.tick_number()),
                   std::to_string(actual.tick_number()));
  }
  comparer.fields(sim::Layer::kConfig, "", expected.config(), actual.config());
  comparer.fields(sim::Layer::kTotals, "", expected.totals(), actual.totals());
  comparer.springs("source", expected.sources(), actual.sources());
  comparer.springs("drain", expected.drains(), actual.drains());
  const bool same_shape = expected.config().size == actual.config().size;
  if (same_shape) comparer.cells(expected.grid(), actual.grid());
  return comparison;
}

std::string to_string(const Difference& difference) {
  std::string text = difference.layer + ": ";
  if (!difference.place.empty()) text += difference.place + ": ";
  return text + difference.field + " is " + difference.actual + ", was recorded as " +
         difference.expected;
}

}  // namespace sluice::record
