#include "server/record/part_writer.h"

#include <utility>

#include "server/record/bounds.h"

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

}  // namespace sluice::record
