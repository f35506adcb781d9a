// What `sluice sim` and `sluice replay` print of a world: the same flags, the same forms.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "protocol/base/result.h"
#include "server/sim/world.h"
#include "server/tools/picture.h"

namespace CLI {
class App;
}

namespace sluice::tools {

/// The output flags of `sluice sim`.
struct OutputFlags {
  bool map = false;
  std::string dump;     // a file, "-" for standard output, empty for none
  bool heads = false;   // with it: a column of heads
  std::string digests;  // likewise
  bool json = false;
  std::string png;                     // a file; empty for none
  std::string png_view;                // "x,y,z,w,h,d"; empty for the whole world
  std::optional<std::int32_t> scale;   // pixels a cell
  std::optional<std::uint64_t> every;  // ticks from one picture to the next; none: the last alone

  void declare(CLI::App& app);
  /// Whether any was given.
  [[nodiscard]] bool any() const {
    return map || json || !dump.empty() || !digests.empty() || !png.empty();
  }
  /// How --png draws; an error where its flags are wrong.
  [[nodiscard]] Result<PictureView> picture() const;
};

/// Counts over the ticks that were run.
struct RunFacts {
  sim::TickReport last;
  std::optional<std::uint64_t> rest_tick;  // since when nothing has been active
  std::int64_t cell_updates = 0;
  double seconds = 0;  // wall time spent in ticks

  void add(const sim::TickReport& report, double tick_seconds);
};

/// The `--digests` file: a line "tick digest" for each tick. Does nothing without the flag.
class DigestFile {
 public:
  [[nodiscard]] Status open(const std::string& path);
  void add(std::uint64_t tick, sim::Digest digest);
  [[nodiscard]] Status close();

 private:
  std::string path_;
  std::ofstream file_;
  bool to_standard_output_ = false;
};

/// Sixteen lower-case hexadecimal digits.
[[nodiscard]] std::string hex(sim::Digest digest);

/// What is wrong with the flags for this world: asked before a long run, not after it.
[[nodiscard]] Status check(const OutputFlags& flags, const sim::World& world);

/// Prints the map, the dump and the JSON line that the flags ask for.
[[nodiscard]] Status print_results(const OutputFlags& flags, const sim::World& world,
                                   const RunFacts& facts);

}  // namespace sluice::tools
