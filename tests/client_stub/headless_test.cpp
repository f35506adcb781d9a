// Goal: `sluice-view --headless` does what it says, against the real server, and its exit status
// and messages tell what went wrong.
// Method: programs as users run them; one server on a free port for all cases.
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice::client::headless_test {
namespace {

struct Outcome {
  int status = -1;
  std::string output;  // both streams
};

Outcome run(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t size = 0; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

class Headless : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-view-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("tank.toml",
          "[world]\nname = \"tank\"\nsize = [8, 6, 1]\nwater = \"cellular\"\ntick_rate = 50\n"
          "[[fill]]\nfrom = [0, 0, 0]\nsize = [8, 1, 1]\ncell = \"#\"\n");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    server_ = fork();
    if (server_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      const std::string world = folder_ + "/tank.toml";
      const std::string data = folder_ + "/data";
      execl(SLUICE_SERVER, SLUICE_SERVER, "--world", world.c_str(), "--listen", "127.0.0.1:0",
            "--data", data.c_str(), "--tick-budget", "1000", nullptr);
      _exit(127);
    }
    close(ends[1]);
    std::string line;
    char byte = 0;
    while (read(ends[0], &byte, 1) == 1 && byte != '\n') line += byte;
    close(ends[0]);
    const std::string expected = "listening on http://";
    ASSERT_TRUE(line.starts_with(expected)) << line;
    url_ = "ws://" + line.substr(expected.size()) + "/worlds/tank";
  }

  static void TearDownTestSuite() {
    kill(server_, SIGTERM);
    waitpid(server_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }

  static std::string write(const std::string& name, const std::string& content) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << content;
    return path;
  }

  static Outcome view(const std::string& arguments) {
    return run(std::string(SLUICE_VIEW) + " " + url_ + " --headless " + arguments);
  }

  static void expect_says(const Outcome& outcome, const std::string& part) {
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  }

  static inline std::string folder_;
  static inline std::string url_;
  static inline pid_t server_ = 0;
};

TEST_F(Headless, SendsAScriptAndPrintsTheView) {
  const std::string script = write("wall.jsonl",
                                   "{\"cmd\": \"set_cells\", \"from\": [1,1,0], \"size\": [1,3,1], "
                                   "\"cell\": \"#\"}\n\n"
                                   "{\"tick\": 7, \"cmd\": \"pour\", \"at\": [0,1,0], \"units\": "
                                   "4096}\n");
  const Outcome outcome = view("--script " + script + " --view 0,0,0,3,4,1 --map --json");
  EXPECT_EQ(outcome.status, 0);
  expect_says(outcome, ".#.\n.#.\n~#.\n###\n{\"world\":\"tank\"");
  expect_says(outcome, "\"commands_applied\":2,\"commands_refused\":0");
  expect_says(outcome, "\"digest_mismatches\":0");
}

TEST_F(Headless, StaysForTheTicks) {
  const Outcome outcome = view("--for 20 --json");
  EXPECT_EQ(outcome.status, 0);
  const auto number = [&outcome](const std::string& key) {
    return std::stol(
        outcome.output.substr(outcome.output.find("\"" + key + "\":") + key.size() + 3));
  };
  EXPECT_GE(number("frames"), 20);
  EXPECT_GE(number("tick"), 20);
  EXPECT_GT(number("bytes"), 0);
}

TEST_F(Headless, ReportsRefusedCommandsWithTheirLine) {
  const std::string script = write("odd.jsonl",
                                   "{\"cmd\": \"pour\", \"at\": [5,5,0], \"units\": 10}\n"
                                   "{\"cmd\": \"pour\", \"at\": [50,5,0], \"units\": 10}\n"
                                   "{\"cmd\": \"drink\"}\n");
  const Outcome outcome = view("--script " + script + " --json");
  EXPECT_EQ(outcome.status, 0);
  expect_says(outcome, "odd.jsonl:2: refused: ");
  expect_says(outcome, "odd.jsonl:3: refused: ");
  expect_says(outcome, "\"commands_applied\":1,\"commands_refused\":2");
}

TEST_F(Headless, RefusesBrokenScriptsBeforeSendingAnything) {
  const std::string script = write("broken.jsonl", "{\"cmd\": \"pour\"}\nnot json\n");
  const Outcome outcome = view("--script " + script);
  EXPECT_EQ(outcome.status, 2);
  expect_says(outcome, "broken.jsonl:2: is not JSON");
  EXPECT_EQ(view("--script " + folder_ + "/missing.jsonl").status, 2);
}

TEST_F(Headless, WrongUsageIsStatusTwo) {
  EXPECT_EQ(view("--view 1,2,3").status, 2);
  EXPECT_EQ(view("--view 0,0,0,0,1,1").status, 2);
  EXPECT_EQ(view("--unknown").status, 2);
  EXPECT_EQ(run(std::string(SLUICE_VIEW) + " " + url_ + " --map").status, 2) << "not headless";
  EXPECT_EQ(run(std::string(SLUICE_VIEW) + " http://x/worlds/a --headless").status, 2);
}

TEST_F(Headless, SaysWhichFlagWasMeant) {
  const Outcome outcome = run(std::string(SLUICE_VIEW) + " " + url_ + " --hedless");
  EXPECT_EQ(outcome.status, 2);
  expect_says(outcome, "there is no flag '--hedless'; did you mean '--headless'?");
}

TEST_F(Headless, NoSuchWorldOrServer) {
  const Outcome outcome = run(std::string(SLUICE_VIEW) + " " + url_ + "x --headless");
  expect_says(outcome, "no such world; did you mean 'tank'?");
  EXPECT_EQ(outcome.status, 2);
  expect_says(outcome, "404");
  expect_says(run(std::string(SLUICE_VIEW) + " ws://127.0.0.1:1/worlds/a --headless"),
              "cannot connect to 127.0.0.1:1: Connection refused");
}

TEST_F(Headless, TheViewerWantsATerminal) {
  const Outcome outcome = run(std::string(SLUICE_VIEW) + " " + url_ + " < /dev/null");
  EXPECT_EQ(outcome.status, 2);
  expect_says(outcome, "not a terminal; use --headless");
}

}  // namespace
}  // namespace sluice::client::headless_test
