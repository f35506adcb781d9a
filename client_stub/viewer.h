// The terminal viewer: a picture of a slice, a status line, and a cursor that changes the world.
#pragma once

#include <string>

#include "client_stub/address.h"
#include "client_stub/terminal_style.h"

namespace sluice::client {

struct ViewerOptions {
  Address address;
  std::string client_name = "sluice-view";
  std::string person_name = "guest";  // to the others who are here
  TerminalStyle style = {};           // what the environment says of the terminal
};

/// Runs until the user quits, or a signal ends it; the terminal is then as before. Returns the exit
/// status: 2 when the terminal cannot show a picture or the first connection fails. A connection
/// that is lost later is tried again.
[[nodiscard]] int run_viewer(ViewerOptions options);

}  // namespace sluice::client
