#include "server/record/part_writer.h"

#include <utility>

#include "server/record/bounds.h"
#include "server/record/tick_cursor.h"

namespace sluice::record {

Result<std::unique_ptr<PartWriter>> PartWriter::create(const std::string& path,
                                                       Foundation foundation,
                                                       const Limits& limits) {
  auto recorder = Recorder::create(path, std::move(foundation), limits);
  if (!recorder) return Error{recorder.error()};
  return std::unique_ptr<PartWriter>(new PartWriter(std::move(recorder).value()));
}

Status PartWriter::add(const TickRecord& tick) {
  if (const Status taken = recorder_->append_copy(tick); !taken) return taken;
  ++ticks_;
  bytes_ += batch_bytes(tick);
  return commit_if_much();
}

Status PartWriter::add(CheckpointImage image) {
  bytes_ += image.core.size();
  for (const CheckpointImage::Chunk& chunk : image.chunks) {
    bytes_ += chunk.bytes.size() + chunk.marks.size();
  }
  if (const auto taken = recorder_->append_checkpoint(std::move(image)); !taken) return taken;
  return commit_if_much();
}

Status PartWriter::commit_if_much() {
  return ticks_ >= kTicksPerPiece || bytes_ >= kBytesPerPiece ? finish() : Done{};
}

Status PartWriter::finish() {
  ticks_ = 0;
  bytes_ = 0;
  return recorder_->commit();
}

Result<CopiedTicks> copy_ticks(Reader& reader, std::uint64_t after, std::uint64_t last,
                               PartWriter& writer, const std::atomic<bool>* stop) {
  CopiedTicks copied;
  TickCursor cursor(reader, after + 1);
  auto next = reader.checkpoint_after(after + 1);
  for (std::uint64_t tick = after + 1; tick <= last; ++tick) {
    if (stop != nullptr && *stop) return Error{reader.path() + ": copying it was stopped"};
    const auto record = cursor.next();
    if (!record) return Error{record.error()};
    copied.commands += (*record)->commands.size();
    if (const Status added = writer.add(**record); !added) return Error{added.error()};
    if (!next) return Error{next.error()};
    if (!*next || (*next)->tick != tick) continue;
    auto image = reader.read_checkpoint(tick);
    if (!image) {
      ++copied.left_out;
    } else if (const Status added = writer.add(std::move(image).value()); !added) {
      return Error{added.error()};
    }
    next = reader.checkpoint_after(tick + 1);
  }
  if (const Status done = writer.finish(); !done) return Error{done.error()};
  return copied;
}

std::vector<Fact> facts_for_part(const Reader& reader) {
  std::vector<Fact> facts;
  for (const Fact& fact : reader.facts()) {
    if (fact.name != "begins") facts.push_back(fact);
  }
  if (facts.empty()) facts = program_facts();
  return facts;
}

}  // namespace sluice::record
