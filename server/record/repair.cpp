#include "server/record/repair.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "protocol/base/sometimes.h"
#include "server/record/bounds.h"
#include "server/record/command_batch.h"
#include "server/record/durable.h"
#include "server/record/exchange.h"
#include "server/record/files.h"
#include "server/record/packing.h"
#include "server/record/part_writer.h"
#include "server/record/write_lock.h"

namespace sluice::record {

namespace {

/// Ticks that follow each other and can be read, each with the tick before it, at which it begins.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool contains(const Stretch& stretch, std::uint64_t tick) {
  return stretch.begin <= tick && tick <= stretch.end;
}

/// The history of a damaged recording: what can be read, what was proven, and the world at any tick
/// that can be reached.
class Salvage {
 public:
  Salvage(Reader& reader, const RepairOptions& options) : reader_(reader), options_(options) {}

  /// Finds out what there is. An error is one of the system.
  Status look(Damage& damage) {
    auto found = record::find_damage(reader_);
    if (!found) return Error{found.error()};
    damage = std::move(found).value();
    for (const LostCheckpoint& lost : damage.checkpoints) bad_checkpoints_.insert(lost.tick);
    checkpoints_ = reader_.stored_checkpoints();
    if (const Status well = system(); !well) return well;
    lost_ = damage.ticks;
    cut_into_stretches();
    return prove_damaged_rows();
  }

  [[nodiscard]] const std::vector<LostTicks>& lost() const { return lost_; }
  [[nodiscard]] const std::vector<Stretch>& stretches() const { return stretches_; }

  /// A checkpoint of [from, to] that can be read: the first, or the last.
  [[nodiscard]] std::optional<std::uint64_t> first_checkpoint(std::uint64_t from,
                                                              std::uint64_t to) const {
    for (auto at = checkpoints_.lower_bound(from); at != checkpoints_.end() && *at <= to; ++at) {
      if (!bad_checkpoints_.contains(*at)) return *at;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> last_checkpoint(std::uint64_t from,
                                                             std::uint64_t to) const {
    for (auto end = checkpoints_.upper_bound(to); end != checkpoints_.begin();) {
      --end;
      if (*end < from) break;
      if (!bad_checkpoints_.contains(*end)) return *end;
    }
    return std::nullopt;
  }

  /// The first tick of a stretch whose state can be had.
  std::optional<std::uint64_t> first_state(const Stretch& stretch) {
    if (stretch.begin == 0 && reader_.first_tick() == 0 && bad_checkpoints_.contains(0) &&
        first_world() != nullptr) {
      return 0;
    }
    return first_checkpoint(stretch.begin, stretch.end);
  }

  /// A checkpoint's image: as it is stored, or of the world that a replay leads to. Nothing where
  /// neither can be had. Ticks are to be asked for in rising order.
  Result<std::optional<CheckpointImage>> image_at(std::uint64_t tick) {
    if (!bad_checkpoints_.contains(tick)) {
      auto image = reader_.read_checkpoint(tick);
      if (const Status well = system(); !well) return Error{well.error()};
      if (image) return std::optional(std::move(image).value());
    }
    const auto reached = reach(tick);
    if (!reached) return Error{reached.error()};
    if (!*reached) return std::optional<CheckpointImage>();
    return std::optional(CheckpointImage::of(*world_));
  }
  /// Whether the recording has, or had, a checkpoint of that tick.
  [[nodiscard]] bool is_checkpoint(std::uint64_t tick) const {
    return bad_checkpoints_.contains(tick) || checkpoints_.contains(tick);
  }

  /// The ticks of the row in which this one stands.
  Result<std::vector<TickRecord>> row_at(std::uint64_t tick) {
    const auto proven = proven_.upper_bound(tick);
    if (proven != proven_.begin() && std::prev(proven)->second.back().tick >= tick) {
      return std::prev(proven)->second;
    }
    return reader_.row_at(tick);
  }

 private:
  Status system() {
    const std::string failure = reader_.take_system_failure();
    return failure.empty() ? Status(Done{}) : Error{failure};
  }

  void cut_into_stretches() {
    stretches_.clear();
    std::uint64_t begin = reader_.first_tick();
    for (const LostTicks& range : lost_) {
      // The first stretch may be of no ticks: a state alone.
      if (range.first > begin + 1 || stretches_.empty()) {
        stretches_.push_back({begin, range.first - 1});
      }
      begin = range.last;
    }
    stretches_.push_back({begin, reader_.last_tick()});
  }

  /// The world that the world file describes; null where that cannot be had.
  const sim::World* first_world() {
    if (described_ || !options_.build_world) return described_.get();
    auto built = options_.build_world(reader_.world_file_text(), reader_.water());
    if (!built) return nullptr;
    // A checkpoint whose own row is whole says what it was.
    const auto stated = reader_.checkpoint_after(0);
    const bool known = stated && *stated && (*stated)->tick == 0;
    if (known && (*stated)->digest != (*built)->digest()) return nullptr;
    described_ = std::move(built).value();
    return described_.get();
  }

  /// Moves world_ to a tick by replaying from the nearest state; false where that cannot be done.
  Result<bool> reach(std::uint64_t tick) {
    const auto stretch = std::find_if(stretches_.begin(), stretches_.end(),
                                      [&](const Stretch& s) { return contains(s, tick); });
    if (stretch == stretches_.end()) return false;
    const auto nearest = last_checkpoint(stretch->begin, tick);
    const bool here = world_ != nullptr && contains(*stretch, world_->tick_number()) &&
                      world_->tick_number() <= tick &&
                      (!nearest || world_->tick_number() >= *nearest);
    if (!here && nearest) {
      auto restored = reader_.restore(*nearest);
      if (const Status well = system(); !well) return Error{well.error()};
      if (!restored) {
        bad_checkpoints_.insert(*nearest);
        return reach(tick);
      }
      world_ = std::move(restored).value();
    } else if (!here) {
      if (stretch->begin != 0 || first_world() == nullptr) return false;
      auto restored = CheckpointImage::of(*described_).restore();
      if (!restored) return false;
      world_ = std::move(restored).value();
    }
    return replay_to(tick);
  }

  Result<bool> replay_to(std::uint64_t tick) {
    while (world_->tick_number() < tick) {
      const auto row = row_at(world_->tick_number() + 1);
      if (const Status well = system(); !well) return Error{well.error()};
      if (!row) return false;
      for (const TickRecord& record : *row) {
        if (record.tick <= world_->tick_number() || record.tick > tick) continue;
        if (step(record).digest == record.digest) continue;
        world_.reset();  // its state is nobody's
        return false;
      }
    }
    return true;
  }

  sim::TickReport step(const TickRecord& record) {
    std::vector<sim::Command> commands;
    for (const RecordedCommand& recorded : record.commands) commands.push_back(recorded.command);
    return world_->tick(commands, executor_);
  }

  /// A row whose checksum does not fit is whole after all where one bit explains that, where its
  /// commands lead from the state before it to the digests that it has (the sum was hit; who sent
  /// them is not proven so), or to others with which the sum fits (digests were hit).
  Status prove_damaged_rows() {
    for (std::size_t i = 0; i < lost_.size();) {
      const LostTicks range = lost_[i];
      std::uint64_t tick = range.first;
      while (tick <= range.last) {
        const auto proven = prove_row(tick);
        if (!proven) return Error{proven.error()};
        if (!*proven) break;
        tick = proven_.at(tick).back().tick + 1;
        lost_[i].first = tick;
        cut_into_stretches();
      }
      if (tick <= range.last) {
        ++i;
        continue;
      }
      lost_.erase(lost_.begin() + static_cast<std::ptrdiff_t>(i));
      cut_into_stretches();
    }
    return Done{};
  }

  Result<bool> prove_row(std::uint64_t tick) {
    auto row = reader_.damaged_row_at(tick);
    if (const Status well = system(); !well) return Error{well.error()};
    if (!row || row->ticks.empty() || row->ticks.front().tick != tick) return false;
    if (row->mended) return keep(tick, std::move(row->ticks));
    const auto reached = reach(tick - 1);
    if (!reached || !*reached) return reached;
    bool agrees = true;
    bool same_outcomes = true;
    Bytes digests;
    for (TickRecord& record : row->ticks) {
      const sim::TickReport replayed = step(record);
      for (std::size_t i = 0; i < record.commands.size(); ++i) {
        same_outcomes =
            same_outcomes && replayed.outcomes[i].applied() == record.commands[i].applied;
      }
      agrees = agrees && replayed.digest == record.digest;
      record.digest = replayed.digest;
      put_u64(replayed.digest, digests);
    }
    const bool fits = row_checksum(tick, digests, row->commands) == row->checksum;
    if (!same_outcomes || (!agrees && !fits)) {
      world_.reset();
      return false;
    }
    return keep(tick, std::move(row->ticks));
  }

  bool keep(std::uint64_t tick, std::vector<TickRecord> row) {
    SLUICE_SOMETIMES("a damaged row of history was proven whole");
    proven_[tick] = std::move(row);
    return true;
  }

  Reader& reader_;
  const RepairOptions& options_;
  sim::SerialExecutor executor_;
  std::vector<LostTicks> lost_;
  std::vector<Stretch> stretches_;
  std::set<std::uint64_t> checkpoints_;  // those that the file tells of
  std::set<std::uint64_t> bad_checkpoints_;
  std::map<std::uint64_t, std::vector<TickRecord>> proven_;  // by the row's first tick
  std::unique_ptr<sim::World> described_;
  std::unique_ptr<sim::World> world_;
};

class Repairer {
 public:
  Repairer(const std::string& path, Reader& reader, const RepairOptions& options)
      : path_(path), reader_(reader), options_(options), salvage_(reader, options) {}

  Result<Repair> run() {
    if (const Status looked = salvage_.look(result_.damage); !looked) {
      return Error{looked.error() + "; it is not repaired, for it may be whole"};
    }
    result_.main = {path_, reader_.first_tick(), reader_.last_tick()};
    result_.first_known_tick = reader_.first_tick();
    result_.last_known_tick = reader_.last_tick();
    if (result_.damage.whole()) return std::move(result_);
    result_.lost = salvage_.lost();
    if (const Status kept = keep_what_there_is(); !kept) {
      remove_unfinished(path_);
      return Error{kept.error()};
    }
    return std::move(result_);
  }

 private:
  Status keep_what_there_is() {
    const std::vector<Stretch>& stretches = salvage_.stretches();
    bool have_main = false;
    // From the last one back: the first that has a state becomes the main part.
    for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
      if (!have_main) {
        // A state without the history before and behind it is newer than all that comes earlier.
        const bool last = stretch == stretches.rbegin();
        const std::uint64_t to = last ? reader_.last_tick() : std::prev(stretch)->begin;
        const auto lone = salvage_.last_checkpoint(stretch->end + 1, to);
        if (stretch->end < to && lone) {
          if (const auto done = write({*lone, *lone}, true); !done) return done;
          have_main = true;
        }
      }
      const auto state = salvage_.first_state(*stretch);
      leave_without_state(*stretch, state);
      if (!state) continue;
      if (const auto done = write({*state, stretch->end}, !have_main); !done) return done;
      have_main = true;
    }
    if (!have_main) return Error{path_ + ": no state in it can be had: restore a backup"};
    return Done{};
  }

  void leave_without_state(const Stretch& stretch, const std::optional<std::uint64_t>& state) {
    const std::uint64_t end = state ? *state : stretch.end;
    if (end <= stretch.begin) return;
    LostTicks left{stretch.begin + 1, end, "no state to replay from", 0, {}, false};
    for (std::uint64_t tick = left.first; tick <= left.last;) {
      const auto row = salvage_.row_at(tick);
      if (!row) break;
      for (const TickRecord& record : *row) {
        if (record.tick < tick || record.tick > left.last) continue;
        left.commands += record.commands.size();
        for (const RecordedCommand& command : record.commands) left.clients.insert(command.client);
      }
      tick = row->back().tick + 1;
    }
    result_.without_state.push_back(std::move(left));
  }

  Status write(const Stretch& part, bool main) {
    if (!main && part.begin == part.end) return Done{};  // a world that was left long ago
    const std::string range = std::to_string(part.begin) + "-" + std::to_string(part.end);
    const std::string path = main ? unfinished_main(path_) : unfinished_part(path_, range);
    auto first = salvage_.image_at(part.begin);
    if (!first) return Error{first.error()};
    if (!*first) return Error{path_ + ": the state of tick " + range + " went away"};
    auto writer = PartWriter::create(
        path,
        {reader_.world_file_text(), reader_.made_by(), facts_for_part(reader_), std::move(**first)},
        options_.limits);
    if (!writer) return Error{writer.error()};
    if (const auto copied = copy(part, **writer); !copied) return copied;
    if (const auto done = (*writer)->finish(); !done) return done;
    writer->reset();
    if (const Status alone = expect_alone(path); !alone) return alone;
    if (!main) SLUICE_SOMETIMES("a repair kept a part of its own");
    if (main) {
      result_.main = {path_, part.begin, part.end};
    } else {
      result_.parts.push_back({path_ + ".part-" + range, part.begin, part.end});
    }
    return Done{};
  }

  Status copy(const Stretch& part, PartWriter& writer) {
    for (std::uint64_t tick = part.begin + 1; tick <= part.end;) {
      const auto row = salvage_.row_at(tick);
      if (!row) return Error{row.error()};
      for (const TickRecord& record : *row) {
        if (record.tick < tick || record.tick > part.end) continue;
        if (const auto written = writer.add(record); !written) return written;
        if (!salvage_.is_checkpoint(record.tick)) continue;
        if (const auto copied = copy_checkpoint(record.tick, writer); !copied) return copied;
      }
      tick = row->back().tick + 1;
    }
    return Done{};
  }

  Status copy_checkpoint(std::uint64_t tick, PartWriter& writer) {
    auto image = salvage_.image_at(tick);
    if (!image) return Error{image.error()};
    // One that cannot be had is left out: it would only make the part refuse itself.
    if (*image) return writer.add(std::move(**image));
    not_rebuilt(tick);
    return Done{};
  }

  void not_rebuilt(std::uint64_t tick) {
    for (const LostCheckpoint& lost : result_.damage.checkpoints) {
      if (lost.tick == tick) result_.not_rebuilt.push_back(lost);
    }
  }

  const std::string& path_;
  Reader& reader_;
  const RepairOptions& options_;
  Salvage salvage_;
  Repair result_;
};

}  // namespace

Result<bool> finish_repair(const std::string& path) {
  const bool decided = is_exchanging(path);
  if (!decided && !has_leftovers(path)) return false;
  const auto lock = WriteLock::acquire(path);
  // What is being made is that writer's.
  if (!lock && !decided) return false;
  if (!lock) return Error{lock.error()};
  if (decided) {
    SLUICE_SOMETIMES("a start completed a repair");
    const auto finished = finish_exchange(path);
    if (!finished) return Error{finished.error()};
  }
  remove_leftovers(path);
  return decided;
}

Result<Repair> repair(const std::string& path, const RepairOptions& options) {
  const auto completed = finish_repair(path);
  if (!completed) return Error{completed.error()};
  if (*completed) SLUICE_SOMETIMES("a repair found another one undone");
  // Asked first, so that a wrong path leaves no lock file and a wrong file is called what it is.
  if (const auto asked = Reader::open_damaged(path, options.limits); !asked) {
    return Error{asked.error()};
  }
  const auto lock = WriteLock::acquire(path);
  if (!lock) return Error{lock.error()};
  remove_unfinished(path);
  auto reader = Reader::open_damaged(path, options.limits);
  if (!reader) return Error{reader.error()};
  auto result = Repairer(path, **reader, options).run();
  reader->reset();
  if (!result) return result;
  result->completed_another = *completed;
  if (result->damage.whole()) return result;
  const auto aside = begin_exchange(path, "damaged");
  if (!aside) return Error{aside.error()};
  result->set_aside = *aside;
  const auto parts = finish_exchange(path);
  if (!parts) return Error{parts.error()};
  for (Part& part : result->parts) {
    for (const std::string& name : *parts) {
      if (name == part.path || name.starts_with(part.path + "-")) part.path = name;
    }
  }
  return result;
}

}  // namespace sluice::record
