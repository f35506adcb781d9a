// What happened in a run: a hash of all of it, by which two runs are compared; the last of it as
// text, for whoever reads a failure; how often each thing happened; and the first thing that went
// wrong.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/sim/digest.h"
#include "tests/hunt/event_log.h"
#include "tests/hunt/timeline.h"

namespace sluice::hunt {

class Journal {
 public:
  /// Events of which the text is kept.
  static inline std::size_t kept = 60;
  /// Where each event's text goes, too; null: nowhere.
  static inline EventLog* outlasting = nullptr;

  explicit Journal(const Timeline& timeline) : timeline_(timeline) {}

  void add(const char* what, std::uint64_t a = 0, std::uint64_t b = 0) {
    const auto at = static_cast<std::uint64_t>(timeline_.now().time_since_epoch().count());
    mix(std::hash<std::string_view>{}(what));
    mix(at);
    mix(a);
    mix(b);
    ++counts_[what];
    last_.push_back({at, what, a, b});
    if (outlasting != nullptr) outlasting->add(text_of(last_.back()));
    if (last_.size() > kept) last_.pop_front();
  }
  /// An event of the timeline, by its name: of these only the hash tells.
  void pass(const char* event) {
    mix(std::hash<std::string_view>{}(event));
    mix(static_cast<std::uint64_t>(timeline_.now().time_since_epoch().count()));
  }
  /// Bytes that the run came to.
  void pass(std::string_view name, std::string_view content) {
    mix(std::hash<std::string_view>{}(name));
    mix(std::hash<std::string_view>{}(content));
  }
  /// What coverage shows, and no event.
  void count(const char* what) { ++counts_[what]; }
  /// Only the first one counts.
  void fail(std::string_view oracle, const std::string& what) {
    if (failure_) return;
    failure_ = std::string(oracle) + ": " + what;
    add("FAILED");
  }
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  /// How often each thing happened.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& counts() const { return counts_; }

  [[nodiscard]] std::string text() const {
    std::string lines;
    for (const Line& line : last_) lines += text_of(line);
    return lines;
  }

 private:
  struct Line {
    std::uint64_t at;
    const char* what;
    std::uint64_t a;
    std::uint64_t b;
  };

  [[nodiscard]] static std::string text_of(const Line& line) {
    std::string text = "  " + std::to_string(line.at / 1'000'000) + " ms  " + line.what;
    if (line.a != 0 || line.b != 0) text += " " + std::to_string(line.a);
    if (line.b != 0) text += " " + std::to_string(line.b);
    return text + "\n";
  }

  void mix(std::uint64_t value) { hash_ = sim::mix64(hash_ ^ value); }

  const Timeline& timeline_;
  std::uint64_t hash_ = 0;
  std::deque<Line> last_;
  std::optional<std::string> failure_;
  std::map<std::string_view, std::uint64_t> counts_;
};

}  // namespace sluice::hunt
