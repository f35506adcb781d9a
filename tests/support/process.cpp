#include "tests/support/process.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/wait_until.h"

namespace sluice::tests {

namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Starts a program whose standard output and error are these descriptors.
pid_t spawn(const std::vector<std::string>& arguments, int out, int error) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process == 0) {
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return process;
}

int open_for_write(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot write " + path);
  return file;
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name)) << text;
  return file(name);
}

Finished run_program(const std::vector<std::string>& arguments) {
  const TemporaryDirectory directory;
  const int out = open_for_write(directory.file("out"));
  const int error = open_for_write(directory.file("error"));
  const pid_t process = spawn(arguments, out, error);
  close(out);
  close(error);
  Finished finished;
  finished.status = wait_for(process);
  finished.out = slurp(directory.file("out"));
  finished.error = slurp(directory.file("error"));
  return finished;
}

ServerProcess::ServerProcess(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  // A world that takes long for a tick refuses what sets more in motion: not on a machine with much
  // to do.
  if (program.ends_with("sluice-server")) {
    arguments.insert(arguments.end(), {"--tick-budget", "1000"});
  }
  error_path_ = directory_.file("error");
  const int error = open_for_write(error_path_);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  process_ = spawn(arguments, ends[1], error);
  close(ends[1]);
  close(error);
  out_ = ends[0];
  char byte = 0;
  while (read(out_, &byte, 1) == 1 && byte != '\n') ready_line_ += byte;
  const std::size_t colon = ready_line_.rfind(':');
  if (ready_line_.starts_with("listening on http") && colon != std::string::npos) {
    port_ = static_cast<std::uint16_t>(std::stoi(ready_line_.substr(colon + 1)));
  }
}

ServerProcess::~ServerProcess() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    wait_for(process_);
  }
  if (out_ >= 0) close(out_);
}

std::string ServerProcess::errors() const {
  return slurp(error_path_);
}

std::string ServerProcess::said_after(const std::string& word) const {
  std::string found;
  (void)wait_until([&] {
    const std::string text = ready_line_ + "\n" + errors();
    const std::size_t at = text.find(word);
    if (at == std::string::npos) return false;
    const std::size_t begin = at + word.size();
    found = text.substr(begin, text.find('\n', begin) - begin);
    return true;
  });
  return found;
}

void ServerProcess::send_signal(int signal) const {
  kill(process_, signal);
}

Finished ServerProcess::finish() {
  Finished finished;
  char piece[1024];
  for (ssize_t count = 0; (count = read(out_, piece, sizeof(piece))) > 0;) {
    finished.out.append(piece, static_cast<std::size_t>(count));
  }
  finished.status = wait_for(std::exchange(process_, -1));
  finished.error = slurp(error_path_);
  return finished;
}

}  // namespace sluice::tests
