#include "server/tools/serve_replay.h"

#include <cstdio>
#include <iostream>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "server/net/address.h"
#include "server/net/end_signals.h"
#include "server/replay/serve.h"
#include "server/tools/commands.h"

namespace sluice::tools {

int serve_replay(const ServeReplayOptions& options) {
  const auto listen = net::parse_listen_address(options.listen, "--serve");
  if (!listen.ok()) return fail(listen.error());
  const net::EndSignals signals;
  spdlog::set_default_logger(spdlog::stderr_color_mt("sluice"));
  spdlog::set_level(spdlog::level::warn);
  const auto server = replay::ReplayServer::start(
      {options.files, listen->address, listen->port, options.to, options.threads});
  if (!server.ok()) return fail(server.error());
  if (const std::string& note = (*server)->note(); !note.empty()) {
    std::cerr << "sluice: " << note << '\n';
  }
  std::printf("listening on http://%s\n", (*server)->address().c_str());
  std::fflush(stdout);
  (void)signals.wait();
  (*server)->stop();
  return kExitWell;
}

}  // namespace sluice::tools
