// The terminal's inspector: what lies under the cursor in words, with reasons, and what is pinned,
// each with a chart of the last minute. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "client_stub/known.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// What can be asked about. A pipe goes by its name: it may come and go.
struct Subject {
  enum class Kind : std::uint8_t { kCell, kColumn, kChunk, kPipe };
  Kind kind = Kind::kCell;
  Vec3 at;
  std::string name;  // of a pipe

  friend bool operator==(const Subject&, const Subject&) = default;
};

struct CellReport {
  std::string title;  // "[10, 32] water"
  std::string facts;
  std::string why;   // may be empty
  double value = 0;  // what a chart shows
  std::string unit;
};

/// Nothing: it is no longer there.
[[nodiscard]] std::optional<CellReport> report_of(const Known& known, const Subject& subject);

/// "4096 units", "rock", "ice, 800 units".
[[nodiscard]] std::string describe_cell(std::int32_t cell);

/// Heights of eight steps, or ten digits where there are only ASCII letters.
[[nodiscard]] std::string chart_of(const std::deque<double>& values, bool unicode);

class Inspector {
 public:
  static constexpr std::size_t kMostPins = 3;
  /// Samples of a chart, one a second.
  static constexpr std::size_t kSamples = 60;

  /// Off, then cells, columns and chunks under the cursor, then off again.
  void next();
  [[nodiscard]] bool on() const { return mode_.has_value(); }
  /// Whether it tells of anything: of what lies under the cursor, or is pinned.
  [[nodiscard]] bool looks() const { return on() || !pins_.empty(); }
  /// "cell", "column", "chunk" or "off".
  [[nodiscard]] const char* mode_name() const;
  /// A pipe where there is one, else what the mode asks for, or the cell.
  [[nodiscard]] Subject subject_at(const Known& known, Vec3 at) const;
  /// Keeps the subject, or lets it go; says which.
  [[nodiscard]] std::string pin(const Known& known, const Subject& subject);

  /// Takes a sample of each pin when a second has gone by.
  void sample(const Known& known);
  /// A line for each pin.
  [[nodiscard]] std::vector<std::string> pin_lines(const Known& known, bool unicode,
                                                   std::size_t columns) const;

 private:
  struct Pin {
    Subject subject;
    std::deque<double> values;
  };
  std::optional<Subject::Kind> mode_;
  std::vector<Pin> pins_;
  std::optional<Activity::Clock::time_point> sampled_;
};

/// The text in lines of at most so many characters, cut between words.
[[nodiscard]] std::vector<std::string> wrap(const std::string& text, std::size_t columns);

}  // namespace sluice::client
