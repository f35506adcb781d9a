#include "server/net/hub.h"

#include <utility>

#include "server/sim/models/registry.h"
#include "server/sim/sometimes.h"

namespace sluice::net {

namespace {

protocol::Position position_of(sim::Vec3 v) {
  return {v.x, v.y, v.z};
}

protocol::ChunkSides sides_of(const sim::ChunkShape& shape) {
  return {static_cast<std::uint8_t>(shape.log_x), static_cast<std::uint8_t>(shape.log_y),
          static_cast<std::uint8_t>(shape.log_z)};
}

}  // namespace

Hub::Hub(WorldFeed& feed, CommandIntake& intake, std::string server_version)
    : feed_(feed), intake_(intake), server_version_(std::move(server_version)) {}

protocol::Welcome Hub::welcome() const {
  protocol::Welcome welcome;
  welcome.server_version = server_version_;
  welcome.world = config().name;
  welcome.size = position_of(config().size);
  welcome.sides = sides_of(config().shape());
  welcome.tick = world_.tick();
  welcome.tick_rate = static_cast<std::uint32_t>(config().tick_rate);
  welcome.water = sim::find_water_model(config().water)->name;
  return welcome;
}

void Hub::on_mail() {
  WorldFeed::Mail mail = feed_.take();
  if (mail.publication) {
    counters().mismatches += world_.apply(std::move(*mail.publication), !viewers_.empty());
    step();
  }
  for (const CommandReply& reply : mail.replies) {
    // A client that left does not hear of its command; the recording still has it.
    if (!viewers_.contains(reply.session)) SLUICE_SOMETIMES("a reply found its client gone");
    if (const auto it = viewers_.find(reply.session); it != viewers_.end()) {
      it->second->send_reply(reply.result);
    }
  }
}

// Viewers that look at the same box and miss nothing get one and the same message.
void Hub::step() {
  struct Shared {
    SharedBytes frame;
    Interest after;
  };
  std::map<ChunkRange, Shared> shared;
  for (const auto& [session, viewer] : viewers_) {
    if (!viewer->has_room()) {
      SLUICE_SOMETIMES("a slow client missed a tick");
      viewer->interest.miss(world_);
      ++counters().frames_skipped;
      continue;
    }
    ++counters().frames;
    if (!viewer->interest.up_to_date()) {
      SLUICE_SOMETIMES("a client caught up with a tick");
      viewer->send_frame(
          std::make_shared<const protocol::Bytes>(viewer->interest.step_frame(world_)));
      continue;
    }
    auto place = shared.find(viewer->interest.view());
    if (place != shared.end()) SLUICE_SOMETIMES("two clients shared a frame");
    if (place == shared.end()) {
      Interest after = viewer->interest;
      auto frame = std::make_shared<const protocol::Bytes>(after.step_frame(world_));
      place = shared.emplace(after.view(), Shared{std::move(frame), after}).first;
    }
    viewer->interest = place->second.after;
    viewer->send_frame(place->second.frame);
  }
}

std::uint64_t Hub::join(Viewer& viewer) {
  const std::uint64_t session = next_session_++;
  viewers_.emplace(session, &viewer);
  counters().viewers = static_cast<std::int64_t>(viewers_.size());
  feed_.set_watched(true);
  return session;
}

void Hub::leave(std::uint64_t session) {
  viewers_.erase(session);
  counters().viewers = static_cast<std::int64_t>(viewers_.size());
  if (viewers_.empty()) feed_.set_watched(false);
}

void Hub::set_view(Viewer& viewer, const protocol::ViewBox& box) {
  viewer.interest.set_view(
      chunks_in_view(box, position_of(config().size), sides_of(config().shape())), world_);
  catch_up(viewer);
}

// A claim is not believed: the chunk is compared with the world. What is not in the viewer's view
// is not in its mirror either, or was dropped since.
bool Hub::resync(Viewer& viewer, protocol::Position coord) {
  if (!viewer.interest.view().contains(coord)) return true;
  note_claim(viewer);
  feed_.audit({coord.x, coord.y, coord.z});
  if (!viewer.interest.resync(coord, world_)) return false;
  catch_up(viewer);
  return true;
}

void Hub::note_claim(Viewer& viewer) {
  ++counters().resyncs;
  if (!viewer.claimed) ++counters().claimants;
  viewer.claimed = true;
}

bool Hub::resync_pipes(Viewer& viewer, const protocol::PipeKey& key) {
  if (!PublishedPipes::in_view(viewer.interest.view(), key)) return true;
  note_claim(viewer);
  if (!viewer.interest.resync_pipes(key, world_)) return false;
  catch_up(viewer);
  return true;
}

void Hub::catch_up(Viewer& viewer) {
  if (viewer.interest.up_to_date() || !viewer.has_room()) return;
  ++counters().frames;
  viewer.send_frame(
      std::make_shared<const protocol::Bytes>(viewer.interest.catch_up_frame(world_)));
}

sim::Status Hub::submit(ClientCommand command) {
  return intake_.submit(std::move(command));
}

}  // namespace sluice::net
