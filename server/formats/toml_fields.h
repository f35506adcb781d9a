// Reads the fields that a struct declares (visit_state) from a TOML table, so that a table of a
// world file has the keys of the command that does the same.
#pragma once

#include <string>
#include <vector>

#include "server/formats/toml_table.h"

namespace sluice::formats {

class TomlFields {
 public:
  explicit TomlFields(TomlTable& table) : table_(table) {}

  template <class T>
  void field(const char* name, T& value) {
    value = table_.require(name, read(name, value));
  }
  template <class T>
  void optional(const char* name, T& value) {
    if (auto read_value = read(name, value)) value = std::move(*read_value);
  }
  template <class T, class Names>
  void choice(const char* name, T& value, const Names& names) {
    const std::vector<std::string> texts(names.begin(), names.end());
    value = static_cast<T>(table_.require(name, table_.choice(name, texts)));
  }

 private:
  std::optional<std::string> read(const char* name, const std::string&) {
    return table_.text(name);
  }
  std::optional<std::int32_t> read(const char* name, std::int32_t) { return table_.number(name); }
  std::optional<bool> read(const char* name, bool) { return table_.boolean(name); }
  std::optional<Vec3> read(const char* name, Vec3) { return table_.vec3(name); }

  TomlTable& table_;
};

}  // namespace sluice::formats
