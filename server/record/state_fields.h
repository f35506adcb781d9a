// The declared fields of a state as text, one row a value, found by way of visit_state: whatever a
// later version declares is compared and shown without a word here.
//
// A map's entry is a place of its own ("drain at [3, 1, 0]", "pipe 'a'"); all else belongs to the
// place that it stands in, nested fields joined by dots.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/digest.h"
#include "server/sim/pipes/image.h"
#include "server/sim/pipes/network.h"

namespace sluice::record {

/// The name of the row that says that a map has an entry.
inline constexpr const char* kThere = "there";

struct StateField {
  std::string layer;  // of the digest tree
  std::string place;  // empty outside maps
  std::string field;
  std::string value;
};

/// A visitor for visit_state of the outermost struct.
class StateFieldLister {
 public:
  /// `layered`: the outermost names are those of layers, and not a part of the fields' names.
  StateFieldLister(std::vector<StateField>& out, bool layered) : out_(out), layered_(layered) {}

  template <class Value>
  void field(std::string_view name, const Value& value) {
    if (depth_ == 0) layer_ = layer_of(name);
    list(name, value);
  }
  void cell(std::string_view name, std::int32_t value) { field(name, value); }
  template <class Value>
  void optional(std::string_view name, const Value& value) {
    field(name, value);
  }
  template <class Value, class Names>
  void choice(std::string_view name, const Value& value, const Names& names) {
    // A state that went wrong may hold any number.
    const auto number = static_cast<std::size_t>(value);
    put(name, number < std::size(names) ? std::string(names[number]) : std::to_string(number));
  }

  /// Lists the fields of `value`, a part of a pipe network, under a place of its own. The place
  /// names the nodes that it belongs to. So its fields `from`, `to` and `node` are left out: they
  /// hold the same nodes as numbers, which shift with every node that comes or goes.
  template <class Value>
  void at_place(std::string_view layer, std::string place, const Value& value) {
    layer_ = layer;
    place_ = std::move(place);
    put(kThere, "yes");
    ends_in_place_ = true;
    nest("", [&] { Value::visit_state(value, *this); });
    ends_in_place_ = false;
  }

 private:
  /// The digest's layers are named after what they hold, but for these.
  static std::string layer_of(std::string_view name) {
    if (name == "tick") return "clock";
    if (name == "sources" || name == "drains") return "springs";
    return std::string(name);
  }

  void put(std::string_view name, std::string value) {
    if (ends_in_place_ && (name == "from" || name == "to" || name == "node")) return;
    out_.push_back({layer_, place_, prefix_ + std::string(name), std::move(value)});
  }

  template <class Value>
  void list(std::string_view name, const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      put(name, std::to_string(static_cast<std::int64_t>(value)));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      put(name, std::to_string(value));
    } else if constexpr (std::is_convertible_v<Value, std::string>) {
      put(name, value);
    } else {
      nest(depth_ == 0 && layered_ ? "" : prefix_ + std::string(name) + ".",
           [&] { Value::visit_state(value, *this); });
    }
  }

  template <class Key, class Value>
  void list(std::string_view name, const std::map<Key, Value>& map) {
    const std::string kind(name.ends_with('s') ? name.substr(0, name.size() - 1) : name);
    const std::string outer_place = place_;
    const std::string outer_prefix = std::exchange(prefix_, "");
    for (const auto& entry : map) {
      const Value& value = entry.second;  // clang 14 captures no structured bindings
      place_ = outer_place.empty() ? "" : outer_place + ", ";
      place_ += kind + ' ' + text_of(entry.first);
      put(kThere, "yes");
      if constexpr (requires { Value::visit_state(value, *this); }) {
        nest("", [&] { Value::visit_state(value, *this); });
      } else {
        list("value", value);
      }
    }
    place_ = outer_place;
    prefix_ = outer_prefix;
  }

  template <class Body>
  void nest(std::string prefix, Body body) {
    const std::string outer = std::exchange(prefix_, std::move(prefix));
    ++depth_;
    body();
    --depth_;
    prefix_ = outer;
  }

  template <class Key>
  static std::string text_of(const Key& key) {
    if constexpr (std::is_same_v<Key, Vec3>) {
      return "at " + to_string(key);
    } else if constexpr (std::is_convertible_v<Key, std::string>) {
      return "'" + std::string(key) + "'";
    } else if constexpr (std::is_arithmetic_v<Key>) {
      return std::to_string(key);
    } else {
      std::vector<StateField> parts;
      StateFieldLister lister(parts, false);
      Key::visit_state(key, lister);
      std::string text = "(";
      for (const StateField& part : parts) {
        text += (text.size() > 1 ? ", " : "") + part.field + " " + part.value;
      }
      return text + ")";
    }
  }

  std::vector<StateField>& out_;
  bool layered_;
  std::string layer_;
  std::string place_;
  std::string prefix_;
  int depth_ = 0;
  bool ends_in_place_ = false;
};

/// Of a world's state (`layered`), or of any struct that declares its fields.
template <class State>
std::vector<StateField> state_fields(const State& state, bool layered) {
  std::vector<StateField> fields;
  StateFieldLister lister(fields, layered);
  State::visit_state(state, lister);
  return fields;
}

/// Of a pipe network: a place for each node, link and port, by the nodes' names.
[[nodiscard]] inline std::vector<StateField> pipe_fields(const sim::PipesImage& pipes) {
  std::vector<StateField> fields;
  StateFieldLister lister(fields, true);
  const std::string_view layer = sim::layer_name(sim::Layer::kPipes);
  const auto name = [&pipes](std::uint32_t node) {
    return "'" + pipes.nodes[node].fields.name + "'";
  };
  for (const sim::PipesImage::Node& node : pipes.nodes) {
    lister.at_place(layer, std::string(name_of(node.kind)) + " '" + node.fields.name + "'", node);
  }
  for (const sim::PipesImage::Link& link : pipes.links) {
    lister.at_place(layer, "link " + name(link.from) + " to " + name(link.to), link);
  }
  for (const sim::PipesImage::Port& port : pipes.ports) {
    lister.at_place(layer, "port of " + name(port.node) + " at " + to_string(port.cell), port);
  }
  return fields;
}

}  // namespace sluice::record
