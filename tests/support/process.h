// Child processes for end-to-end tests: the real programs, started, watched and killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sluice::tests {

/// A program's end, and what it wrote.
struct Finished {
  int status = -1;  // exit status; 128 plus the signal's number when killed
  std::string out;
  std::string error;
};

/// Runs a program to its end.
[[nodiscard]] Finished run_program(const std::vector<std::string>& arguments);

/// A directory of its own below the system's temporary one; removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// `sluice-server`, started; killed at the end if it still runs.
class ServerProcess {
 public:
  /// Waits for the ready line. When the server ends instead, port() is 0 and finish() says how.
  ServerProcess(const std::string& program, std::vector<std::string> arguments);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& ready_line() const { return ready_line_; }
  /// What it wrote to standard error so far.
  [[nodiscard]] std::string errors() const;
  /// What stands behind `word` in a line of that, as soon as it does; "": it never came.
  [[nodiscard]] std::string said_after(const std::string& word) const;
  void send_signal(int signal) const;
  /// Waits for the end.
  Finished finish();

 private:
  pid_t process_ = -1;
  int out_ = -1;  // the read end of its standard output
  std::string error_path_;
  TemporaryDirectory directory_;
  std::string ready_line_;
  std::uint16_t port_ = 0;
};

}  // namespace sluice::tests
