#include "tests/hunt/ledger.h"

#include <algorithm>
#include <utility>

#include "server/formats/script.h"
#include "server/record/bounds.h"
#include "server/record/client_name.h"
#include "server/record/difference.h"
#include "server/record/verify.h"
#include "tests/hunt/rest.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::hunt {

namespace {

std::string text_of(const Ledger::Name& name) {
  return "command " + std::to_string(name.second) + " of " + name.first;
}

std::vector<std::byte> bytes_of(const sim::Command& command) {
  std::vector<std::byte> bytes;
  sim::append_command(command, bytes);
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
  const auto command = sim::read_command(bytes);
  return command ? formats::format_command(*command, 0) : command.error();
}

}  // namespace

void Ledger::sent(const std::string& client, std::uint64_t seq, sim::Command command) {
  // As it is kept: of texts that are longer than any that can be, their beginning.
  record::RecordedCommand kept{std::move(command), client, seq, false, {}};
  record::bound(kept);
  sent_[{client, seq}] = bytes_of(kept.command);
}

void Ledger::answered(const std::string& client, const protocol::CommandResult& result) {
  ground_.journal.add(result.applied ? "applied" : "refused", result.seq, result.tick);
  // "may be lost" promises nothing.
  const bool unsure = result.reason.starts_with("the recording failed");
  // One that was sent before a reset speaks of a world that is gone.
  const bool of_this_world = sent_.contains({client, result.seq});
  if (result.tick == 0 || unsure || !of_this_world) return;
  promises_[{client, result.seq}] = {result.tick, result.applied};
}

void Ledger::ticked(const sim::World& world) {
  ground_.journal.add("tick", world.tick_number(), world.digest());
  if (!world.conserved()) {
    ground_.journal.fail("conservation", "tick " + std::to_string(world.tick_number()));
  }
  seen_[world.tick_number()] = world.digest();
  if (world.tick_number() == kept_tick_) kept_ = tests::through_a_snapshot(world);
}

void Ledger::came_back(std::uint64_t tick) {
  seen_.erase(seen_.upper_bound(tick), seen_.end());
  read_to_ = 0;
}

void Ledger::begins_anew() {
  sent_.clear();
  promises_.clear();
  seen_.clear();
  read_to_ = 0;
}

void Ledger::lost(const record::Repair& repair) {
  for (const auto* list : {&repair.lost, &repair.without_state}) {
    for (const record::LostTicks& range : *list) lost_.emplace_back(range.first, range.last);
  }
  if (repair.damage.begin_unknown) lost_.emplace_back(1, repair.first_known_tick);
  if (repair.damage.end_unknown || loses_sectors_) {
    lost_.emplace_back(repair.last_known_tick + 1, UINT64_MAX);
  }
}

void Ledger::lost_what_is_not_there() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> there;
  for (const std::string& name : ground_.disk.names()) {
    const bool is_part = name.starts_with(std::string(kRecording) + ".part-");
    if (name != kRecording && !is_part) continue;
    const auto reader = record::Reader::open(name, ground_.plan.record_limits());
    if (reader) there.emplace_back((*reader)->first_tick(), (*reader)->last_tick());
  }
  std::sort(there.begin(), there.end());
  std::uint64_t known = 0;
  for (const auto& [first, last] : there) {
    if (first > known) lost_.emplace_back(known + 1, first);
    known = std::max(known, last);
  }
  lost_.emplace_back(known + 1, UINT64_MAX);
}

bool Ledger::named_as_lost(std::uint64_t tick) const {
  for (const auto& [first, last] : lost_) {
    if (first <= tick && tick <= last) return true;
  }
  return false;
}

void Ledger::check(bool from_scratch) {
  auto reader = record::Reader::open(kRecording, ground_.plan.record_limits());
  if (!reader) {
    // Damage that no start has met yet is not repaired yet.
    if (damaged_ && !from_scratch) return;
    return fail("cannot be read: " + reader.error());
  }
  // At quiet moments what was read before is known; a merge that spoils it is found at the end.
  if (from_scratch || damaged_) read_to_ = 0;
  const bool whole = read_all(**reader);
  check_promises(whole || from_scratch);
  if (from_scratch) {
    check_whole(**reader);
    replay(**reader);
  }
}

void Ledger::check_copy(const std::string& path, std::uint64_t last_tick) {
  auto copy = record::Reader::open(path, ground_.plan.record_limits());
  if (!copy) return fail("a copy cannot be read: " + copy.error());
  if ((*copy)->last_tick() != last_tick) fail("a copy ends at another tick than was said");
  read_to_ = 0;
  check_promises(read_all(**copy));
  read_to_ = 0;  // of the recording itself
}

bool Ledger::was_otherwise(std::uint64_t tick, sim::Digest digest) const {
  const auto seen = seen_.find(tick);
  return seen != seen_.end() && seen->second != digest;
}

bool Ledger::read_all(record::Reader& reader) {
  std::vector<std::string> parts = ground_.disk.names();
  std::erase_if(parts, [](const std::string& name) {
    return !name.starts_with(std::string(kRecording) + ".part-");
  });
  if (!parts.empty()) read_to_ = 0;
  if (read_to_ == 0) {
    found_.clear();
    last_of_client_.clear();
  }
  bool whole = read(reader, true);
  read_to_ = whole ? reader.last_tick() : 0;
  for (const std::string& name : parts) {
    auto part = record::Reader::open(name, ground_.plan.record_limits());
    if (!part) {
      fail("a part cannot be read: " + part.error());
      return false;
    }
    whole = read(**part, false) && whole;
  }
  return whole;
}

bool Ledger::read(record::Reader& reader, bool main) {
  const std::uint64_t before = std::max(reader.first_tick(), main ? read_to_ : 0);
  if (reader.last_tick() <= before) return true;
  const auto done =
      reader.read_ticks(before + 1, reader.last_tick(), [&](const record::TickRecord& tick) {
        look_at(tick, main);
        return true;
      });
  if (!done && !damaged_) fail(done.error());
  return done.ok();
}

void Ledger::look_at(const record::TickRecord& tick, bool main) {
  if (main && was_otherwise(tick.tick, tick.digest)) {
    fail("tick " + std::to_string(tick.tick) + " is recorded with another digest than it had");
  }
  for (const record::RecordedCommand& recorded : tick.commands) {
    const Name name{record::client_of(recorded.client).claimed, recorded.seq};
    const auto sent = sent_.find(name);
    if (sent == sent_.end()) return fail(text_of(name) + " was never sent");
    if (sent->second != bytes_of(recorded.command)) {
      fail(text_of(name) + " is another one: " + formats::format_command(recorded.command, 0) +
           " is recorded, sent was " + text_of(sent->second));
    }
    if (!found_.emplace(name, Found{tick.tick, recorded.applied}).second) {
      fail(text_of(name) + " is recorded twice");
    }
    if (sent_again_.contains(name)) continue;
    Name& last = last_of_client_[name.first];
    if (main && last.second > recorded.seq) {
      fail(text_of(name) + " comes after " + text_of(last));
    }
    if (main) last = name;
  }
}

void Ledger::check_promises(bool whole) {
  for (const auto& [name, promise] : promises_) {
    const auto found = found_.find(name);
    if (found == found_.end()) {
      // Of refused ones the recording keeps what it has room for.
      if (!promise.applied || (damaged_ && named_as_lost(promise.tick))) continue;
      if (!whole) continue;  // it may stand behind what cannot be read
      return fail(text_of(name) + " was acknowledged in tick " + std::to_string(promise.tick) +
                  " and is not there");
    }
    if (found->second.tick != promise.tick || found->second.applied != promise.applied) {
      return fail(text_of(name) + " was answered with tick " + std::to_string(promise.tick) +
                  (promise.applied ? ", applied" : ", refused") + ", recorded is tick " +
                  std::to_string(found->second.tick) +
                  (found->second.applied ? ", applied" : ", refused"));
    }
  }
}

void Ledger::check_whole(record::Reader& reader) {
  const auto damage = record::find_damage(reader);
  if (!damage) return fail("cannot be looked through: " + damage.error());
  if (!damage->whole() && !damaged_) fail("is damaged, though nothing damaged it");
}

// As `sluice diff` says it.
void Ledger::differs(const sim::World& plain) {
  differs_at_ = plain.tick_number();
  ground_.journal.fail("determinism",
                       "a plain world differs in tick " + std::to_string(differs_at_));
  if (kept_ == nullptr || kept_->tick_number() != differs_at_) return;
  const record::Comparison where = record::compare_worlds(plain, *kept_, 4);
  for (const record::Difference& one : where.differences) {
    first_difference_ += "  " + record::to_string(one) + "\n";
  }
  if (where.same()) first_difference_ = "  nowhere: a digest was of a stale cache\n";
}

/// Whenever it comes to rest. What an unusual option makes of rest is its own matter.
bool Ledger::look_at_rest(const sim::World& plain, bool rests) {
  const bool comes = !std::exchange(rested_, rests) && rests;
  if (!comes || ground_.plan.extremes > 0) return true;
  const std::string wrong = wrong_at_rest(plain);
  if (wrong.empty()) return true;
  ground_.journal.fail("rest", "in tick " + std::to_string(plain.tick_number()) + " it " + wrong);
  return false;
}

void Ledger::replay(record::Reader& reader) {
  sim::SerialExecutor executor;
  std::unique_ptr<sim::World> world;
  if (reader.first_tick() == 0) {
    auto made = sim::World::create(ground_.spec);
    if (!made) return fail(made.error());
    world = std::move(made).value();
  } else {
    auto restored = reader.restore(reader.first_tick());
    if (!restored) return fail(restored.error());
    world = std::move(restored).value();
  }
  if (reader.last_tick() == reader.first_tick()) return;
  const std::uint64_t end = reader.last_tick();
  tests::Dice dice(ground_.stream("restores"));
  tests::Dice order(ground_.stream("order of chunks"));
  if (ground_.plan.shuffle != 0) ground_.memory.stir(order);
  const auto compare = [&](const record::TickRecord& tick) {
    std::vector<sim::Command> commands;
    for (const auto& recorded : tick.commands) commands.push_back(recorded.command);
    const sim::TickReport report = world->tick(commands, executor);
    if (report.digest != tick.digest) {
      differs(*world);
      return false;
    }
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (report.outcomes[i].applied() == tick.commands[i].applied) continue;
      ground_.journal.fail("determinism", "a command of tick " + std::to_string(tick.tick) +
                                              " has another outcome: " + report.outcomes[i].reason);
      return false;
    }
    if (!look_at_rest(*world, report.at_rest)) return false;
    if (dice.chance(static_cast<std::int32_t>(ground_.plan.restores))) {
      auto copy = tests::restored_copy(*world, ground_.plan.shuffle != 0 ? &order : nullptr);
      if (!copy) {
        ground_.journal.fail("determinism", "tick " + std::to_string(tick.tick) +
                                                " cannot be restored: " + copy.error());
        return false;
      }
      world = std::move(copy).value();
    }
    return true;
  };
  const auto done = reader.read_ticks(reader.first_tick() + 1, reader.last_tick(), compare);
  if (!done && !damaged_) fail(done.error());
  if (done && world->tick_number() == end) replayed_ = std::move(world);
}

}  // namespace sluice::hunt
