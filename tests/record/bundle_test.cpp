// Goal: a bundle is a recording of its own, small, that verifies where nothing else is; and it
// holds what a bug report needs.
#include "server/record/bundle.h"

#include <gtest/gtest.h>

#include "server/record/diff.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::record::test::bundle_test {
namespace {

TEST(Bundle, VerifiesByItselfAndSaysWhereItIsFrom) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto history = record_history(path, {.ticks = 500, .ticks_per_checkpoint = 40});
  auto reader = must(Reader::open(path));
  BundleOptions options;
  options.around = 300;
  options.before = 30;
  options.after = 50;
  options.facts = {{"bundle_reason", "a test"}};
  const std::string out = folder.file("b.sluice");
  const Bundle bundle = must(write_bundle(*reader, options, out));
  EXPECT_EQ(bundle.first_tick, 240U) << "the checkpoint before tick 270";
  EXPECT_EQ(bundle.last_tick, 350U);

  TemporaryFolder elsewhere;
  const std::string moved = elsewhere.file("moved.sluice");
  std::filesystem::rename(out, moved);
  auto part = must(Reader::open(moved));
  EXPECT_EQ(part->first_tick(), 240U);
  EXPECT_EQ(part->last_tick(), 350U);
  EXPECT_EQ(part->world_file_text(), kWorldFile);
  EXPECT_EQ(part->fact("bundle_around"), "300");
  EXPECT_EQ(part->fact("bundle_reason"), "a test");
  EXPECT_NE(part->fact("bundle_machine"), "");
  EXPECT_EQ(part->fact("model"), "cellular");
  sim::SerialExecutor executor;
  const VerifyReport report = must(verify(*part, {}, executor));
  EXPECT_FALSE(report.divergence) << describe(*report.divergence);
  EXPECT_EQ(report.first_tick, 240U);
  EXPECT_EQ(report.last_tick, 350U);
  EXPECT_EQ(report.checkpoints, 2U);
  EXPECT_EQ(must(world_at(*part, 333, executor)).world->digest(), history[332].digest);
  // A part is compared with the whole where both have ticks.
  const DiffReport compared = must(diff(*part, *reader, {}, executor));
  EXPECT_TRUE(compared.same());
  EXPECT_EQ(compared.first_tick, 240U);
  EXPECT_EQ(compared.last_tick, 350U);
}

TEST(Bundle, MayBeOfABundleAndAtTheEnds) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  record_history(path, {.ticks = 100, .ticks_per_checkpoint = 40});
  auto reader = must(Reader::open(path));
  BundleOptions options;
  for (const std::uint64_t around : {0U, 100U}) {
    options.around = around;
    const std::string out = folder.file(std::to_string(around));
    must(write_bundle(*reader, options, out));
    EXPECT_FALSE(write_bundle(*reader, options, out).ok()) << "never overwrites";
    auto part = must(Reader::open(out));
    EXPECT_EQ(part->last_tick(), 100U);
    options.before = 0;
    options.after = 0;
    must(write_bundle(*part, options, out + "-again"));
    auto again = must(Reader::open(out + "-again"));
    EXPECT_EQ(again->last_tick(), around);
    sim::SerialExecutor executor;
    EXPECT_FALSE(must(verify(*again, {}, executor)).divergence);
  }
}

}  // namespace
}  // namespace sluice::record::test::bundle_test
