#include "server/record/seal.h"

#include <memory>
#include <utility>

#include "server/record/durable.h"
#include "server/record/exchange.h"
#include "server/record/files.h"
#include "server/record/part_writer.h"
#include "server/record/reader.h"
#include "server/record/write_lock.h"

namespace sluice::record {

namespace {

/// The name of the whole file while the exchange goes on.
constexpr const char* kUncut = "uncut";

std::string range_of(const Part& part) {
  return std::to_string(part.first_tick) + "-" + std::to_string(part.last_tick);
}

/// The checkpoint at which to cut; nothing: there is too little before it.
Result<std::optional<std::uint64_t>> cut_of(Reader& reader, const SealOptions& options) {
  const std::uint64_t last = reader.last_tick();
  const std::uint64_t first = reader.first_tick();
  if (options.keep > last - first) return std::optional<std::uint64_t>();
  const auto found = reader.checkpoint_before(last - options.keep);
  if (!found) return Error{found.error()};
  if (!*found) return reader.lacks_first_checkpoint();
  const std::uint64_t cut = (*found)->tick;
  if (cut == first || cut - first < options.at_least) return std::optional<std::uint64_t>();
  return std::optional(cut);
}

/// Writes a part of the recording to `path`, and reads it whole. Returns its commands.
Result<std::uint64_t> write_part(Reader& reader, const Part& part, const std::string& path,
                                 const Limits& limits) {
  auto first = reader.read_checkpoint(part.first_tick);
  if (!first) return Error{first.error()};
  CopiedTicks copied;
  {
    auto writer = PartWriter::create(path,
                                     {reader.world_file_text(), reader.made_by(),
                                      facts_for_part(reader), std::move(first).value()},
                                     limits);
    if (!writer) return Error{writer.error()};
    auto done = copy_ticks(reader, part.first_tick, part.last_tick, **writer);
    if (!done) return Error{done.error()};
    copied = *done;
  }
  if (copied.left_out > 0) {
    return Error{reader.path() + ": a checkpoint in it is damaged: repair it first"};
  }
  if (const Status alone = expect_alone(path); !alone) return Error{alone.error()};
  auto written = Reader::open(path, limits);
  if (!written) return Error{written.error()};
  const auto damage = find_damage(**written);
  if (!damage) return Error{damage.error()};
  if (!damage->whole() || (*written)->first_tick() != part.first_tick ||
      (*written)->last_tick() != part.last_tick) {
    return Error{path + ": was written, and does not hold what it should"};
  }
  return copied.commands;
}

Result<Sealed> write_both(const std::string& path, Reader& reader, std::uint64_t cut,
                          const SealOptions& options) {
  Sealed sealed{{path, cut, reader.last_tick()}, {"", reader.first_tick(), cut}, 0, 0};
  if (!options.drop) {
    const std::string old = unfinished_part(path, range_of(sealed.old));
    const auto written = write_part(reader, sealed.old, old, options.limits);
    if (!written) return Error{written.error()};
    sealed.old_commands = *written;
  }
  const auto written = write_part(reader, sealed.main, unfinished_main(path), options.limits);
  if (!written) return Error{written.error()};
  sealed.kept_commands = *written;
  return sealed;
}

/// The whole file under the name that it had during an exchange: its parts are there, or it is.
void remove_uncut(const std::string& path) {
  remove_recording(path + "." + kUncut);
}

}  // namespace

Result<std::optional<Sealed>> seal(const std::string& path, const SealOptions& options) {
  if (const auto finished = finish_repair(path); !finished) return Error{finished.error()};
  // Asked first, so that a wrong path leaves no lock file.
  if (const auto asked = Reader::open(path, options.limits); !asked) return Error{asked.error()};
  const auto lock = WriteLock::acquire(path);
  if (!lock) return Error{lock.error()};
  remove_unfinished(path);
  remove_uncut(path);
  auto reader = Reader::open(path, options.limits);
  if (!reader) return Error{reader.error()};
  const auto cut = cut_of(**reader, options);
  if (!cut) return Error{cut.error()};
  if (!*cut) return std::optional<Sealed>();
  auto sealed = write_both(path, **reader, **cut, options);
  reader->reset();
  if (!sealed) {
    remove_unfinished(path);
    return Error{sealed.error()};
  }
  if (const auto aside = begin_exchange(path, kUncut); !aside) return Error{aside.error()};
  const auto parts = finish_exchange(path);
  if (!parts) return Error{parts.error()};
  if (!parts->empty()) sealed->old.path = parts->front();
  remove_uncut(path);
  return std::optional(std::move(sealed).value());
}

std::string describe(const Sealed& sealed) {
  const auto ticks = [](const Part& part) {
    return "ticks " + std::to_string(part.first_tick + 1) + " to " + std::to_string(part.last_tick);
  };
  std::string text = sealed.main.path + ": holds " + ticks(sealed.main) + " now (" +
                     std::to_string(sealed.kept_commands) + " commands)\n";
  if (sealed.old.path.empty()) {
    return text + ticks(sealed.old) + " are gone: how the world came to be what it was at tick " +
           std::to_string(sealed.old.last_tick) + " can no longer be proved";
  }
  return text + sealed.old.path + ": holds " + ticks(sealed.old) + " (" +
         std::to_string(sealed.old_commands) + " commands), and verifies by itself";
}

}  // namespace sluice::record
