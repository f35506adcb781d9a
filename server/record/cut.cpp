#include "server/record/cut.h"

#include <utility>

#include "protocol/base/sometimes.h"
#include "server/record/durable.h"
#include "server/record/exchange.h"

namespace sluice::record {

namespace {

std::string range_of(const Part& part) {
  return std::to_string(part.first_tick) + "-" + std::to_string(part.last_tick);
}

}  // namespace

Cut::Cut(std::string path, const SealOptions& options, std::unique_ptr<Reader> reader)
    : path_(std::move(path)), options_(options), reader_(std::move(reader)) {}

// A decided exchange is completed by others, and needs what is there.
Cut::~Cut() {
  written_.reset();
  writer_.reset();
  reader_.reset();
  if (!is_exchanging(path_)) remove_leftovers(path_);
}

Result<std::unique_ptr<Cut>> Cut::find(const std::string& path, const SealOptions& options) {
  // What lies there belongs to it.
  if (is_exchanging(path)) return Error{path + ": is being exchanged already"};
  remove_leftovers(path);
  auto reader = Reader::open(path, options.limits);
  if (!reader) return Error{reader.error()};
  std::unique_ptr<Cut> cut(new Cut(path, options, std::move(reader).value()));
  const auto at = cut->place();
  if (!at) return Error{at.error()};
  if (!*at) return std::unique_ptr<Cut>();
  Sealed& sealed = cut->sealed_;
  sealed.old = {"", cut->reader_->first_tick(), **at};
  if (!options.drop) sealed.old.path = part_of(path, range_of(sealed.old));
  sealed.main = {path, **at, cut->reader_->last_tick()};
  return cut;
}

bool Cut::stopped() const {
  return options_.stop != nullptr && *options_.stop;
}

// The checkpoint at which to cut; nothing: there is too little before it.
Result<std::optional<std::uint64_t>> Cut::place() const {
  const std::uint64_t last = reader_->last_tick();
  const std::uint64_t first = reader_->first_tick();
  if (options_.keep > last - first) return std::optional<std::uint64_t>();
  const auto found = reader_->checkpoint_before(last - options_.keep);
  if (!found) return Error{found.error()};
  if (!*found) return reader_->lacks_first_checkpoint();
  const std::uint64_t at = (*found)->tick;
  if (at == first || at - first < options_.at_least) return std::optional<std::uint64_t>();
  return std::optional(at);
}

Status Cut::write_old() {
  const std::string path = unfinished_part(path_, range_of(sealed_.old));
  auto writer = begin_part(path, sealed_.old.first_tick);
  if (!writer) return Error{writer.error()};
  const auto commands = add_ticks(**writer, sealed_.old.first_tick, sealed_.old.last_tick);
  if (!commands) return Error{commands.error()};
  sealed_.old_commands = *commands;
  writer->reset();
  if (Status alone = expect_alone(path); !alone) return alone;
  auto written = Reader::open(path, options_.limits);
  if (!written) return Error{written.error()};
  return check_whole(**written, sealed_.old);
}

Status Cut::prepare() {
  if (!options_.drop) {
    if (Status written = write_old(); !written) return written;
  }
  auto writer = begin_part(unfinished_main(path_), sealed_.main.first_tick);
  if (!writer) return Error{writer.error()};
  writer_ = std::move(writer).value();
  const auto commands = add_ticks(*writer_, sealed_.main.first_tick, sealed_.main.last_tick);
  if (!commands) return Error{commands.error()};
  sealed_.kept_commands = *commands;
  auto written = Reader::open(unfinished_main(path_), options_.limits);
  if (!written) return Error{written.error()};
  written_ = std::move(written).value();
  return check_whole(*written_, sealed_.main);
}

Result<std::unique_ptr<PartWriter>> Cut::begin_part(const std::string& path,
                                                    std::uint64_t first) const {
  auto image = reader_->read_checkpoint(first);
  if (!image) return Error{image.error()};
  return PartWriter::create(path,
                            {reader_->world_file_text(), reader_->made_by(),
                             facts_for_part(*reader_), std::move(image).value()},
                            options_.limits);
}

// Returns their commands.
Result<std::uint64_t> Cut::add_ticks(PartWriter& writer, std::uint64_t after,
                                     std::uint64_t last) const {
  const auto copied = copy_ticks(*reader_, after, last, writer, options_.stop);
  if (!copied) return Error{copied.error()};
  if (copied->left_out > 0) {
    return Error{path_ + ": a checkpoint in it is damaged: repair it first"};
  }
  return copied->commands;
}

Status Cut::check_whole(Reader& written, const Part& part) const {
  DamageSearch search(written);
  for (;;) {
    if (stopped()) return Error{written.path() + ": reading it was stopped"};
    const auto more = search.step();
    if (!more) return Error{more.error()};
    if (!*more) break;
  }
  if (!search.found().whole() || written.first_tick() != part.first_tick ||
      written.last_tick() != part.last_tick) {
    return Error{written.path() + ": was written, and does not hold what it should"};
  }
  return Done{};
}

Result<std::uint64_t> Cut::catch_up() {
  if (const Status looked = reader_->refresh(); !looked) return Error{looked.error()};
  const std::uint64_t after = last_tick();
  const std::uint64_t last = reader_->last_tick();
  if (const Status added = add_late_checkpoint(); !added) return Error{added.error()};
  if (last == after) return std::uint64_t{0};
  const auto commands = add_ticks(*writer_, after, last);
  if (!commands) return Error{commands.error()};
  sealed_.kept_commands += *commands;
  sealed_.main.last_tick = last;
  SLUICE_SOMETIMES("a cut caught up with its world");
  if (const Status read = check_added(after); !read) return Error{read.error()};
  return last - after;
}

// The checkpoint of a tick may be committed after it: that of the last tick that was copied may
// have come since. The writer's next image may tell the changes from it.
Status Cut::add_late_checkpoint() {
  const auto recorded = reader_->checkpoint_before(last_tick());
  if (!recorded) return Error{recorded.error()};
  const auto copied = written_->checkpoint_before(last_tick());
  if (!copied) return Error{copied.error()};
  if (!*recorded || !*copied) return written_->lacks_first_checkpoint();
  const std::uint64_t tick = (*recorded)->tick;
  if (tick == (*copied)->tick) return Done{};
  auto image = reader_->read_checkpoint(tick);
  if (!image) return Error{image.error()};
  SLUICE_SOMETIMES("a cut was given a checkpoint that came after its tick");
  Status added = writer_->add(std::move(image).value());
  if (added) added = writer_->finish();
  return added ? written_->check_checkpoint(tick) : added;
}

// What was there before was read already.
Status Cut::check_added(std::uint64_t after) {
  if (Status looked = written_->refresh(); !looked) return looked;
  const std::uint64_t last = last_tick();
  if (written_->last_tick() != last) {
    return Error{written_->path() + ": was written, and does not hold what it should"};
  }
  const auto digests = written_->digests(after + 1, last);
  if (!digests) return Error{digests.error()};
  const auto recorded = reader_->digests(after + 1, last);
  if (!recorded) return Error{recorded.error()};
  if (*digests != *recorded) {
    return Error{written_->path() + ": was written, and holds other digests than it should"};
  }
  Status read = written_->read_commands(after + 1, last, [](const TickRecord&) { return true; });
  for (std::uint64_t tick = after + 1; read && tick <= last; ++tick) {
    const auto next = written_->checkpoint_after(tick);
    if (!next) return Error{next.error()};
    if (!*next) break;
    tick = (*next)->tick;
    read = written_->check_checkpoint(tick);
  }
  return read;
}

// From here on it is nobody's any more.
Status Cut::close_parts() {
  written_.reset();
  writer_.reset();
  reader_.reset();
  return expect_alone(unfinished_main(path_));
}

Result<Sealed> Cut::take_place() {
  if (const Status closed = close_parts(); !closed) return Error{closed.error()};
  if (const Status begun = begin_replacement(path_); !begun) return Error{begun.error()};
  const auto parts = finish_exchange(path_);
  if (!parts) return Error{parts.error()};
  if (!parts->empty()) sealed_.old.path = parts->front();
  return sealed_;
}

Result<std::optional<Sealed>> Cut::take_place(Recorder& recorder, std::uint64_t most_behind) {
  if (recorder.last_tick() - last_tick() > most_behind) return std::optional<Sealed>();
  if (const auto added = catch_up(); !added) return Error{added.error()};
  if (const Status closed = close_parts(); !closed) return Error{closed.error()};
  const auto parts = recorder.change_file();
  if (!parts) return Error{parts.error()};
  if (!parts->empty()) sealed_.old.path = parts->front();
  SLUICE_SOMETIMES("a recording changed its file while its world ran");
  return std::optional(sealed_);
}

}  // namespace sluice::record
