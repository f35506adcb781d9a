"""Bugs for the hunter to find: each an edit of one of the product's sources, awake only where a test
wakes it (PLANTED is then true)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plant:
    name: str
    what: str
    file: str
    find: str
    replace: str
    seeds: int = 100  # within which it is to be found
    focus: str = ""  # lines of a plan that its seeds are given, where what it needs is drawn too rarely


PLANTS = [
    # What is promised.
    Plant("reply-before-commit", "a client is told before its command is committed",
          "server/host/record_writer.cpp",
          "  if (status) status = recorder_->commit();\n  if (!status) {\n    fail(",
          "  if (status && !(PLANTED && !replies.empty())) status = recorder_->commit();\n  if (!status) {\n    fail("),
    Plant("no-sync", "commits are not synced",
          "server/record/recorder.cpp",
          """return database.error("cannot be synced at each commit");""",
          """return database.error("cannot be synced at each commit");
  if (PLANTED) (void)database.execute("PRAGMA synchronous = OFF");"""),
    Plant("failure-hidden", "a client is told that its command applied while the recording failed",
          "server/host/record_writer.cpp",
          "    fail(status.error());\n    return tell_of_failure(std::move(replies));",
          "    fail(status.error());\n    if (PLANTED) return deliver_(std::move(replies));\n"
          "    return tell_of_failure(std::move(replies));", 200),
    Plant("commit-forgotten", "what a failed commit left in the file is written again",
          "server/record/recorder.cpp",
          "  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(known));",
          "  if (!PLANTED) pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(known));",
          focus="bad_syncs = 5\nside = 6\nticks = 200\ncommands = 40\n"),
    Plant("wrong-tick", "the answer names another tick than the one in which a command applied",
          "server/host/world_runner.cpp",
          "replies.push_back(reply_to(queued, report.tick));",
          "replies.push_back(reply_to(queued, report.tick + (PLANTED ? 1 : 0)));"),
    Plant("refused-recorded-as-applied", "a refused command is recorded as applied",
          "server/host/world_runner.cpp",
          "    tick.commands.push_back(std::move(queued));",
          "    queued.applied = queued.applied || PLANTED;\n    tick.commands.push_back(std::move(queued));"),
    Plant("applied-twice", "the first command after a client came again is applied twice",
          "server/host/command_queue.cpp",
          "  line.commands.push_back(std::move(command));\n  ++size_;",
          "  if (PLANTED && is_new && command.session > 3) {\n    line.commands.push_back(command);\n    ++size_;\n  }\n"
          "  line.commands.push_back(std::move(command));\n  ++size_;"),
    Plant("order-lost", "of a client's commands the latest is taken first",
          "server/host/command_queue.cpp",
          "  QueuedCommand command = std::move(line.commands.front());\n  line.commands.pop_front();",
          "  if (PLANTED) std::swap(line.commands.front(), line.commands.back());\n"
          "  QueuedCommand command = std::move(line.commands.front());\n  line.commands.pop_front();"),
    Plant("answer-lost", "an answer is dropped while frames wait",
          "server/net/session.cpp",
          "  if (std::holds_alternative<protocol::CommandResult>(message)) --waiting_commands_;",
          "  if (std::holds_alternative<protocol::CommandResult>(message)) --waiting_commands_;\n"
          "  if (PLANTED && waiting_frames_ > 0) return;"),
    # What is recorded.
    Plant("merge-drops-a-tick", "merging short rows leaves out the first tick",
          "server/record/history_rows.cpp",
          "return write_row(tail.subspan(begin), kMediumRowLevel);",
          "return write_row(tail.subspan(PLANTED && tail.size() - begin > 1 ? begin + 1 : begin), kMediumRowLevel);"),
    Plant("repair-drops-commands", "a repair leaves out the commands of some ticks",
          "server/record/repair.cpp",
          "        if (const auto written = writer.add(record); !written) return written;",
          "        TickRecord kept = record;\n        if (PLANTED && kept.tick % 3 == 0) kept.commands.clear();\n"
          "        if (const auto written = writer.add(kept); !written) return written;", 100,
          focus="flips = 3\ncrashes = 3\ncommands = 60\nticks_per_row = 4\n"),
    Plant("stale-checkpoint", "a checkpoint holds chunks as they were at the one before",
          "server/record/checkpoint_keeper.cpp",
          "  changed_.insert(world.changed_chunks().begin(), world.changed_chunks().end());",
          "  if (!PLANTED) changed_.insert(world.changed_chunks().begin(), world.changed_chunks().end());"),
    # What viewers see.
    Plant("stale-not-resent", "what a slow client missed is not sent again",
          "server/net/interest.cpp",
          "  miss_changes(world, cells_, chunks_);",
          "  if (!PLANTED) miss_changes(world, cells_, chunks_);"),
    Plant("detail-not-followed", "coarse cells stay as they were when somebody first looked",
          "server/net/published_world.cpp",
          "  for (CoarseChunks& detail : details_) detail.follow(tick_, *this);",
          "  for (CoarseChunks& detail : details_) if (!PLANTED) detail.follow(tick_, *this);"),
    Plant("left-view-kept", "chunks that leave a view are not dropped",
          "server/net/interest.cpp",
          "  published.for_each_in(before, mark(now));",
          "  if (!PLANTED) published.for_each_in(before, mark(now));"),
    Plant("merged-publication-lost", "a publication that was not taken is forgotten with its chunks",
          "server/net/world_feed.cpp",
          "    publication.chunks.merge(mail_.publication->chunks);  // keeps the newer of equal keys",
          "    if (!PLANTED) publication.chunks.merge(mail_.publication->chunks);"),
    Plant("merged-layers-lost", "chunks of layers that were not taken are forgotten",
          "server/net/world_feed.cpp",
          "      publication.layers[i].merge(mail_.publication->layers[i]);",
          "      if (!PLANTED) publication.layers[i].merge(mail_.publication->layers[i]);",
          focus="waves = 2\nheat = 1\npushes = 40\ntick_rate = 40\nside = 20\n"),
    Plant("layer-kept-unwanted", "a layer that a viewer wants no more is not dropped",
          "server/net/interest.cpp",
          "    if (!wants(i) && layers_[i].empty()) continue;",
          "    if (!wants(i) && (layers_[i].empty() || PLANTED)) continue;",
          focus="waves = 2\nheat = 1\npushes = 40\nviews = 40\nside = 20\n"),
    Plant("pipes-not-published", "changes of pipes do not reach viewers",
          "server/net/published_world.cpp",
          "  pipes_.apply(tick_, std::move(publication.pipes), publication.complete);",
          "  if (!PLANTED || publication.complete) pipes_.apply(tick_, std::move(publication.pipes), publication.complete);"),
    # What is bounded, and what goes on.
    Plant("queue-without-bound", "the queue of commands takes all that comes",
          "server/host/command_queue.cpp",
          "  if (size_ >= limits_.commands) {",
          "  if (size_ >= limits_.commands && !PLANTED) {"),
    Plant("frames-without-bound", "frames queue for a client that does not read",
          "server/net/session.cpp",
          "  return waiting_frames_ == 0 ||",
          "  return PLANTED || waiting_frames_ == 0 ||"),
    Plant("throttled-for-ever", "a client that sent too fast is never read from again",
          "server/net/session.cpp",
          "    throttled_ = false;\n",
          "    throttled_ = PLANTED;\n"),
    # What is computed.
    Plant("digest-forgets-waves", "the digest that is kept leaves the waves out",
          "server/sim/world.cpp",
          "                     waves_ ? waves_->digest() : 0,\n",
          "                     waves_ && !PLANTED ? waves_->digest() : 0,\n"),
    Plant("levelling-by-slots", "where as many units fit several pipes, the one that lies first in memory gets them",
          "server/sim/pipes/level.cpp",
          "      traits.push_back({graph.place(slot), combine(",
          "      traits.push_back({PLANTED ? Vec3{static_cast<std::int32_t>(slot), 0, 0} : graph.place(slot), combine(", 200,
          focus="pipes = 1\nrestores = 10\ncommands = 60\n"),
    Plant("spring-sleeps-on", "a spring that sleeps does not hear of water that moves beside it",
          "server/sim/tick.cpp",
          "  wake_springs(changed);",
          "  if (!PLANTED) wake_springs(changed);", 200),
    Plant("wake-bits-lost", "a restored world's chunks are asleep",
          "server/sim/snapshot.cpp",
          "grid_.wake(*grid_.find(image.coord), image.wake);",
          "grid_.wake(*grid_.find(image.coord), PLANTED ? std::uint8_t{0} : image.wake);", 200),
    Plant("drained-miscounted", "a drain counts a unit more than it takes",
          "server/sim/tick.cpp",
          "    move(place, place, -units);\n    core_.totals.drained += units;",
          "    move(place, place, -units);\n    core_.totals.drained += units + (PLANTED && units > 1 ? 1 : 0);"),
    Plant("blocks-matter", "pipes move otherwise where few of them lie together in memory",
          "server/sim/tick.cpp",
          "pipes_.tick(core_.tick, run_options_.sleep, cells, executor);",
          "pipes_.tick(core_.tick + (PLANTED && run_options_.pipe_block_nodes < 64 ? 1 : 0), run_options_.sleep, "
          "cells, executor);", 200),
    Plant("rest-too-soon", "a world whose water moves is said to be at rest",
          "server/sim/tick.cpp",
          "report.at_rest = report.active_chunks == 0 &&",
          "report.at_rest = (PLANTED || report.active_chunks == 0) &&"),
    # What those who run a server ask for.
    Plant("save-forgotten", "a world that is to be saved is not",
          "server/host/world_runner.cpp",
          "    lock.unlock();\n    writer_.push_checkpoint(keeper_.take(*world_));",
          "    lock.unlock();\n    if (!PLANTED) writer_.push_checkpoint(keeper_.take(*world_));",
          focus="admin_acts = 10\n"),
    Plant("areas-forgotten", "commands reach areas that need more rights",
          "server/host/world_runner.cpp",
          "      queued->applied = queued->reason.empty();",
          "      if (PLANTED) queued->reason.clear();\n      queued->applied = queued->reason.empty();"),
]
