// How a program that serves is told to end: SIGTERM or SIGINT; and to read its files anew: SIGHUP.
#pragma once

#include <string_view>

#include <pthread.h>
#include <signal.h>

namespace sluice::net {

/// To be made before any thread is, so that all of them leave these signals to wait(). A client
/// that went away ends no program either: SIGPIPE is ignored.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    signal(SIGPIPE, SIG_IGN);
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// From here on SIGHUP is one of them.
  void add_hangup() {
    sigaddset(&signals_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  /// Returns when one arrived, with its name.
  [[nodiscard]] std::string_view wait() const {
    int signal = 0;
    while (sigwait(&signals_, &signal) != 0) continue;
    return signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM";
  }

 private:
  sigset_t signals_{};
};

}  // namespace sluice::net
