#include "server/record/bundle.h"

#include <algorithm>
#include <utility>

#include "server/record/part_writer.h"
#include "server/record/recorder.h"

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
  std::vector<Fact> facts = facts_for_part(reader);
  std::erase_if(facts, [](const Fact& fact) { return fact.name.starts_with("bundle_"); });
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
  const auto copied = copy_ticks(reader, part.first_tick, last, **writer);
  if (!copied) return Error{copied.error()};
  part.commands = copied->commands;
  return part;
}

}  // namespace sluice::record
