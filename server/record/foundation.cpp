#include "server/record/foundation.h"

#include <string>
#include <string_view>
#include <utility>

#include "server/record/database.h"
#include "server/record/format.h"
#include "server/record/packing.h"
#include "server/record/reader.h"

namespace sluice::record {

namespace {

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Status write_facts(Database& database, std::uint64_t begins, std::vector<Fact> facts) {
  facts.push_back({"begins", std::to_string(begins)});
  auto insert = database.prepare(
      "INSERT INTO facts (name, value, checksum) VALUES (CAST(?1 AS TEXT), CAST(?2 AS TEXT), ?3)");
  if (!insert) return Error{insert.error()};
  for (const Fact& fact : facts) {
    const auto name = as_bytes(fact.name);
    const auto value = as_bytes(fact.value);
    insert->bind(1, name).bind(2, value).bind(3, row_checksum(0, name, value));
    if (const Status written = insert->run(); !written) return written;
  }
  return Done{};
}

}  // namespace

std::vector<Fact> first_facts(const sim::World& first) {
  std::vector<Fact> facts = program_facts();
  for (Fact& fact : world_facts(first)) facts.push_back(std::move(fact));
  return facts;
}

Status write_foundation(Database& database, const Foundation& foundation) {
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

}  // namespace sluice::record
