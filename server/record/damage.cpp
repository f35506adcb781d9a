// What of a recording cannot be read; declared in repair.h.
#include <algorithm>
#include <utility>

#include "server/record/repair.h"

namespace sluice::record {

namespace {

void add_loss(std::vector<LostTicks>& lost, LostTicks more) {
  if (lost.empty() || lost.back().last + 1 != more.first) {
    lost.push_back(std::move(more));
    return;
  }
  LostTicks& last = lost.back();
  last.last = more.last;
  last.commands += more.commands;
  last.clients.merge(more.clients);
  last.commands_unknown = last.commands_unknown || more.commands_unknown;
}

/// What a row that cannot be trusted says was in it.
LostTicks loss_of(const DamagedRow& row, std::uint64_t tick, const std::string& why) {
  LostTicks lost{tick, std::max(tick, row.last_tick), why, 0, {}, false};
  lost.commands_unknown = row.has_commands && row.ticks.empty();
  for (const TickRecord& record : row.ticks) {
    if (record.tick < tick) continue;
    lost.commands += record.commands.size();
    for (const RecordedCommand& command : record.commands) lost.clients.insert(command.client);
  }
  return lost;
}

}  // namespace

DamageSearch::DamageSearch(Reader& reader)
    : reader_(reader),
      last_(reader.last_tick()),
      tick_(reader.first_tick() + 1),
      checkpoint_(reader.first_tick()) {
  found_.troubles = reader.troubles();
  found_.end_unknown = reader.end_unknown();
  found_.begin_unknown = reader.begin_unknown();
}

Result<bool> DamageSearch::step() {
  // One that was opened to be repaired knows.
  if (!std::exchange(knows_order_of_history_, true) && found_.troubles.empty()) {
    if (const auto disorder = reader_.check_order(Reader::Keyed::kHistory)) {
      found_.troubles.push_back(disorder->message);
    }
    return no_failure(true);
  }
  if (tick_ > last_) return look_at_checkpoint();
  if (const Status looked = look_at_row(); !looked) return Error{looked.error()};
  return true;
}

Status DamageSearch::look_at_row() {
  const auto row = reader_.row_at(tick_);
  if (row) {
    tick_ = row->back().tick + 1;
    return Done{};
  }
  if (const std::string failure = reader_.take_system_failure(); !failure.empty()) {
    return Error{failure};
  }
  const auto damaged = reader_.damaged_row_at(tick_);
  if (const std::string failure = reader_.take_system_failure(); !failure.empty()) {
    return Error{failure};
  }
  LostTicks lost{tick_, tick_, row.error(), 0, {}, true};
  // Where not even the begin of the next row can be read, it is looked for tick by tick.
  if (damaged) lost = loss_of(*damaged, tick_, row.error());
  lost.last = std::min(lost.last, last_);
  tick_ = lost.last + 1;
  add_loss(found_.ticks, std::move(lost));
  return Done{};
}

Result<bool> DamageSearch::look_at_checkpoint() {
  if (!std::exchange(knows_order_of_checkpoints_, true)) {
    if (const auto disorder = reader_.check_order(Reader::Keyed::kCheckpoints)) {
      found_.troubles.push_back(disorder->message);
      look_at_others();
      return end_of_checkpoints();
    }
  }
  const auto next = checkpoint_ > last_ ? Result<std::optional<CheckpointInfo>>(std::nullopt)
                                        : reader_.checkpoint_after(checkpoint_);
  if (!next || !*next || (*next)->tick > last_) {
    if (!next) {
      found_.checkpoints.push_back({checkpoint_, next.error()});
      look_at_others();
    }
    return end_of_checkpoints();
  }
  look_at((*next)->tick);
  return no_failure(true);
}

void DamageSearch::look_at(std::uint64_t checkpoint) {
  has_first_ = has_first_ || checkpoint == reader_.first_tick();
  // Not the image alone: rows of chunks that the medium lost may have come again with other
  // content.
  const Status whole = reader_.check_checkpoint(checkpoint);
  if (!whole) found_.checkpoints.push_back({checkpoint, whole.error()});
  checkpoint_ = checkpoint + 1;
}

/// Those that are left where the next one cannot be found.
void DamageSearch::look_at_others() {
  for (const std::uint64_t tick : reader_.stored_checkpoints()) {
    if (tick >= checkpoint_ && tick <= last_) look_at(tick);
  }
}

Result<bool> DamageSearch::end_of_checkpoints() {
  if (!has_first_) {
    found_.checkpoints.insert(found_.checkpoints.begin(),
                              {reader_.first_tick(), reader_.lacks_first_checkpoint().message});
  }
  const auto met = reader_.take_damage();
  if (met && found_.whole()) found_.troubles.push_back(met->message);
  return no_failure(false);
}

/// `more`, unless the system failed: that says nothing about the file.
Result<bool> DamageSearch::no_failure(bool more) {
  if (const std::string failure = reader_.take_system_failure(); !failure.empty()) {
    return Error{failure};
  }
  return more;
}

Result<Damage> find_damage(Reader& reader) {
  DamageSearch search(reader);
  for (;;) {
    const auto more = search.step();
    if (!more) return Error{more.error()};
    if (!*more) return search.found();
  }
}

}  // namespace sluice::record
