#include "server/record/foundation.h"

#include <string>
#include <string_view>
#include <utility>

#include "server/record/checkpoint_rows.h"
#include "server/record/database.h"
#include "server/record/durable.h"
#include "server/record/files.h"
#include "server/record/packing.h"

namespace sluice::record {

namespace {

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Status write_facts(Database& database, std::uint64_t begins, std::vector<Fact> facts) {
  facts.push_back({"begins", std::to_string(begins)});
  for (const Fact& fact : facts) {
    if (const Status written = write_fact(database, fact); !written) return written;
  }
  return Done{};
}

/// All that a new file holds but its first checkpoint.
Status write_head(Database& database, const Foundation& foundation) {
  for (const Table& table : kTables) {
    if (const Status made = database.execute(table.sql); !made) return made;
  }
  const std::string version = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                              "; PRAGMA user_version = " + std::to_string(kFormatVersion);
  if (const Status set = database.execute(version.c_str()); !set) return set;
  const Status told = write_facts(database, foundation.image.tick, foundation.facts);
  if (!told) return told;
  auto insert = database.prepare(
      "INSERT INTO world (id, world_file, made_by, checksum) VALUES (1, ?1, ?2, ?3)");
  if (!insert) return Error{insert.error()};
  const auto file = as_bytes(foundation.world_file_text);
  const auto maker = as_bytes(foundation.made_by);
  return insert->bind(1, file).bind(2, maker).bind(3, row_checksum(1, file, maker)).run();
}

Status write_whole(const std::string& path, Foundation& foundation, const Limits& limits) {
  auto opened = Database::open(path, Database::Mode::kCreate);
  if (!opened) return Error{opened.error()};
  Database& database = **opened;
  if (const Status begun = database.execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE"); !begun) {
    return begun;
  }
  if (const Status head = write_head(database, foundation); !head) return head;
  auto checkpoints = CheckpointRows::open(database, limits);
  if (!checkpoints) return Error{checkpoints.error()};
  ImageRows rows;
  const Status written = (*checkpoints)->write(foundation.image, rows);
  return written ? database.execute("COMMIT") : written;
}

}  // namespace

Status write_fact(Database& database, const Fact& fact) {
  auto insert = database.prepare(
      "INSERT OR REPLACE INTO facts (name, value, checksum) "
      "VALUES (CAST(?1 AS TEXT), CAST(?2 AS TEXT), ?3)");
  if (!insert) return Error{insert.error()};
  const auto name = as_bytes(fact.name);
  const auto value = as_bytes(fact.value);
  return insert->bind(1, name).bind(2, value).bind(3, row_checksum(0, name, value)).run();
}

std::vector<Fact> first_facts(const sim::World& first) {
  std::vector<Fact> facts = program_facts();
  for (Fact& fact : world_facts(first)) facts.push_back(std::move(fact));
  return facts;
}

Status make_recording(const std::string& path, Foundation& foundation, const Limits& limits) {
  // A stale log beside a new file of its name would be taken for the new file's own.
  for (const char* suffix : {"", "-wal", "-journal"}) {
    if (files().exists(path + suffix)) {
      return Error{path + suffix +
                   ": exists already; a recording is never overwritten, "
                   "choose another name or move it away"};
    }
  }
  const std::string unfinished = path + kUnfinishedEnding;
  remove_recording(unfinished);
  if (const Status written = write_whole(unfinished, foundation, limits); !written) {
    remove_recording(unfinished);
    return written;
  }
  if (const Status named = files().rename(unfinished, path); !named) {
    return Error{path + ": cannot be created: " + named.error()};
  }
  return sync_directory_of(path);
}

}  // namespace sluice::record
