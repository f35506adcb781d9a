// Goal: who owns what is what the commands say, in bounded memory, and its image brings it back.
// Method: random commands in worlds of both shapes beside a plain map of cells; images cut and
// changed.
#include "server/host/ownership.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/host/visitor_mark.h"
#include "server/sim/spec.h"
#include "tests/support/process.h"

namespace sluice::host::ownership_test {
namespace {

using ::testing::HasSubstr;

constexpr access::Role kBuild = access::Role::kBuild;

sim::Command set_cells(Vec3 from, Vec3 size, Cell cell = kRock) {
  return {sim::SetCells{from, size, cell}};
}
sim::Command add_pipe(const std::string& name) {
  sim::AddPipe command;
  command.name = name;
  return {command};
}

/// Who owns each cell, and each pipe.
struct Plain {
  std::map<Vec3, std::string> cells;
  std::map<std::string, std::string> pipes;

  void set(const Box& box, Cell cell, const std::string& owner) {
    for (std::int32_t y = box.from.y; y < box.end().y; ++y) {
      for (std::int32_t z = box.from.z; z < box.end().z; ++z) {
        for (std::int32_t x = box.from.x; x < box.end().x; ++x) {
          if (cell == kRock && !owner.empty()) {
            cells[{x, y, z}] = owner;
          } else {
            cells.erase({x, y, z});
          }
        }
      }
    }
  }
  [[nodiscard]] Owned of(const std::string& owner) const {
    Owned owned;
    for (const auto& [at, who] : cells) owned.cells += who == owner ? 1 : 0;
    for (const auto& [name, who] : pipes) owned.pipes += who == owner ? 1 : 0;
    return owned;
  }
  [[nodiscard]] std::int64_t in(const Box& box, const std::string& owner) const {
    std::int64_t count = 0;
    for (const auto& [at, who] : cells) count += who == owner && box.contains(at) ? 1 : 0;
    return count;
  }
};

class Shapes : public testing::TestWithParam<std::pair<ChunkShape, Vec3>> {};

TEST_P(Shapes, RandomCommandsComeToWhatAPlainMapSays) {
  const auto [shape, size] = GetParam();
  std::random_device device;
  const std::uint32_t seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto number = [&random](std::int32_t most) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(most));
  };
  const std::vector<std::string> owners = {"ada", "bert", "~0123", ""};
  Ownership owned(shape);
  Plain plain;
  for (int i = 0; i < 400; ++i) {
    const std::string& owner = owners[random() % owners.size()];
    if (random() % 4 == 0) {
      const std::string name = "p" + std::to_string(number(20));
      if (random() % 2 == 0 && !plain.pipes.contains(name)) {
        owned.apply(add_pipe(name), owner);
        if (!owner.empty()) plain.pipes[name] = owner;
      } else {
        owned.apply({sim::RemovePipe{name}}, owner);
        plain.pipes.erase(name);
      }
      continue;
    }
    const Vec3 from = {number(size.x), number(size.y), number(size.z)};
    const bool large = random() % 8 == 0;
    const Vec3 box = {1 + number(large ? size.x - from.x : std::min(9, size.x - from.x)),
                      1 + number(large ? size.y - from.y : std::min(9, size.y - from.y)),
                      1 + number(large ? size.z - from.z : std::min(9, size.z - from.z))};
    const Cell cell = std::array<Cell, 4>{kRock, kRock, kAir, kFull}[random() % 4];
    const auto bound = static_cast<std::uint32_t>(1 + number(3000));
    const std::int64_t added =
        cell == kRock ? Box{from, box}.volume() - plain.in({from, box}, owner) : 0;
    const bool too_many =
        !owner.empty() && added > 0 && plain.of(owner).cells + added > std::int64_t{bound};
    const sim::Command command = set_cells(from, box, cell);
    EXPECT_EQ(owned.refusal_of(command, owner, kBuild, {bound, 0}, size) != "", too_many) << i;
    owned.apply(command, owner);
    plain.set({from, box}, cell, owner);
  }
  std::set<std::string> there;
  std::set<ChunkCoord> chunks;
  for (const auto& [at, who] : plain.cells) there.insert(who), chunks.insert(shape.chunk_of(at));
  for (const auto& [name, who] : plain.pipes) there.insert(who);
  for (const std::string& owner : owners) EXPECT_EQ(owned.of(owner), plain.of(owner)) << owner;
  EXPECT_EQ(owned.owners(), there.size());
  EXPECT_EQ(owned.all().cells, static_cast<std::int64_t>(plain.cells.size()));
  EXPECT_EQ(owned.all().pipes, static_cast<std::int64_t>(plain.pipes.size()));
  EXPECT_LE(owned.bytes(), 8 * plain.cells.size() + (kBytesOfPlot + 4) * chunks.size() +
                               plain.pipes.size() * (kBytesOfOwnedName + 3) + 2048);

  const auto image = owned.image();
  const auto back = Ownership::read(image, shape);
  ASSERT_TRUE(back.ok()) << back.error();
  EXPECT_EQ(back->image(), image);
  for (const std::string& owner : owners) EXPECT_EQ(back->of(owner), plain.of(owner)) << owner;
  EXPECT_EQ(back->bytes() <= owned.bytes() + 512, true);
}

INSTANTIATE_TEST_SUITE_P(Both, Shapes,
                         testing::Values(std::pair(kSideViewShape, Vec3{150, 100, 1}),
                                         std::pair(kSolidShape, Vec3{40, 35, 33})));

TEST(Ownership, ARefusalSaysHowManyTheBoundAndUntilWhen) {
  Ownership owned(kSideViewShape);
  const Vec3 size = {64, 64, 1};
  const OwnedBound bound = {10, 1};
  owned.apply(set_cells({0, 0, 0}, {8, 1, 1}), "ada");
  EXPECT_EQ(owned.refusal_of(set_cells({0, 1, 0}, {2, 1, 1}), "ada", kBuild, bound, size), "");
  EXPECT_EQ(owned.refusal_of(set_cells({0, 1, 0}, {3, 1, 1}), "ada", kBuild, bound, size),
            "too many cells: you own 8 in this world, and this adds 3; the role build may own 10, "
            "so none until some are removed");
  EXPECT_EQ(owned.refusal_of(set_cells({5, 0, 0}, {5, 1, 1}), "ada", kBuild, bound, size), "")
      << "three of them are hers already";
  EXPECT_EQ(owned.refusal_of(set_cells({0, 1, 0}, {64, 60, 1}, kAir), "ada", kBuild, bound, size),
            "");
  owned.apply(add_pipe("a"), "~9");
  EXPECT_EQ(owned.refusal_of(add_pipe("b"), "~9", kBuild, bound, size),
            "too many pipes: those of your address own 1 in this world, and this adds 1; the role "
            "build may own 1, so none until some are removed");
  EXPECT_EQ(owned.refusal_of(add_pipe("b"), "ada", kBuild, bound, size), "");
  EXPECT_EQ(owned.refusal_of(add_pipe("b"), "~9", kBuild, {10, 0}, size), "");
}

TEST(Ownership, WhoComesWhenThereAreTooManyOwnersMayAddNothingWithABound) {
  Ownership owned(kSideViewShape, 2);
  const Vec3 size = {64, 64, 1};
  owned.apply(add_pipe("a"), "ada");
  owned.apply(add_pipe("b"), "bert");
  EXPECT_THAT(owned.refusal_of(add_pipe("c"), "carl", kBuild, {5, 5}, size),
              HasSubstr("too many owners: 2 own something"));
  EXPECT_EQ(owned.refusal_of(add_pipe("c"), "ada", kBuild, {5, 5}, size), "");
  owned.apply(set_cells({0, 0, 0}, {4, 1, 1}), "carl");  // of a role without a bound
  EXPECT_EQ(owned.of("carl"), Owned{});
  owned.apply({sim::RemovePipe{"a"}}, "carl");
  EXPECT_EQ(owned.refusal_of(add_pipe("c"), "carl", kBuild, {5, 5}, size), "");
  owned.apply(add_pipe("c"), "carl");
  EXPECT_EQ(owned.of("carl").pipes, 1);
  EXPECT_EQ(owned.largest(1).front().first, "bert");
  EXPECT_EQ(owned.largest(9).size(), 2U);
}

TEST(Ownership, WorkIsBoundedByTheBoxAndByWhatIsOwned) {
  Ownership owned(kSideViewShape);
  const Vec3 size = {kMaxSide, kMaxSide, 1};
  const Vec3 all = size;
  EXPECT_EQ(owned.work_of(set_cells({0, 0, 0}, {65, 1, 1}), size), 2 * kWorkOfPlot);
  EXPECT_EQ(owned.work_of(set_cells({0, 0, 0}, all, kAir), size), 0) << "nothing is owned";
  owned.apply(set_cells({0, 0, 0}, {1, 1, 1}), "ada");
  EXPECT_EQ(owned.work_of(set_cells({0, 0, 0}, all, kAir), size), kWorkOfPlot);
  EXPECT_GE(owned.work_of(set_cells({0, 0, 0}, all), size), std::int64_t{1 << 28} * kWorkOfPlot);
  EXPECT_EQ(owned.work_of(set_cells({0, 0, 0}, {-1, 1, 1}), size), 0);
  EXPECT_EQ(owned.work_of(set_cells({5, 5, 5}, all), size), 0);
  EXPECT_NE(owned.refusal_of(set_cells({0, 0, 0}, all), "ada", kBuild, {5, 5}, size), "");
  owned.apply(set_cells({0, 0, 0}, all, kAir), "bert");  // looks through what there is, not the box
  EXPECT_EQ(owned.all(), Owned{});
}

TEST(Ownership, AnyBytesAreSafeToRead) {
  Ownership owned(kSideViewShape);
  owned.apply(set_cells({60, 3, 0}, {10, 2, 1}), "ada");
  owned.apply(add_pipe("a"), "bert");
  owned.apply(add_pipe("b"), "ada");
  const auto image = owned.image();
  for (std::size_t size = 0; size < image.size(); ++size) {
    EXPECT_FALSE(Ownership::read(std::span(image).first(size), kSideViewShape).ok()) << size;
  }
  for (std::size_t i = 0; i < image.size(); ++i) {
    for (const int bits : {1, 0x80, 0xff}) {
      auto changed = image;
      changed[i] ^= static_cast<std::byte>(bits);
      const auto read = Ownership::read(changed, kSideViewShape);
      if (!read.ok()) continue;
      const auto again = Ownership::read(read->image(), kSideViewShape);
      ASSERT_TRUE(again.ok()) << again.error();
      EXPECT_EQ(again->image(), read->image());
    }
  }
}

TEST(Ownership, KeepsToWhatAWorldHas) {
  sim::WorldSpec spec;
  spec.config.name = "pond";
  spec.config.size = {70, 8, 1};
  spec.fills = {{{{62, 0, 0}, {4, 1, 1}}, kRock}};
  const auto world = std::move(sim::World::create(spec)).value();
  Ownership owned(kSideViewShape);
  owned.apply(set_cells({60, 0, 0}, {20, 2, 1}), "ada");  // of which four are rock
  owned.apply(add_pipe("a"), "ada");
  owned.keep_to(*world);
  EXPECT_EQ(owned.of("ada"), (Owned{4, 0}));
}

TEST(Ownership, ItsDocumentsNumbersAreTrue) {
  std::ifstream file(SLUICE_SOURCE_DIR "/server/host/README.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(kBytesOfPlot + 4, 108U);
  EXPECT_THAT(text, HasSubstr("8 bytes for each owned cell and 108 for each chunk"));
  EXPECT_EQ(kBytesOfOwnedName, 120U);
  EXPECT_THAT(text, HasSubstr("120 and the name for each pipe and each owner"));
  EXPECT_EQ(kMostOwners, 65'535U);
  EXPECT_THAT(text, HasSubstr("| owners of a world | 65,535;"));
  EXPECT_EQ(kWorkOfPlot, 2048);
  EXPECT_THAT(text, HasSubstr("2,048 units more for each chunk that it names"));
}

TEST(VisitorMark, OneOfEachAddressThatCannotBeGuessedWithoutTheKey) {
  const auto mark = [](const char* address) { return visitor_mark("key", address); };
  EXPECT_EQ(mark("203.0.113.7").size(), 17U);
  EXPECT_EQ(mark("203.0.113.7"), mark("203.0.113.7"));
  EXPECT_NE(mark("203.0.113.7"), mark("203.0.113.8"));
  EXPECT_EQ(mark("203.0.113.7"), mark("::ffff:203.0.113.7"));
  EXPECT_EQ(mark("2001:db8:1:2::7"), mark("2001:db8:1:2:9::8"));
  EXPECT_NE(mark("2001:db8:1:2::7"), mark("2001:db8:1:3::7"));
  EXPECT_NE(mark("203.0.113.7"), visitor_mark("another", "203.0.113.7"));
  EXPECT_EQ(owner_in_history(record::client_in_history("page", mark("::1"))), mark("::1"));
  EXPECT_EQ(owner_in_history(record::client_in_history("page", "ada", "0123456789a")), "ada");
  EXPECT_EQ(owner_in_history("page"), "");
  const record::ClientName name =
      record::client_of(record::client_in_history("page", mark("::1"), "0123456789a"));
  EXPECT_EQ(name.account, "");
  EXPECT_EQ(name.resume, "0123456789a");
}

TEST(VisitorMark, TheKeyIsMadeOnceAndKeptToItsOwner) {
  tests::TemporaryDirectory folder;
  const std::string path = folder.file("visitors.key");
  const auto made = visitors_key(path);
  ASSERT_TRUE(made.ok()) << made.error();
  EXPECT_EQ(visitors_key(path).value(), *made);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions() & (perms::group_all | perms::others_all),
            perms::none);
  EXPECT_FALSE(visitors_key(folder.file("no/such/folder")).ok());
}

}  // namespace
}  // namespace sluice::host::ownership_test
