// The terminal itself: raw mode and the alternate screen while a viewer runs, and back.
#pragma once

#include <string_view>

#include "protocol/base/result.h"

namespace sluice::client {

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

/// At most one at a time. The terminal is as before when it goes, and also when the process ends by
/// exit() or by an abort; signals are the owner's to catch.
class Terminal {
 public:
  /// Standard input and output must be a terminal.
  [[nodiscard]] static Status enter();
  /// Undoes enter(). Does nothing the second time.
  static void leave();

  [[nodiscard]] static TerminalSize size();
  /// All of it, or as much as a terminal that went away takes.
  static void write(std::string_view bytes);
};

}  // namespace sluice::client
