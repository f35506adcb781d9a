// Goal: worlds come and go while others run, survive a restart as admins left them, and whatever
// fails leaves what was there. Method: real worlds and recordings in a folder, without a network;
// a file size limit plays the full disk.
#include "server/host/hosted_worlds.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "server/formats/world_file.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "server/record/verify.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::host::hosted_worlds_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string world_file(const std::string& name, const std::string& more = "") {
  return "[world]\nname = \"" + name + "\"\nsize = [64, 64, 1]\ntick_rate = 200\n" + more;
}

/// No file may grow beyond so many bytes.
class FullDisk {
 public:
  explicit FullDisk(rlim_t most) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{most, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

class HostedWorldsTest : public ::testing::Test {
 protected:
  void SetUp() override { start(); }
  /// As a server that is started with these world files.
  void start(const std::vector<std::string>& configured = {}) {
    worlds_.reset();
    HostedWorlds::Options options;
    options.data_directory = folder_.file("");
    options.bounds = bounds_;
    options.verify = false;
    options.areas = areas_;
    options.fresh = fresh_;
    options.now = [this] { return now_; };
    worlds_ = std::make_unique<HostedWorlds>(std::move(options), executor_, metrics_);
    const Status read = worlds_->read_file();
    ASSERT_TRUE(read.ok()) << read.error();
    for (const std::string& file : configured) ASSERT_TRUE(worlds_->add_configured(file).ok());
    worlds_->add_made();
    worlds_->start();
  }
  void restart(const std::vector<std::string>& configured = {}) {
    EXPECT_TRUE(worlds_->stop());
    metrics_worlds_gone();
    start(configured);
  }
  void metrics_worlds_gone() {
    std::vector<std::string> names;
    worlds_->for_each([&names](const Hosted& world) { names.push_back(world.name); });
    worlds_.reset();
    for (const std::string& name : names) metrics_.remove_world(name);
  }
  [[nodiscard]] std::string names() const {
    std::string text;
    worlds_->for_each([&text](const Hosted& world) { text += world.name + " "; });
    for (const NotHosted& world : worlds_->not_hosted()) {
      text += (world.why.empty() ? "(" : "!(") + world.name + ") ";
    }
    return text;
  }
  [[nodiscard]] bool there(const std::string& name) const { return fs::exists(folder_.file(name)); }
  std::uint64_t run_to(const std::string& name, std::uint64_t tick) {
    WorldRunner& runner = *worlds_->runner(name);
    EXPECT_TRUE(tests::wait_until([&] { return runner.feed().tick() >= tick; }));
    return runner.feed().tick();
  }
  void expect_verified(const std::string& name, std::uint64_t last_tick) {
    auto reader = record::Reader::open(folder_.file(name));
    ASSERT_TRUE(reader.ok()) << reader.error();
    EXPECT_EQ((*reader)->last_tick(), last_tick);
    const auto verified = record::verify(**reader, {}, executor_);
    ASSERT_TRUE(verified.ok()) << verified.error();
    EXPECT_FALSE(verified->divergence);
  }
  std::string create(const std::string& text) {
    const auto made = worlds_->create(text);
    return made.ok() ? "" : made.error();
  }
  [[nodiscard]] std::string worlds_text() const {
    std::ifstream file(folder_.file("worlds.toml"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  tests::TemporaryDirectory folder_;
  WorldBounds bounds_;
  std::map<std::string, std::vector<Area>, std::less<>> areas_;
  std::int64_t now_ = 0;
  bool fresh_ = false;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<HostedWorlds> worlds_;
};

TEST_F(HostedWorldsTest, WorldsThatAdminsMadeSurviveARestartAsTheyWereLeft) {
  ASSERT_EQ(create(world_file("lake")), "");
  ASSERT_EQ(create(world_file("pond")), "");
  ASSERT_EQ(create(world_file("pit")), "");
  run_to("lake", 20);
  const auto pond = worlds_->unload("pond");
  ASSERT_TRUE(pond.ok()) << pond.error();
  EXPECT_EQ(pond->lost_ticks, 0U);
  ASSERT_TRUE(worlds_->remove("pit", RecordingFate::kDelete).ok());
  EXPECT_EQ(names(), "lake (pond) ");
  restart();
  EXPECT_EQ(names(), "lake (pond) ");
  EXPECT_GE(worlds_->runner("lake")->feed().tick(), 20U);
  const auto back = worlds_->load("pond");
  ASSERT_TRUE(back.ok()) << back.error();
  EXPECT_EQ(*back, pond->tick) << "it goes on where it was";
  restart();
  EXPECT_EQ(names(), "lake pond ");
}

TEST_F(HostedWorldsTest, WhatTheConfigurationNamesStaysUnloadedOrRemovedUntilAnAdminSaysOtherwise) {
  const std::vector<std::string> configured = {folder_.write("lake.toml", world_file("lake")),
                                               folder_.write("pond.toml", world_file("pond"))};
  restart(configured);
  EXPECT_EQ(names(), "lake pond ");
  EXPECT_EQ(worlds_text(), "") << "nobody changed anything";
  ASSERT_TRUE(worlds_->unload("lake").ok());
  ASSERT_TRUE(worlds_->remove("pond", RecordingFate::kKeep).ok());
  restart(configured);
  EXPECT_EQ(names(), "(lake) ");
  EXPECT_TRUE(worlds_->names().contains("pond")) << "the configuration may speak of it";
  ASSERT_TRUE(worlds_->load("lake").ok());
  EXPECT_THAT(worlds_->load("pond").error(), HasSubstr("there is no recording of that name"));
  ASSERT_EQ(create(world_file("pond")), "");
  restart(configured);
  EXPECT_EQ(names(), "lake pond ");
}

TEST_F(HostedWorldsTest, ARemovedWorldsRecordingIsKeptAside) {
  ASSERT_EQ(create(world_file("lake")), "");
  run_to("lake", 10);
  const auto ended = worlds_->remove("lake", RecordingFate::kKeep);
  ASSERT_TRUE(ended.ok()) << ended.error();
  EXPECT_EQ(ended->recording, "removed/lake-19700101T000000Z.sluice");
  expect_verified(ended->recording, ended->tick);
  EXPECT_FALSE(there("lake.sluice"));
  EXPECT_EQ(worlds_text().find("lake"), std::string::npos);
  // Another one of that name, and of the same second.
  ASSERT_EQ(create(world_file("lake")), "");
  EXPECT_EQ(worlds_->remove("lake", RecordingFate::kKeep)->recording,
            "removed/lake-19700101T000000Z-2.sluice");
  EXPECT_EQ(worlds_->remove("lake", RecordingFate::kKeep).error(), "no such world: lake");
}

// Somebody verifies it: part of it lies beside it then.
TEST_F(HostedWorldsTest, ARecordingThatIsReadIsKeptWhole) {
  ASSERT_EQ(create(world_file("lake")), "");
  run_to("lake", 10);
  const auto reader = record::Reader::open(folder_.file("lake.sluice"));
  ASSERT_TRUE(reader.ok()) << reader.error();
  const auto ended = worlds_->remove("lake", RecordingFate::kKeep);
  ASSERT_TRUE(ended.ok()) << ended.error();
  expect_verified(ended->recording, ended->tick);
  for (const char* ending : {"", "-wal", "-shm"}) {
    EXPECT_FALSE(there("lake.sluice" + std::string(ending))) << ending;
  }
}

TEST_F(HostedWorldsTest, AResetWorldBeginsAnewAtItsPace) {
  ASSERT_EQ(create(world_file("lake", "[[source]]\nat = [5, 60, 0]\nrate = 100\n")), "");
  run_to("lake", 50);
  worlds_->runner("lake")->pause();
  ASSERT_TRUE(worlds_->runner("lake")->set_speed(5000).ok());
  const auto ended = worlds_->reset("lake", RecordingFate::kKeep);
  ASSERT_TRUE(ended.ok()) << ended.error();
  EXPECT_GE(ended->tick, 50U);
  expect_verified(ended->recording, ended->tick);
  WorldRunner& again = *worlds_->runner("lake");
  EXPECT_EQ(again.feed().tick(), 0U);
  EXPECT_TRUE(again.pace().paused);
  EXPECT_EQ(again.pace().speed, 5000);
  // The same world again, bit for bit.
  ASSERT_TRUE(again.step(ended->tick).ok());
  run_to("lake", ended->tick);
  ASSERT_TRUE(worlds_->unload("lake").ok());
  const auto before = record::Reader::open(folder_.file(ended->recording));
  const auto after = record::Reader::open(folder_.file("lake.sluice"));
  EXPECT_EQ((*(*before)->digests(1, ended->tick)), (*(*after)->digests(1, ended->tick)));
}

// Its file names no water, which meant another one when it was recorded.
TEST_F(HostedWorldsTest, AResetWorldKeepsTheWaterOfItsRecording) {
  const std::string text = world_file("lake");
  {
    const auto world = formats::build_world(text, "cellular");
    ASSERT_TRUE(world.ok()) << world.error();
    ASSERT_TRUE(record::Recorder::create(folder_.file("lake.sluice"), text, **world).ok());
  }
  ASSERT_TRUE(worlds_->load("lake").ok());
  ASSERT_TRUE(worlds_->reset("lake", RecordingFate::kDelete).ok());
  ASSERT_TRUE(worlds_->unload("lake").ok());
  const auto reset = record::Reader::open(folder_.file("lake.sluice"));
  ASSERT_TRUE(reset.ok()) << reset.error();
  EXPECT_EQ((*reset)->water(), "cellular");
}

TEST_F(HostedWorldsTest, AResetThatACrashCutsShortIsFinishedOrForgotten) {
  ASSERT_EQ(create(world_file("lake")), "");
  const std::uint64_t tick = run_to("lake", 10);
  ASSERT_TRUE(worlds_->unload("lake").ok());
  // Before it was decided: the old recording is there still.
  fs::copy_file(folder_.file("lake.sluice"), folder_.file("lake.sluice.reset"));
  ASSERT_GE(worlds_->load("lake").value(), tick);
  EXPECT_FALSE(there("lake.sluice.reset"));
  ASSERT_TRUE(worlds_->unload("lake").ok());
  // After that: the old one lies aside.
  fs::rename(folder_.file("lake.sluice"), folder_.file("lake.sluice.reset"));
  ASSERT_GE(worlds_->load("lake").value(), tick);
  EXPECT_TRUE(there("lake.sluice"));
  EXPECT_FALSE(there("lake.sluice.reset"));
}

// The log of the old recording would be taken for that of the new one.
TEST_F(HostedWorldsTest, AResetLeavesNothingOfTheOldRecordingBesideTheNewOne) {
  const std::string text = world_file("lake", "[[source]]\nat = [5, 60, 0]\nrate = 100\n");
  ASSERT_EQ(create(text), "");
  run_to("lake", 60);
  ASSERT_TRUE(tests::wait_until([&] {
    fs::copy_file(folder_.file("lake.sluice-wal"), folder_.file("old-log"),
                  fs::copy_options::overwrite_existing);
    return fs::file_size(folder_.file("old-log")) > 8192;
  }));
  ASSERT_TRUE(worlds_->unload("lake").ok());
  // A crash, after the old file was gone and before its log was.
  fs::remove(folder_.file("lake.sluice"));
  {
    const auto world = formats::build_world(text, "hydro");
    ASSERT_TRUE(world.ok()) << world.error();
    const std::string made = folder_.file("lake.sluice.reset");
    ASSERT_TRUE(record::Recorder::create(made, text, **world).ok());
  }
  fs::rename(folder_.file("old-log"), folder_.file("lake.sluice-wal"));
  const auto loaded = worlds_->load("lake");
  ASSERT_TRUE(loaded.ok()) << loaded.error();
  EXPECT_EQ(loaded.value(), 0U);
  const std::uint64_t last = run_to("lake", 20);
  const auto unloaded = worlds_->unload("lake");
  ASSERT_TRUE(unloaded.ok()) << unloaded.error();
  EXPECT_GE(unloaded->tick, last);
  expect_verified("lake.sluice", unloaded->tick);
}

TEST_F(HostedWorldsTest, AWorldWhoseFileWasChangedBeginsAnewAndTheOldOneIsKept) {
  const std::vector<std::string> lake = {folder_.write("lake.toml", world_file("lake"))};
  restart(lake);
  run_to("lake", 30);
  fresh_ = true;
  restart(lake);
  EXPECT_GE(worlds_->runner("lake")->feed().tick(), 30U) << "nothing has changed";
  EXPECT_TRUE(worlds_->stop());
  const std::uint64_t last = worlds_->runner("lake")->feed().tick();
  // A repair that had decided comes first: else it would take the new world's place later.
  fs::rename(folder_.file("lake.sluice"), folder_.file("lake.sluice.repaired"));
  std::ofstream(folder_.file("lake.sluice")) << "damaged";
  (void)folder_.write("lake.toml", world_file("lake", "seed = 5\n"));
  metrics_worlds_gone();
  start(lake);
  EXPECT_TRUE(worlds_->stop());
  metrics_worlds_gone();
  const auto begun = record::Reader::open(folder_.file("lake.sluice"));
  ASSERT_TRUE(begun.ok()) << begun.error();
  EXPECT_EQ((*begun)->world_file_text(), world_file("lake", "seed = 5\n"));
  expect_verified("removed/lake-19700101T000000Z.sluice", last);
  // What is wrong leaves all as it is.
  (void)folder_.write("lake.toml", world_file("lake", "seed = \"five\"\n"));
  start();
  EXPECT_FALSE(worlds_->add_configured(folder_.file("lake.toml")).ok());
  EXPECT_TRUE(there("lake.sluice"));
}

TEST_F(HostedWorldsTest, AnExportHoldsAllThatHappenedWhileTheOthersRun) {
  ASSERT_EQ(create(world_file("lake")), "");
  ASSERT_EQ(create(world_file("pond")), "");
  const std::uint64_t before = run_to("lake", 20);
  const std::uint64_t others = worlds_->runner("pond")->feed().tick();
  const auto made = worlds_->export_bundle("lake");
  ASSERT_TRUE(made.ok()) << made.error();
  EXPECT_GE(made->tick, before);
  expect_verified(made->folder + "/lake.sluice", made->tick);
  EXPECT_EQ(formats::read_file(folder_.file(made->folder + "/lake.toml")).value(),
            world_file("lake"));
  run_to("pond", others + 1);
  // It is a world that another server can load.
  fs::rename(folder_.file(made->folder + "/lake.sluice"), folder_.file("other.sluice"));
  EXPECT_THAT(worlds_->load("other").error(), HasSubstr("holds the world \"lake\""));
  ASSERT_TRUE(worlds_->remove("lake", RecordingFate::kDelete).ok());
  fs::rename(folder_.file("other.sluice"), folder_.file("lake.sluice"));
  EXPECT_EQ(worlds_->load("lake").value(), made->tick);
}

TEST_F(HostedWorldsTest, ExportsHaveABound) {
  ASSERT_EQ(create(world_file("lake")), "");
  for (std::size_t i = 1; i < kMostExports; ++i) {
    fs::create_directories(folder_.file("exports/x" + std::to_string(i)));
  }
  fs::create_directories(folder_.file("exports/lake-19700101T000000Z.new"));  // of one cut short
  ASSERT_TRUE(worlds_->export_bundle("lake").ok());
  EXPECT_THAT(worlds_->export_bundle("lake").error(), HasSubstr("holds 64, at most 64"));
  EXPECT_FALSE(there("exports/lake-19700101T000000Z.new"));
}

TEST_F(HostedWorldsTest, WorldsHaveTheirBounds) {
  bounds_ = {2, 4};
  restart();
  const auto fill = [](int chunks) {
    return "[world]\nname = \"big\"\nsize = [4096, 64, 1]\n[[fill]]\nfrom = [0, 0, 0]\nsize = [" +
           std::to_string(64 * chunks) + ", 1, 1]\ncell = \"#\"\n";
  };
  EXPECT_THAT(create(fill(5)), HasSubstr("5 chunks that hold anything; at most 4"));
  EXPECT_FALSE(there("big.sluice"));
  ASSERT_EQ(create(fill(4)), "");
  ASSERT_EQ(create(world_file("lake")), "");
  ASSERT_TRUE(worlds_->unload("lake").ok());
  EXPECT_THAT(create(world_file("pond")), HasSubstr("has 2 worlds, and takes 2 (most_worlds)"));
  ASSERT_TRUE(worlds_->load("lake").ok()) << "it counts already";
  ASSERT_TRUE(worlds_->remove("big", RecordingFate::kDelete).ok());
  ASSERT_EQ(create(world_file("pond")), "");
  const std::string padded = world_file("long", "#");
  EXPECT_THAT(create(padded + std::string(formats::kMostSentBytes - padded.size() + 1, ' ')),
              HasSubstr("1048577 bytes; at most 1048576"));
  EXPECT_THAT(create(padded + std::string(formats::kMostSentBytes - padded.size(), ' ')),
              HasSubstr("takes 2 (most_worlds)"));
}

TEST_F(HostedWorldsTest, WhatCannotBeMadeIsToldAndLeavesNothing) {
  EXPECT_THAT(create("size = 5"), HasSubstr("the world file:1: "));
  EXPECT_THAT(create("[world]\nname = \"A\"\nsize = [1, 1, 1]\n"), HasSubstr("the world file"));
  ASSERT_EQ(create(world_file("lake")), "");
  EXPECT_EQ(create(world_file("lake")), "there is a world named \"lake\" already");
  ASSERT_TRUE(worlds_->unload("lake").ok());
  EXPECT_EQ(create(world_file("lake")),
            "there is a world named \"lake\" already, which is not loaded; load it, or remove it "
            "first");
  EXPECT_EQ(worlds_->unload("lake").error(), "\"lake\" is not loaded");
  EXPECT_EQ(worlds_->reset("lake", RecordingFate::kKeep).error(), "\"lake\" is not loaded");
  EXPECT_EQ(worlds_->export_bundle("lake").error(), "\"lake\" is not loaded");
  (void)folder_.write("old.sluice", "anything");
  EXPECT_THAT(create(world_file("old")), HasSubstr("has a recording old.sluice already"));
  EXPECT_FALSE(worlds_->load("old").ok());
  EXPECT_THAT(worlds_->load("../old").error(), HasSubstr("no name of a world"));
  areas_["walled"] = {Area{{{60, 0, 0}, {10, 1, 1}}, access::Role::kAdmin}};
  restart();
  EXPECT_THAT(create(world_file("walled")), HasSubstr("does not lie in the world"));
  EXPECT_FALSE(there("walled.sluice"));
  EXPECT_EQ(names(), "(lake) ");
}

TEST_F(HostedWorldsTest, OnAFullDiskNothingIsHalfMade) {
  ASSERT_EQ(create(world_file("lake")), "");
  worlds_->runner("lake")->pause();
  const auto saved = worlds_->runner("lake")->save(std::chrono::seconds(60));
  ASSERT_TRUE(saved.ok()) << saved.error();
  const std::string before = worlds_text();
  for (const rlim_t most : {rlim_t{0}, rlim_t{4096}}) {
    std::string created;
    std::string unloaded;
    std::string reset;
    std::string exported;
    {
      const FullDisk full(most);
      created = create(world_file("pond"));
      if (most == 0) unloaded = worlds_->unload("lake").error();
      reset = worlds_->reset("lake", RecordingFate::kKeep).error();
      exported = worlds_->export_bundle("lake").error();
    }
    EXPECT_NE(created, "") << most;
    EXPECT_NE(reset, "") << most;
    EXPECT_NE(exported, "") << most;
    if (most == 0) {
      EXPECT_THAT(unloaded, HasSubstr("worlds.toml: cannot be written"));
    }
    EXPECT_FALSE(there("pond.sluice")) << most;
    EXPECT_EQ(names(), "lake ") << most;
    EXPECT_EQ(worlds_text(), before) << most;
    EXPECT_TRUE(!there("exports") || fs::is_empty(folder_.file("exports"))) << most;
  }
  // With room again all of it goes.
  EXPECT_EQ(create(world_file("pond")), "");
  const auto ended = worlds_->reset("lake", RecordingFate::kDelete);
  ASSERT_TRUE(ended.ok()) << ended.error();
  EXPECT_EQ(ended->tick, *saved) << "nothing of it was lost";
  EXPECT_EQ(ended->recording, "");
  EXPECT_FALSE(there("removed"));
}

TEST_F(HostedWorldsTest, AWorldWhoseRecordingIsNoneIsNamedAndCanBeRemoved) {
  ASSERT_EQ(create(world_file("lake")), "");
  ASSERT_EQ(create(world_file("pond")), "");
  EXPECT_TRUE(worlds_->stop());
  metrics_worlds_gone();
  fs::resize_file(folder_.file("lake.sluice"), 100);
  start();
  EXPECT_EQ(names(), "pond !(lake) ");
  EXPECT_FALSE(worlds_->load("lake").ok());
  const auto removed = worlds_->remove("lake", RecordingFate::kKeep);
  ASSERT_TRUE(removed.ok()) << removed.error();
  EXPECT_TRUE(there(removed->recording));
  EXPECT_EQ(names(), "pond ");
  EXPECT_TRUE(worlds_->stop());
}

TEST_F(HostedWorldsTest, AWorldsFileThatIsWrongIsNamed) {
  metrics_worlds_gone();
  for (const auto& [text, why] :
       {std::pair("[worlds.lake]\nstate = \"gone\"\n", ":1: expected [worlds.NAME] with state"),
        {"[worlds.LAKE]\nstate = \"hosted\"\n", ":1: expected [worlds.NAME]"},
        {"[worlds]\nlake = 5\n", ":2: expected [worlds.NAME]"},
        {"lake = 5\n", ":1: there are tables [worlds.NAME] alone here"},
        {"[worlds.lake\n", ":1: "}}) {
    const auto read = WorldsFile::read(folder_.write("worlds.toml", text));
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error(), HasSubstr(folder_.file("worlds.toml") + why));
  }
}

}  // namespace
}  // namespace sluice::host::hosted_worlds_test
