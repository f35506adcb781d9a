#include "server/record/bundle.h"

#include <algorithm>
#include <utility>

#include "server/record/part_writer.h"
#include "server/record/recorder.h"
#include "server/record/tick_cursor.h"

namespace sluice::record {

namespace {

/// The last checkpoint at or before `tick` that can be read.
Result<CheckpointImage> usable_checkpoint(Reader& reader, std::uint64_t tick) {
  for (;;) {
    const auto found = reader.checkpoint_before(tick);
    if (!found) return Error{found.error()};
    if (!*found) return reader.lacks_first_checkpoint();
    auto image = reader.read_checkpoint((*found)->tick);
    if (image || (*found)->tick == reader.first_tick()) return image;
    tick = (*found)->tick - 1;
  }
}

std::vector<Fact> facts_of(const Reader& reader, const BundleOptions& options) {
  std::vector<Fact> facts;
  for (const Fact& fact : reader.facts()) {
    if (fact.name != "begins" && !fact.name.starts_with("bundle_")) facts.push_back(fact);
  }
  for (const Fact& fact : program_facts()) facts.push_back({"bundle_" + fact.name, fact.value});
  facts.push_back({"bundle_around", std::to_string(options.around)});
  facts.insert(facts.end(), options.facts.begin(), options.facts.end());
  return facts;
}

}  // namespace

Result<Bundle> write_bundle(Reader& reader, const BundleOptions& options, const std::string& path) {
  SLUICE_ASSERT(options.around >= reader.first_tick() && options.around <= reader.last_tick());
  const std::uint64_t earliest =
      options.around - std::min(options.before, options.around - reader.first_tick());
  const std::uint64_t last =
      options.around + std::min(options.after, reader.last_tick() - options.around);
  auto first = usable_checkpoint(reader, earliest);
  if (!first) return Error{first.error()};
  Bundle part{first->tick, last, 0};
  auto writer = PartWriter::create(path,
                                   {reader.world_file_text(), reader.made_by(),
                                    facts_of(reader, options), std::move(first).value()},
                                   {});
  if (!writer) return Error{writer.error()};
  TickCursor cursor(reader, part.first_tick + 1);
  for (std::uint64_t tick = part.first_tick + 1; tick <= last; ++tick) {
    const auto record = cursor.next();
    if (!record) return Error{record.error()};
    part.commands += (*record)->commands.size();
    Status written = (*writer)->add(**record);
    const auto checkpoint = reader.checkpoint_before(tick);
    if (written && checkpoint && *checkpoint && (*checkpoint)->tick == tick) {
      // One that cannot be read is left out: it would only make the part refuse itself.
      auto image = reader.read_checkpoint(tick);
      if (image) written = (*writer)->add(std::move(image).value());
    }
    if (!written) return Error{written.error()};
  }
  if (const Status done = (*writer)->finish(); !done) return Error{done.error()};
  return part;
}

}  // namespace sluice::record
