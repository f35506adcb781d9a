// Any bytes as a chunk's row, as a checkpoint's core in pieces, or packed: content or an error, in
// bounded memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "protocol/base/assert.h"
#include "server/record/chunk_store.h"
#include "server/record/core_store.h"
#include "server/record/database.h"
#include "server/record/format.h"
#include "server/record/packing.h"

namespace {

namespace record = sluice::record;
constexpr std::size_t kChunkBytes = sluice::kChunkCells * sizeof(std::int32_t);

/// A file with one whole chunk, row 1, and one that each input writes anew, row 2.
class Rows {
 public:
  Rows() {
    char name[] = "/tmp/sluice-fuzz-XXXXXX";
    SLUICE_ASSERT(mkdtemp(name) != nullptr);
    folder_ = name;
    auto made = record::Database::open(folder_ + "/rows.sqlite", record::Database::Mode::kCreate);
    SLUICE_ASSERT(made.ok());
    database_ = std::move(made).value();
    for (const auto& table : record::kTables) {
      SLUICE_ASSERT(database_->execute(table.sql).ok());
    }
    SLUICE_ASSERT(database_->execute("PRAGMA synchronous = OFF; BEGIN").ok());
    record::ChunkStore store(*database_);
    std::vector<std::byte> cells(kChunkBytes);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::byte>(i % 251);
    SLUICE_ASSERT(store.store(cells, 0).ok());
    SLUICE_ASSERT(
        database_->execute("INSERT INTO chunks (content_hash, data) VALUES (x'00', x'00')").ok());
  }
  ~Rows() { std::filesystem::remove_all(folder_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void load_chunk(std::span<const std::byte> data) {
    auto write = database_->prepare("UPDATE chunks SET data = ?1 WHERE id = 2");
    SLUICE_ASSERT(write.ok() && write->bind(1, data).run().ok());
    const auto loaded = record::ChunkStore(*database_).load(2);
    SLUICE_ASSERT(!loaded);  // no content has the hash of that row
  }
  void load_core(std::span<const std::byte> data) {
    (void)record::CoreStore(*database_, limits_).load(data);
  }

 private:
  record::Limits limits_;
  std::string folder_;
  std::unique_ptr<record::Database> database_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<Rows> rows = std::make_unique<Rows>();
  if (size == 0) return 0;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      rows->load_core(bytes);
      break;
    case 1: {
      const auto unpacked = record::unpack(bytes, kChunkBytes);
      if (!unpacked) break;
      SLUICE_ASSERT(unpacked->size() <= kChunkBytes);
      record::Bytes again;
      record::pack(*unpacked, 3, again);
      const auto back = record::unpack(again, kChunkBytes);
      SLUICE_ASSERT(back.ok() && *back == *unpacked);
      break;
    }
    case 2: {
      // A difference from the whole row: 02 depth base planes.
      std::vector<std::byte> row = {std::byte{2}, std::byte{1}, std::byte{1}};
      row.insert(row.end(), bytes.begin(), bytes.end());
      rows->load_chunk(row);
      break;
    }
    default:
      rows->load_chunk(bytes);
      break;
  }
  return 0;
}
