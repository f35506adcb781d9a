// `sluice-view --headless`: a client without eyes, for scripts and tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client_stub/address.h"
#include "protocol/chunk.h"

namespace sluice::client {

inline constexpr int kExitWell = 0;
inline constexpr int kExitFound = 1;       // a digest differed, or the server hung up
inline constexpr int kExitWrongInput = 2;  // also: no such server or world

struct HeadlessOptions {
  Address address;
  std::string client_name = "sluice-view";
  std::optional<std::uint64_t> for_ticks;  // after the first message
  std::string script;                      // a file, "-" for standard input, empty for none
  std::optional<Box> view;                 // default: the whole world
  bool map = false;
  bool json = false;
  /// How long to try to connect again where a connection is lost; 0: not at all.
  std::int64_t reconnect_seconds = 0;
};

/// Runs until the ticks have passed and the script's last command is answered; without either,
/// until the view has been shown once. Commands are sent in order, a few ahead of their answers;
/// refused ones are reported on standard error with their line. Over lost connections each is still
/// applied once, or said to be in doubt. Returns the exit status.
[[nodiscard]] int run_headless(const HeadlessOptions& options);

}  // namespace sluice::client
