// The files that hold a recording's history: what was cut off of it, and itself.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/record/files.h"
#include "server/record/reader.h"
#include "server/record/repair.h"
#include "server/record/verify.h"

namespace sluice::record::test {

/// One after the other, the recording last. Where one is missing those after it are, too.
inline std::vector<std::string> files_of_history(const std::string& path) {
  std::vector<std::string> found;
  const auto reader = Reader::open(path);
  EXPECT_TRUE(reader.ok()) << reader.error();
  const std::size_t folder = path.find_last_of('/') + 1;
  std::uint64_t last = 0;
  while (reader.ok() && last < (*reader)->first_tick()) {
    const std::string begin = path.substr(folder) + ".part-" + std::to_string(last) + "-";
    const std::size_t before = found.size();
    for (const std::string& name : files().names_beside(path)) {
      if (!name.starts_with(begin)) continue;
      found.push_back(path.substr(0, folder) + name);
      last = std::stoull(name.substr(begin.size()));
      break;
    }
    if (found.size() == before) return found;
  }
  found.push_back(path);
  return found;
}

/// All of its history is there from tick 0 on, whole and gapless, and replays. Returns its last
/// tick.
inline std::uint64_t expect_history_verifies(const std::string& path) {
  std::uint64_t last = 0;
  sim::Digest digest = 0;
  const std::vector<std::string> all = files_of_history(path);
  EXPECT_FALSE(all.empty() || all.back() != path) << "a part is missing after tick " << last;
  for (const std::string& file : all) {
    auto opened = Reader::open(file);
    EXPECT_TRUE(opened.ok()) << opened.error();
    if (!opened.ok()) return last;
    Reader& reader = **opened;
    EXPECT_EQ(reader.first_tick(), last) << file;
    const auto damage = find_damage(reader);
    EXPECT_TRUE(damage.ok() && damage->whole()) << file;
    const auto begin = reader.checkpoint_before(last);
    EXPECT_TRUE(begin.ok() && *begin) << file;
    // The digest of that tick is the thread between them.
    if (last > 0 && begin.ok() && *begin) {
      EXPECT_EQ((*begin)->digest, digest) << file;
    }
    sim::SerialExecutor executor;
    const auto verified = verify(reader, {}, executor);
    EXPECT_TRUE(verified.ok()) << verified.error();
    if (!verified.ok()) return last;
    EXPECT_FALSE(verified->divergence) << file << ": " << describe(*verified->divergence);
    last = reader.last_tick();
    EXPECT_EQ(verified->last_tick, last) << file;
    if (last == reader.first_tick()) continue;
    const auto digests = reader.digests(last, last);
    EXPECT_TRUE(digests.ok()) << digests.error();
    if (digests.ok()) digest = digests->front();
  }
  return last;
}

}  // namespace sluice::record::test
