#include "client_stub/terminal.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace sluice::client {

namespace {

// Alternate screen, no cursor, no wrapping; mouse buttons, motion and wheel in the SGR form.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J\x1b[?1002h\x1b[?1006h";
constexpr std::string_view kLeave = "\x1b[?1006l\x1b[?1002l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

termios original;
std::atomic<bool> entered = false;

// Only calls that a signal handler may make.
void restore() {
  if (!entered.exchange(false)) return;
  Terminal::write(kLeave);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &original);
}

void restore_and_die(int signal_number) {
  restore();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

}  // namespace

Status Terminal::enter() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return Error{"standard input and output are not a terminal; use --headless"};
  }
  if (tcgetattr(STDIN_FILENO, &original) != 0) {
    return Error{"the terminal does not tell its modes; use --headless"};
  }
  entered = true;
  std::atexit(restore);
  for (const int fatal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(fatal, restore_and_die);
  }
  termios raw = original;
  cfmakeraw(&raw);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  write(kEnter);
  return Done{};
}

void Terminal::leave() {
  restore();
}

TerminalSize Terminal::size() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void Terminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready = {STDOUT_FILENO, POLLOUT, 0};
      poll(&ready, 1, 1000);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace sluice::client
