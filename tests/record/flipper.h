// A fault in one bit of a declared value, found by way of visit_state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/sim/models/state.h"

namespace sluice::record::test {

/// Visits every declared value, and flips a bit of the one of the given number.
class Flipper {
 public:
  Flipper(std::size_t wanted, int bit) : wanted_(wanted), bit_(bit) {}

  template <class Value>
  void field(const char* name, Value& value) {
    visit(name, value);
  }
  void cell(const char* name, std::int32_t& value) { field(name, value); }
  template <class Value>
  void optional(const char* name, Value& value) {
    field(name, value);
  }
  template <class Value, class Names>
  void choice(const char* name, Value& value, const Names& /*names*/) {
    field(name, value);
  }

  /// How many values there are.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Bits of the wanted value; 0 where there is no such value.
  [[nodiscard]] int bits() const { return bits_; }
  /// Maps that hold nothing, by the names of their fields.
  [[nodiscard]] const std::set<std::string>& empty_maps() const { return empty_maps_; }

 private:
  template <class Value>
  void visit(const char* /*name*/, Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      auto number = static_cast<std::underlying_type_t<Value>>(value);
      scalar(number);
      value = static_cast<Value>(number);
    } else if constexpr (std::is_same_v<Value, bool>) {
      auto number = static_cast<std::uint8_t>(value);
      scalar(number, 1);
      value = number != 0;
    } else if constexpr (std::is_integral_v<Value>) {
      scalar(value);
    } else {
      Value::visit_state(value, *this);
    }
  }
  // The state of a water model has a test of its own, which knows its type.
  void visit(const char* /*name*/, sim::KeptState& /*state*/) {}
  void visit(const char* /*name*/, std::string& text) {
    for (char& character : text) scalar(character);
  }
  template <class Key, class Value>
  void visit(const char* name, std::map<Key, Value>& map) {
    if (map.empty()) empty_maps_.insert(name);
    std::map<Key, Value> flipped;
    for (auto& [key, value] : map) {
      Key other = key;
      visit(name, other);
      visit(name, value);
      flipped.emplace(std::move(other), std::move(value));
    }
    map = std::move(flipped);
  }

  template <class Value>
  void visit(const char* name, std::vector<Value>& values) {
    if (values.empty()) empty_maps_.insert(name);
    for (Value& value : values) visit(name, value);
  }

  template <class Number>
  void scalar(Number& number, int bits = 8 * sizeof(Number)) {
    if (count_++ != wanted_) return;
    bits_ = bits;
    if (bit_ >= bits) return;
    using Bits = std::make_unsigned_t<Number>;
    number = static_cast<Number>(static_cast<Bits>(number) ^
                                 static_cast<Bits>(std::uint64_t{1} << bit_));
  }

  std::size_t wanted_;
  int bit_;
  std::size_t count_ = 0;
  int bits_ = 0;
  std::set<std::string> empty_maps_;
};

}  // namespace sluice::record::test
