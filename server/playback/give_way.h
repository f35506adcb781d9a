// Threads that must not be noticed by those beside them.
#pragma once

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace sluice::playback {

/// The calling thread gets little of the processor while others want it. It is not left without:
/// it shares locks with the network's thread. Where the system knows no such thing it runs as
/// others do.
inline void give_way() {
#if defined(__linux__)
  constexpr int kNiceness = 10;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
#endif
}

}  // namespace sluice::playback
