// Reads a TOML table key by key, and at the end names every key that nobody asked for.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "protocol/base/geometry.h"
#include "protocol/base/suggestion.h"
#include "server/formats/first_mistake.h"

namespace sluice::formats {

/// One table of a file. After a mistake, in this table or another one, every read returns nothing.
class TomlTable {
 public:
  /// `path` is the table's key path in messages ("world.edges", "fill[2]").
  TomlTable(const toml::table& table, std::string path, FirstMistake& mistake)
      : table_(table), path_(std::move(path)), mistake_(mistake) {}

  [[nodiscard]] bool failed() const { return mistake_.made(); }

  std::optional<std::string> text(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<std::string>()) return *value;
    return fail(key, node, "must be a text");
  }
  /// An unsigned 64-bit number; TOML's integers are signed, so larger ones may stand in quotes.
  std::optional<std::uint64_t> unsigned_number(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    const auto number = node->value_exact<std::int64_t>();
    if (number && *number >= 0) return static_cast<std::uint64_t>(*number);
    if (const auto quoted = node->value_exact<std::string>()) {
      std::uint64_t value = 0;
      const char* end = quoted->data() + quoted->size();
      const auto [stop, error] = std::from_chars(quoted->data(), end, value);
      if (error == std::errc() && stop == end && !quoted->empty()) return value;
    }
    return fail(key, node, "must be a number from 0 to 18446744073709551615");
  }
  /// A signed 64-bit number.
  std::optional<std::int64_t> long_number(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<std::int64_t>()) return *value;
    return fail(key, node, "must be a whole number");
  }
  std::optional<std::int32_t> number(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    return to_int(key, *node);
  }
  /// A table of names and numbers; empty where the key is not there.
  std::map<std::string, std::int32_t> numbers(const char* key) {
    std::map<std::string, std::int32_t> found;
    const toml::node* node = take(key);
    if (node == nullptr) return found;
    if (!node->is_table()) {
      fail(key, node, "must be a table of names and whole numbers");
      return found;
    }
    for (const auto& [name, value] : *node->as_table()) {
      if (const auto number = to_int(key, value)) found[std::string(name.str())] = *number;
    }
    return found;
  }
  std::optional<bool> boolean(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<bool>()) return *value;
    return fail(key, node, "must be true or false");
  }
  std::optional<Vec3> vec3(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() != 3) {
      return fail(key, node, "must be three whole numbers, [x, y, z]");
    }
    const auto x = to_int(key, (*array)[0]);
    const auto y = to_int(key, (*array)[1]);
    const auto z = to_int(key, (*array)[2]);
    if (!x || !y || !z) return std::nullopt;
    return Vec3{*x, *y, *z};
  }
  /// One of the names, as its index.
  std::optional<std::size_t> choice(const char* key, const std::vector<std::string>& names) {
    const std::optional<std::string> value = text(key);
    if (!value) return std::nullopt;
    std::string allowed;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (*value == names[i]) return i;
      allowed += (i == 0 ? "" : ", ") + names[i];
    }
    return fail(key, table_.get(key), "is '" + *value + "'; allowed: " + allowed);
  }
  const toml::table* table(const char* key) {
    const toml::node* node = take(key);
    if (node == nullptr) return nullptr;
    if (node->is_table()) return node->as_table();
    fail(key, node, "must be a table: [" + full(key) + "]");
    return nullptr;
  }
  /// The tables of an array of tables; empty where the key is not there.
  std::vector<const toml::table*> tables(const char* key) {
    std::vector<const toml::table*> found;
    const toml::node* node = take(key);
    if (node == nullptr) return found;
    const toml::array* array = node->as_array();
    if (array == nullptr) {
      fail(key, node, "must be an array of tables: [[" + full(key) + "]]");
      return found;
    }
    for (const toml::node& element : *array) {
      if (!element.is_table()) {
        fail(key, &element, "must be an array of tables: [[" + full(key) + "]]");
        return {};
      }
      found.push_back(element.as_table());
    }
    return found;
  }

  /// The line of a key, or of the table where the key is missing.
  [[nodiscard]] std::string place(const char* key) const {
    const toml::node* node = table_.get(key);
    return mistake_.place_of(node != nullptr ? node->source() : table_.source());
  }
  std::nullopt_t fail(const char* key, const std::string& what) {
    return fail(key, table_.get(key), what);
  }
  template <class T>
  T require(const char* key, std::optional<T> value) {
    if (!value && !failed()) fail(key, "is missing");
    return value.value_or(T{});
  }
  /// To call last: a key that was not asked for is a mistake.
  void finish() {
    if (failed()) return;
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (known_.contains(name)) continue;
      std::string allowed;
      for (const std::string& one : known_) allowed += (allowed.empty() ? "" : ", ") + one;
      return mistake_.note(node.source(), "unknown key '" + full(name) +
                                              "'; allowed here: " + allowed +
                                              did_you_mean(name, {known_.begin(), known_.end()}));
    }
  }

 private:
  const toml::node* take(const char* key) {
    known_.insert(key);
    return failed() ? nullptr : table_.get(key);
  }
  std::optional<std::int32_t> to_int(const char* key, const toml::node& node) {
    const auto number = node.value_exact<std::int64_t>();
    using Limits = std::numeric_limits<std::int32_t>;
    if (number && *number >= Limits::min() && *number <= Limits::max()) {
      return static_cast<std::int32_t>(*number);
    }
    if (!number) return fail(key, &node, "must hold whole numbers");
    return fail(key, &node,
                "holds " + std::to_string(*number) + ", but at " +
                    (*number < 0 ? "least" : "most") + " " +
                    std::to_string(*number < 0 ? Limits::min() : Limits::max()));
  }
  [[nodiscard]] std::string full(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }
  std::nullopt_t fail(const char* key, const toml::node* node, const std::string& what) {
    mistake_.note(node != nullptr ? node->source() : table_.source(),
                  "key '" + full(key) + "' " + what);
    return std::nullopt;
  }

  const toml::table& table_;
  std::string path_;
  FirstMistake& mistake_;
  std::set<std::string> known_;
};

}  // namespace sluice::formats
