#include "server/record/repair.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "server/record/bundle.h"
#include "server/record/database.h"
#include "server/record/durable.h"
#include "server/record/write_lock.h"

namespace sluice::record {

namespace {

/// A name beside `path` that nothing has.
std::string free_name(const std::string& path, const std::string& word) {
  std::string name = path + "." + word;
  for (int i = 2; std::filesystem::exists(name); ++i)
    name = path + "." + word + "-" + std::to_string(i);
  return name;
}

std::string ticks_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? "tick " + std::to_string(first)
                       : "ticks " + std::to_string(first) + " to " + std::to_string(last);
}

void lose(std::vector<LostTicks>& lost, std::uint64_t tick, const std::string& why) {
  if (!lost.empty() && lost.back().last + 1 == tick) {
    lost.back().last = tick;
  } else {
    lost.push_back({tick, tick, why});
  }
}

/// The first checkpoint of [from, to] that can be read.
std::optional<CheckpointImage> first_usable(Reader& reader, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t tick = from; tick <= to;) {
    const auto found = reader.checkpoint_after(tick);
    if (!found || !*found || (*found)->tick > to) return std::nullopt;
    auto image = reader.read_checkpoint((*found)->tick);
    if (image) return std::move(image).value();
    tick = (*found)->tick + 1;
  }
  return std::nullopt;
}

class Repairer {
 public:
  Repairer(const std::string& path, Reader& reader) : path_(path), reader_(reader) {}

  sim::Result<Repair> run() {
    result_.survey = survey(reader_);
    result_.main = {path_, reader_.first_tick(), reader_.last_tick()};
    if (result_.survey.whole()) return std::move(result_);
    const auto stretches = stretches_between(result_.survey.ticks);
    // From the last one back: the first that has a state becomes the main part.
    bool have_main = false;
    for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
      const auto done = keep(stretch->first, stretch->second, have_main);
      if (!done) return give_up(done.error());
      have_main = have_main || *done;
    }
    if (!have_main) return give_up(path_ + ": no checkpoint in it can be read: restore a backup");
    return result_;
  }

  [[nodiscard]] const std::string& new_main() const { return new_main_; }

 private:
  using Stretch = std::pair<std::uint64_t, std::uint64_t>;

  /// Stretches of ticks that can be read, each with the tick before it, at which it would begin.
  [[nodiscard]] std::vector<Stretch> stretches_between(const std::vector<LostTicks>& lost) const {
    std::vector<Stretch> stretches;
    std::uint64_t begin = reader_.first_tick();
    for (const LostTicks& range : lost) {
      if (range.first > begin + 1) stretches.emplace_back(begin, range.first - 1);
      begin = range.last;
    }
    // A loss at the very end leaves a stretch of no ticks, unless its last tick has a checkpoint.
    stretches.emplace_back(begin, reader_.last_tick());
    return stretches;
  }

  /// True when the stretch has a usable checkpoint, and was written.
  sim::Result<bool> keep(std::uint64_t begin, std::uint64_t end, bool have_main) {
    auto first = first_usable(reader_, begin, end);
    const std::uint64_t from = first ? first->tick : end;
    if (from > begin) result_.without_state.push_back({begin + 1, from, "no usable checkpoint"});
    if (!first) return false;
    std::string path = path_ + ".new-main";
    if (have_main) {
      path = free_name(path_, "part-" + std::to_string(from) + "-" + std::to_string(end));
    } else {
      new_main_ = path;
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
    std::vector<Fact> facts;
    for (const Fact& fact : reader_.facts()) {
      if (fact.name != "begins") facts.push_back(fact);
    }
    const auto part = copy_part(reader_, std::move(*first), end, std::move(facts), path);
    if (!part) return sim::Error{part.error()};
    made_.push_back(path);
    if (have_main) {
      result_.parts.push_back({path, from, end});
    } else {
      result_.main = {path_, from, end};
    }
    return true;
  }

  sim::Error give_up(const std::string& why) {
    std::error_code ignored;
    for (const std::string& path : made_) std::filesystem::remove(path, ignored);
    return {why};
  }

  const std::string& path_;
  Reader& reader_;
  Repair result_;
  std::string new_main_;
  std::vector<std::string> made_;
};

/// Puts `made` in the place of `path`, of which `aside` becomes another name first: whenever this
/// is interrupted there is a file at `path`, so that no server takes the world for a new one.
sim::Status exchange(const std::string& path, const std::string& made, const std::string& aside) {
  std::error_code error;
  std::filesystem::create_hard_link(path, aside, error);
  if (error) std::filesystem::copy_file(path, aside, error);
  const bool has_log = std::filesystem::exists(path + "-wal");
  if (!error && has_log) std::filesystem::copy_file(path + "-wal", aside + "-wal", error);
  if (error) return sim::Error{aside + ": cannot be made: " + error.message()};
  if (const auto synced = sync_directory_of(path); !synced) return synced;
  // A log beside the new file would be taken for its own.
  std::filesystem::remove(path + "-wal", error);
  std::filesystem::remove(path + "-shm", error);
  if (std::rename(made.c_str(), path.c_str()) != 0) {
    return sim::Error{path + ": cannot be replaced: " + std::strerror(errno)};
  }
  return sync_directory_of(path);
}

}  // namespace

Survey survey(Reader& reader) {
  Survey found;
  for (std::uint64_t tick = reader.first_tick() + 1; tick <= reader.last_tick();) {
    const auto row = reader.row_at(tick);
    if (row) {
      tick = row->back().tick + 1;
    } else {
      lose(found.ticks, tick++, row.error());
    }
  }
  bool first = false;
  for (std::uint64_t tick = reader.first_tick(); tick <= reader.last_tick();) {
    const auto checkpoint = reader.checkpoint_after(tick);
    if (!checkpoint) {
      found.checkpoints.push_back({tick, checkpoint.error()});
      break;
    }
    if (!*checkpoint) break;
    first = first || (*checkpoint)->tick == reader.first_tick();
    const auto image = reader.read_checkpoint((*checkpoint)->tick);
    if (!image) found.checkpoints.push_back({(*checkpoint)->tick, image.error()});
    tick = (*checkpoint)->tick + 1;
  }
  if (!first && found.checkpoints.empty()) {
    found.checkpoints.push_back({reader.first_tick(), reader.lacks_first_checkpoint().message});
  }
  return found;
}

sim::Result<Repair> repair(const std::string& path) {
  auto reader = Reader::open(path);
  if (!reader) return sim::Error{reader.error()};
  const auto lock = WriteLock::acquire(path);
  if (!lock) return sim::Error{lock.error()};
  Repairer repairer(path, **reader);
  auto result = repairer.run();
  reader->reset();
  if (!result || result->survey.whole()) return result;
  result->set_aside = free_name(path, "damaged");
  const auto exchanged = exchange(path, repairer.new_main(), result->set_aside);
  if (!exchanged) return sim::Error{exchanged.error()};
  return result;
}

std::string describe(const Repair& repair) {
  const Part& main = repair.main;
  if (repair.survey.whole()) {
    return main.path + ": whole: " + ticks_text(main.first_tick, main.last_tick) +
           " and every checkpoint can be read";
  }
  std::string text = main.path + ": was damaged; the damaged file is now " + repair.set_aside;
  for (const LostTicks& lost : repair.survey.ticks) {
    text += "\n  lost: " + ticks_text(lost.first, lost.last) + " (" + lost.why + ")";
  }
  for (const LostCheckpoint& lost : repair.survey.checkpoints) {
    text += "\n  lost: the checkpoint of tick " + std::to_string(lost.tick) + " (" + lost.why + ")";
  }
  for (const LostTicks& left : repair.without_state) {
    text += "\n  without a state to replay from, in the damaged file only: " +
            ticks_text(left.first, left.last);
  }
  for (const Part& part : repair.parts) {
    text += "\n  kept apart: " + ticks_text(part.first_tick, part.last_tick) + " in " + part.path;
  }
  return text + "\n  kept: " + ticks_text(main.first_tick, main.last_tick) + " in " + main.path;
}

namespace {

/// Whether the copy holds all that the old backup holds.
sim::Status goes_on_from(Reader& copy, const std::string& old_path) {
  if (!std::filesystem::exists(old_path)) return sim::Done{};
  auto old = Reader::open(old_path);
  // What is no recording is nobody's backup of one, and not ours to replace.
  if (!old) return sim::Error{old.error() + "; it is not replaced"};
  const std::uint64_t last = (*old)->last_tick();
  const std::string kept = old_path + ": keeps its history up to tick " + std::to_string(last) +
                           ", because the recording ";
  if (copy.last_tick() < last || copy.first_tick() > (*old)->first_tick()) {
    return sim::Error{kept + "holds less (ticks " + std::to_string(copy.first_tick()) + " to " +
                      std::to_string(copy.last_tick()) + ")"};
  }
  if (last == (*old)->first_tick()) return sim::Done{};
  const auto before = (*old)->digests(last, last);
  const auto now = copy.digests(last, last);
  if (!before) return sim::Done{};  // the old one is damaged there: the good copy replaces it
  if (!now) return sim::Error{now.error()};
  if (*before != *now) return sim::Error{kept + "holds another history"};
  return sim::Done{};
}

}  // namespace

sim::Result<std::uint64_t> backup(const std::string& path, const std::string& to) {
  if (std::filesystem::exists(to) && std::filesystem::equivalent(path, to)) {
    return sim::Error{to + ": is the recording itself"};
  }
  const std::string unfinished = to + ".new";
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  const auto clean_up = [&](const std::string& why) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(unfinished + suffix, ignored);
    }
    return sim::Error{why};
  };
  if (const auto reader = Reader::open(path); !reader) return sim::Error{reader.error()};
  if (const auto copied = Database::copy(path, unfinished); !copied)
    return clean_up(copied.error());
  std::uint64_t last = 0;
  {
    auto copy = Reader::open(unfinished);
    if (!copy) return clean_up(copy.error());
    last = (*copy)->last_tick();
    const Survey found = survey(**copy);
    if (!found.ticks.empty()) return clean_up(path + ": " + found.ticks.front().why);
    if (!found.checkpoints.empty()) return clean_up(path + ": " + found.checkpoints.front().why);
    if (const auto fits = goes_on_from(**copy, to); !fits) return clean_up(fits.error());
  }
  if (const auto synced = sync_file(unfinished); !synced) return clean_up(synced.error());
  if (std::rename(unfinished.c_str(), to.c_str()) != 0) {
    return clean_up(to + ": cannot be replaced: " + std::strerror(errno));
  }
  if (const auto synced = sync_directory_of(to); !synced) return sim::Error{synced.error()};
  return last;
}

}  // namespace sluice::record
