#include "server/record/bundle.h"

#include <algorithm>
#include <utility>

#include "server/record/recorder.h"

namespace sluice::record {

namespace {

/// The last checkpoint at or before `tick` that can be read.
sim::Result<CheckpointImage> usable_checkpoint(Reader& reader, std::uint64_t tick) {
  for (;;) {
    const auto found = reader.checkpoint_before(tick);
    if (!found) return sim::Error{found.error()};
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

sim::Result<Bundle> copy_part(Reader& reader, CheckpointImage first, std::uint64_t last,
                              std::vector<Fact> facts, const std::string& path) {
  Bundle part{first.tick, last, 0};
  auto recorder = Recorder::create(
      path, {reader.world_file_text(), reader.made_by(), std::move(facts), std::move(first)});
  if (!recorder) return sim::Error{recorder.error()};
  if (last == part.first_tick) return part;

  sim::Status written = sim::Done{};
  const auto copy = [&](const TickRecord& tick) {
    written = (*recorder)->append(tick);
    part.commands += tick.commands.size();
    return written.ok();
  };
  const sim::Status read = reader.read_ticks(part.first_tick + 1, last, copy);
  if (!read) return sim::Error{read.error()};
  for (std::uint64_t tick = part.first_tick + 1; written && tick <= last;) {
    const auto next = reader.checkpoint_after(tick);
    if (!next || !*next || (*next)->tick > last) break;
    // One that cannot be read is left out: it would only make the part refuse itself.
    auto image = reader.read_checkpoint((*next)->tick);
    if (image) written = (*recorder)->append_checkpoint(std::move(image).value());
    tick = (*next)->tick + 1;
  }
  if (written) written = (*recorder)->commit();
  if (!written) return sim::Error{written.error()};
  return part;
}

sim::Result<Bundle> write_bundle(Reader& reader, const BundleOptions& options,
                                 const std::string& path) {
  SLUICE_ASSERT(options.around >= reader.first_tick() && options.around <= reader.last_tick());
  const std::uint64_t earliest =
      options.around - std::min(options.before, options.around - reader.first_tick());
  const std::uint64_t last =
      options.around + std::min(options.after, reader.last_tick() - options.around);
  auto first = usable_checkpoint(reader, earliest);
  if (!first) return sim::Error{first.error()};
  return copy_part(reader, std::move(first).value(), last, facts_of(reader, options), path);
}

}  // namespace sluice::record
