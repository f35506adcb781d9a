// The first mistake in a file, which is the one that its author is told of.
#pragma once

#include <string>
#include <utility>

#include <toml++/toml.h>

#include "protocol/base/result.h"

namespace sluice::formats {

/// Belongs to whoever reads a file. What reads its parts notes here what is wrong with them, and
/// once a mistake is made reads nothing more.
class FirstMistake {
 public:
  /// `where`: the file, as messages name it.
  explicit FirstMistake(std::string where) : where_(std::move(where)) {}

  [[nodiscard]] bool made() const { return !status_.ok(); }
  /// Done where nothing is wrong.
  [[nodiscard]] const Status& status() const { return status_; }

  [[nodiscard]] std::string place_of(const toml::source_region& region) const {
    return where_ + ":" + std::to_string(region.begin.line);
  }
  void note(const toml::source_region& region, const std::string& what) {
    note_at(place_of(region), what);
  }
  void note_at(const std::string& place, const std::string& what) {
    if (!made()) status_ = Error{place + ": " + what};
  }

 private:
  std::string where_;
  Status status_ = Done{};
};

}  // namespace sluice::formats
