// A world and its commands as seen in a mirror: left and right exchanged, front and back, x and z.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "tests/support/random_world.h"

namespace sluice::tests {

/// Bits: 1 exchanges left and right, 2 front and back, 4 x and z (after those).
struct Mirror {
  int bits = 0;
  Vec3 size;  // of the world

  [[nodiscard]] Vec3 operator()(Vec3 p) const {
    if ((bits & 1) != 0) p.x = size.x - 1 - p.x;
    if ((bits & 2) != 0) p.z = size.z - 1 - p.z;
    if ((bits & 4) != 0) std::swap(p.x, p.z);
    return p;
  }
  [[nodiscard]] Box operator()(const Box& box) const {
    const Vec3 a = (*this)(box.from);
    const Vec3 b = (*this)(box.end() - Vec3{1, 1, 1});
    const Vec3 low = {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
    const Vec3 high = {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
    return {low, high - low + Vec3{1, 1, 1}};
  }
  [[nodiscard]] sim::WorldSpec operator()(sim::WorldSpec spec) const {
    for (sim::Fill& fill : spec.fills) fill.box = (*this)(fill.box);
    for (sim::PlacedCell& cell : spec.cells) cell.at = (*this)(cell.at);
    for (std::vector<sim::Spring>* springs : {&spec.sources, &spec.drains}) {
      for (sim::Spring& spring : *springs) spring.at = (*this)(spring.at);
    }
    sim::Edges& edges = spec.config.edges;
    if ((bits & 1) != 0) std::swap(edges.left, edges.right);
    if ((bits & 2) != 0) std::swap(edges.front, edges.back);
    if ((bits & 4) != 0) {
      std::swap(edges.left, edges.front);
      std::swap(edges.right, edges.back);
      std::swap(spec.config.size.x, spec.config.size.z);
    }
    return spec;
  }
  /// Of whatever names a box or a cell.
  [[nodiscard]] Script operator()(Script script) const {
    for (auto& tick : script) {
      for (sim::Command& command : tick) {
        std::visit([this](auto& body) { reflect(body); }, command.body);
      }
    }
    return script;
  }

 private:
  template <class Body>
  void reflect(Body& body) const {
    if constexpr (requires { Box{body.from, body.size}; }) {
      const Box box = (*this)(Box{body.from, body.size});
      body.from = box.from;
      body.size = box.size;
    } else if constexpr (requires { body.to = Vec3(); }) {
      body.from = (*this)(body.from);
      body.to = (*this)(body.to);
    } else if constexpr (requires { body.at = Vec3(); }) {
      body.at = (*this)(body.at);
    }
    if constexpr (std::is_same_v<Body, sim::Splash>) {
      if ((bits & 1) != 0) body.direction = -body.direction;
    }
  }
};

}  // namespace sluice::tests
