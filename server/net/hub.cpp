#include "server/net/hub.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/base/sometimes.h"
#include "protocol/layers.h"
#include "server/sim/models/registry.h"

namespace sluice::net {

Hub::Hub(WorldFeed& feed, CommandIntake& intake, std::string server_version, PastResults past)
    : feed_(feed),
      intake_(intake),
      server_version_(std::move(server_version)),
      layers_(feed.layers()),
      world_(feed.config().shape(), layers_.size(), feed.sizes(), feed.config().size),
      results_(feed.sizes().results),
      wanting_(world_.layer_count(), 0) {
  results_.remember(std::move(past));
}

protocol::Welcome Hub::welcome() const {
  protocol::Welcome welcome;
  welcome.server_version = server_version_;
  welcome.world = config().name;
  welcome.size = config().size;
  welcome.sides = config().shape();
  welcome.tick = world_.tick();
  welcome.tick_rate = static_cast<std::uint32_t>(config().tick_rate);
  welcome.water = sim::find_water_model(config().water)->name;
  welcome.layers = layers_;
  welcome.tracer_kinds = feed_.tracer_kinds();
  welcome.levels_of_detail = protocol::kLevelsOfDetail;
  welcome.coarse_layers = true;
  return welcome;
}

void Hub::on_mail() {
  WorldFeed::Mail mail = feed_.take();
  if (mail.publication) {
    counters().mismatches += world_.apply(std::move(*mail.publication), !viewers_.empty());
    step();
  }
  for (const CommandReply& reply : mail.replies) {
    results_.settle(reply.session, reply.result, world_.tick());
    if (reply.late) continue;
    // A client that left does not hear of its command; the recording still has it.
    if (!viewers_.contains(reply.session)) SLUICE_SOMETIMES("a reply found its client gone");
    if (const auto it = viewers_.find(reply.session); it != viewers_.end()) {
      it->second->send_reply(reply.result);
    }
  }
}

void Hub::step() {
  TickFrames frames(world_);
  for (const auto& [session, viewer] : viewers_) {
    if (!viewer->has_room()) {
      SLUICE_SOMETIMES("a slow client missed a tick");
      viewer->interest.miss(world_);
      ++counters().frames_skipped;
      continue;
    }
    ++counters().frames;
    viewer->send_frame(frames.next(viewer->interest));
  }
  // About as often as when somebody points.
  const int rate = static_cast<int>(config().tick_rate);
  if (++people_steps_ * 1000 >= rate * protocol::kPeoplePauseMilliseconds) tell_of_people();
}

void Hub::point(std::uint64_t session, Viewer& viewer, protocol::Person person,
                ResultBook::Time now) {
  const auto in_world = [size = config().size](Vec3 p) {
    return Vec3{std::clamp(p.x, 0, size.x - 1), std::clamp(p.y, 0, size.y - 1),
                std::clamp(p.z, 0, size.z - 1)};
  };
  person.number = session;
  person.at = in_world(person.at);
  if (person.sees) {
    const auto [low_x, high_x] = std::minmax(person.sees->from.x, person.sees->to.x);
    const auto [low_y, high_y] = std::minmax(person.sees->from.y, person.sees->to.y);
    const auto [low_z, high_z] = std::minmax(person.sees->from.z, person.sees->to.z);
    person.sees = {in_world({low_x, low_y, low_z}), in_world({high_x, high_y, high_z})};
  }
  if (viewer.person != person) {
    viewer.person = std::move(person);
    ++people_list_;
  }
  // What is not due yet goes with one of the next ticks, or with whoever points next.
  if (now < people_due_) return;
  people_due_ = now + std::chrono::milliseconds(protocol::kPeoplePauseMilliseconds);
  tell_of_people();
}

// All of them each time: whoever missed a list needs none but the newest.
void Hub::tell_of_people() {
  people_steps_ = 0;
  SharedBytes list;
  for (const auto& [session, viewer] : viewers_) {
    if (!viewer->person || viewer->people_told == people_list_ || !viewer->has_room()) continue;
    if (list == nullptr) {
      protocol::People people;
      for (const auto& [number, other] : viewers_) {
        if (other->person && people.people.size() < protocol::kMaxPeople) {
          people.people.push_back(*other->person);
        }
      }
      list = std::make_shared<const protocol::Bytes>(
          protocol::encode(protocol::ServerMessage{std::move(people)}));
    }
    viewer->people_told = people_list_;
    viewer->send_frame(list);
  }
}

std::uint64_t Hub::join(Viewer& viewer) {
  const std::uint64_t session = next_session_++;
  add(session, viewer);
  return session;
}

// A client has one number over all its connections, so what it sent over an earlier one is answered
// over the newest, and coming again gives it no further share of the ticks' work.
ResultBook::Opened Hub::join_again(Viewer& viewer, const ResultBook::Client& client,
                                   ResultBook::Time now) {
  ResultBook::Opened opened;
  // Commands to a replay steer it, and are nobody's to be found again.
  if (!replays()) opened = results_.open(client, next_session_, feed_.tick(), now);
  if (opened.number == 0) {
    opened.number = join(viewer);
    return opened;
  }
  if (opened.number == next_session_) ++next_session_;
  if (const auto other = viewers_.find(opened.number); other != viewers_.end()) {
    SLUICE_SOMETIMES("a client came before its last connection had ended");
    other->second->replaced();
    // The one that left was it.
    opened = results_.open(client, opened.number, feed_.tick(), now);
  }
  add(opened.number, viewer);
  return opened;
}

void Hub::add(std::uint64_t session, Viewer& viewer) {
  SLUICE_ASSERT(viewers_.emplace(session, &viewer).second);
  counters().viewers = static_cast<std::int64_t>(viewers_.size());
  feed_.set_watched(true);
}

void Hub::leave(std::uint64_t session, ResultBook::Time now) {
  results_.leave(session, now);
  const auto left = viewers_.find(session);
  if (left != viewers_.end() && left->second->person) ++people_list_;
  if (left != viewers_.end()) count_wanted(*left->second, -1);
  viewers_.erase(session);
  counters().viewers = static_cast<std::int64_t>(viewers_.size());
  follow_wanted();
  if (viewers_.empty()) feed_.set_watched(false);
}

void Hub::set_view(Viewer& viewer, const protocol::SetView& view) {
  count_wanted(viewer, -1);
  const std::uint64_t layers =
      world_.bits_of(view.level_of_detail, view.layers, view.coarse_layers & ~events_bit());
  // They must be there before they are in view.
  world_.keep_layers(layers);
  viewer.interest.set_view(chunks_in_view(view.box, config().size, config().shape()), world_,
                           layers);
  count_wanted(viewer, 1);
  follow_wanted();
  catch_up(viewer);
}

// What nobody wants is neither asked of the world nor kept.
void Hub::follow_wanted() {
  std::vector<int> needing(layers_.size(), 0);  // the named layer, or what is made of it
  for (std::size_t i = 0; i < wanting_.size(); ++i) {
    if (const auto named = world_.named_layer_of(i)) needing[*named] += wanting_[i];
  }
  for (std::size_t i = 0; i < needing.size(); ++i) feed_.want_layer(i, needing[i] > 0);
  for (std::size_t i = wanting_.size(); i-- > 0;) {
    if ((i < needing.size() ? needing[i] : wanting_[i]) == 0) world_.forget_layer(i);
  }
}

// Events of cells say nothing of coarse ones.
std::uint64_t Hub::events_bit() const {
  const auto events = std::find(layers_.begin(), layers_.end(), protocol::kEventLayer);
  return events == layers_.end() ? 0 : std::uint64_t{1} << (events - layers_.begin());
}

void Hub::count_wanted(const Viewer& viewer, int by) {
  for (std::size_t i = 0; i < wanting_.size(); ++i) {
    if (viewer.interest.wants(i)) wanting_[i] += by;
  }
}

// A claim is not believed: the chunk is compared with the world. What is not in the viewer's view
// is not in its mirror either, or was dropped since.
bool Hub::resync(Viewer& viewer, const protocol::Resync& resync) {
  if (!viewer.interest.sees(resync.coord, world_, resync.layer)) return true;
  note_claim(viewer);
  if (!viewer.has_room()) SLUICE_SOMETIMES("a client stalled over a resync");
  if (resync.layer == 0) feed_.audit(resync.coord);
  if (!viewer.interest.resync(resync.coord, world_, resync.layer)) return false;
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

Status Hub::submit(ClientCommand command) {
  const std::uint64_t session = command.session;
  const std::uint64_t seq = command.seq;
  Status status = intake_.submit(std::move(command));
  if (status) results_.begin(session, seq);
  return status;
}

}  // namespace sluice::net
