// A recording of which one blob was edited behind its checksum, which fits again: read to its end,
// replayed, repaired. Where a repair says that it is done, nothing is damaged any more. The first
// byte chooses the table, the second the row, and whether the blob is edited as it is or unpacked.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "server/record/database.h"
#include "server/record/packing.h"
#include "server/record/reader.h"
#include "server/record/repair.h"
#include "server/record/verify.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/recorded_history.h"

namespace {

using sluice::record::Bytes;
using sluice::record::Database;
namespace record = sluice::record;

/// A folder in memory, where there is one: a repair syncs often.
std::string make_folder() {
  const bool shm = std::filesystem::is_directory("/dev/shm");
  std::string folder = std::string(shm ? "/dev/shm" : "/tmp") + "/sluice-fuzz-XXXXXX";
  SLUICE_ASSERT(mkdtemp(folder.data()) != nullptr);
  return folder;
}

struct Blob {
  const char* read;   // number, blob, the other blob of its row, what the number is mixed with
  const char* write;  // ?1 the number, ?2 the blob, ?3 the checksum
  bool is_first = true;
  bool is_hashed = false;  // by its content, in place of a checksum
};

constexpr Blob kBlobs[] = {
    {"SELECT first_tick, digests, commands, NULL FROM history LIMIT 1 OFFSET ?1",
     "UPDATE history SET digests = ?2, checksum = ?3 WHERE first_tick = ?1"},
    {"SELECT first_tick, commands, digests, NULL FROM history LIMIT 1 OFFSET ?1",
     "UPDATE history SET commands = ?2, checksum = ?3 WHERE first_tick = ?1", false},
    {"SELECT tick, core, chunks, digest FROM checkpoints LIMIT 1 OFFSET ?1",
     "UPDATE checkpoints SET core = ?2, checksum = ?3 WHERE tick = ?1"},
    {"SELECT tick, chunks, core, digest FROM checkpoints LIMIT 1 OFFSET ?1",
     "UPDATE checkpoints SET chunks = ?2, checksum = ?3 WHERE tick = ?1", false},
    {"SELECT id, data, NULL, NULL FROM chunks LIMIT 1 OFFSET ?1",
     "UPDATE chunks SET data = ?2, content_hash = ?3 WHERE id = ?1", true, true},
    {"SELECT id, data, NULL, NULL FROM pieces LIMIT 1 OFFSET ?1",
     "UPDATE pieces SET data = ?2, content_hash = ?3 WHERE id = ?1", true, true},
};

Bytes edited(std::span<const std::byte> blob, bool within, std::span<const std::uint8_t> plan) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  Bytes bytes(blob.begin(), blob.end());
  auto inside = within ? record::unpack(blob, kMost) : sluice::Result<Bytes>(sluice::Error{""});
  if (!inside) {
    sluice::tests::apply_edits(plan, bytes);
    return bytes;
  }
  sluice::tests::apply_edits(plan, *inside);
  Bytes packed;
  record::pack(*inside, record::kDifferenceLevel, packed);
  return packed;
}

/// False where there is no such row.
bool edit(Database& database, std::span<const std::uint8_t> data) {
  const Blob& kind = kBlobs[data[0] % std::size(kBlobs)];
  auto read = database.prepare(kind.read);
  SLUICE_ASSERT(read.ok());
  const auto row = read->bind(1, data[1] >> 1).step();
  if (!row || !*row) return false;
  const std::int64_t number = read->integer(0);
  const Bytes blob = edited(read->blob(1), (data[1] & 1) != 0, data.subspan(2));
  const Bytes other(read->blob(2).begin(), read->blob(2).end());
  auto mixed = static_cast<std::uint64_t>(number);
  if (!read->is_null(3)) {
    mixed = sluice::sim::combine(mixed, static_cast<std::uint64_t>(read->integer(3)));
  }
  read->reset();
  auto write = database.prepare(kind.write);
  SLUICE_ASSERT(write.ok() && database.execute("BEGIN").ok());
  write->bind(1, number).bind(2, blob);
  const auto inside = record::unpack(blob, std::size_t{1} << 24);
  const Bytes hash = record::content_hash(inside ? std::span<const std::byte>(*inside) : blob);
  if (kind.is_hashed) {
    write->bind(3, hash);
  } else {
    write->bind(3, kind.is_first ? record::row_checksum(mixed, blob, other)
                                 : record::row_checksum(mixed, other, blob));
  }
  const bool written = write->run().ok();  // not where another row has this content
  SLUICE_ASSERT(database.execute(written ? "COMMIT" : "ROLLBACK").ok());
  return written;
}

void read_all(const std::string& path) {
  auto reader = record::Reader::open(path);
  if (!reader) return;
  sluice::sim::SerialExecutor serial;
  (void)record::verify(**reader, {}, serial);
  const auto checkpoints = (*reader)->checkpoints();
  if (!checkpoints) return;
  for (const auto& checkpoint : *checkpoints) (void)(*reader)->restore(checkpoint.tick);
}

void repair(const std::string& path) {
  record::RepairOptions options;
  options.build_world = [](const std::string&, std::string_view) {
    return sluice::tests::fuzzed_world();
  };
  if (!record::repair(path, options)) return;
  auto reader = record::Reader::open(path);
  SLUICE_ASSERT(reader.ok());
  const auto damage = record::find_damage(**reader);
  SLUICE_ASSERT(damage.ok() && damage->whole());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 6) return 0;
  static const std::vector<std::byte>& whole =
      *new std::vector<std::byte>(sluice::tests::recorded_history());
  static const std::string& folder = *new std::string(make_folder());
  for (const auto& left : std::filesystem::directory_iterator(folder)) {
    std::filesystem::remove(left.path());
  }
  const std::string path = folder + "/a.sluice";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(whole.data()),
             static_cast<std::streamsize>(whole.size()));
  {
    auto database = Database::open(path, Database::Mode::kWrite);
    SLUICE_ASSERT(database.ok());
    if (!edit(**database, {data, size})) return 0;
  }
  read_all(path);
  repair(path);
  return 0;
}
