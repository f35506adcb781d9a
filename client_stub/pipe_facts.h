// Why pipes and ports do what they do, in words, as server/sim/pipes/pipes.md has the rules: a port
// goes by the heads at its two ends, a pipe gets only what stands higher, a pump draws over the
// links that end in it. As client_stub/web/src/pipe_facts.ts has it.
#pragma once

#include <string>

#include "client_stub/known.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// One sentence; empty: there is nothing to explain.
[[nodiscard]] std::string why_node(const Known& known, const protocol::PipeNodeView& view);
[[nodiscard]] std::string why_port(const Known& known, const protocol::PipeNodeView& owner,
                                   const protocol::PipePort& port, std::int32_t value);

}  // namespace sluice::client
