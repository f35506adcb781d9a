// One world's viewers. Lives on the network's thread alone; knows nothing of sockets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.h"
#include "server/net/interest.h"
#include "server/net/published_world.h"
#include "server/net/result_book.h"
#include "server/net/world_feed.h"

namespace sluice::net {

/// A message that many viewers may be sending at the same time.
using SharedBytes = std::shared_ptr<const protocol::Bytes>;

/// What a hub needs of a connection; implemented by the WebSocket session.
class Viewer {
 public:
  virtual ~Viewer() = default;
  /// False while it has as many frames as a viewer may keep waiting.
  [[nodiscard]] virtual bool has_room() const = 0;
  virtual void send_frame(SharedBytes frame) = 0;
  virtual void send_reply(const protocol::ServerMessage& message) = 0;
  /// The same client has come on another connection, which gets what is to come. It must leave.
  virtual void replaced() = 0;

  Interest interest;
  bool claimed = false;                    // it said that its mirror differed
  std::optional<protocol::Person> person;  // it pointed: it is one of the world's people
  std::uint64_t people_told = 0;           // the last of the hub's lists that it was sent
};

class Hub {
 public:
  /// The feed and the intake must outlive the hub, which has the feed's sizes.
  Hub(WorldFeed& feed, CommandIntake& intake, std::string server_version, PastResults past = {});

  [[nodiscard]] const sim::WorldConfig& config() const { return feed_.config(); }
  [[nodiscard]] const WorldFeed& feed() const { return feed_; }
  [[nodiscard]] std::shared_ptr<const Fixtures> fixtures() { return feed_.fixtures(); }
  [[nodiscard]] bool replays() const { return world_.playback().has_value(); }
  [[nodiscard]] protocol::Welcome welcome() const;
  [[nodiscard]] HubCounters& counters() { return feed_.counters(); }

  /// Takes the feed's mail: frames to the viewers, replies to whom they belong.
  void on_mail();

  /// A viewer's number, for its commands. It must leave before it ends.
  std::uint64_t join(Viewer& viewer);
  /// The same of a client that may come back, and go on with its commands.
  [[nodiscard]] ResultBook::Opened join_again(Viewer& viewer, const ResultBook::Client& client,
                                              ResultBook::Time now);
  void leave(std::uint64_t session, ResultBook::Time now);
  /// What is known of a client's command. Of viewers that joined without more: nothing.
  [[nodiscard]] ResultBook::Found find(std::uint64_t session, std::uint64_t seq) const {
    return results_.find(session, seq);
  }
  /// Of a client.
  [[nodiscard]] std::size_t results_kept() const { return world_.sizes().results.results; }
  [[nodiscard]] bool keeps_results(std::uint64_t session) const { return results_.keeps(session); }
  /// The command was refused before it reached the world.
  void note_refusal(std::uint64_t session, const protocol::CommandResult& result) {
    results_.settle(session, result, world_.tick());
  }

  void set_view(Viewer& viewer, const protocol::SetView& view);
  /// False when the request makes no sense.
  [[nodiscard]] bool resync(Viewer& viewer, const protocol::Resync& resync);
  [[nodiscard]] bool resync_pipes(Viewer& viewer, const protocol::PipeKey& key);
  /// Sends what the viewer lacks, if it has room.
  void catch_up(Viewer& viewer);
  /// The viewer points: it is told of all who do, and they of it. `person` without its number.
  void point(std::uint64_t session, Viewer& viewer, protocol::Person person, ResultBook::Time now);
  /// As CommandIntake has it.
  [[nodiscard]] access::Role role_for(const protocol::Command& command) const {
    return intake_.role_for(command);
  }
  [[nodiscard]] bool looks_back() const { return intake_.looks_back(); }
  [[nodiscard]] const CommandIntake& intake() const { return intake_; }
  /// Error: the command is refused with this reason, and no reply follows.
  [[nodiscard]] Status submit(ClientCommand command);

 private:
  void add(std::uint64_t session, Viewer& viewer);
  void step();
  void note_claim(Viewer& viewer);
  void count_wanted(const Viewer& viewer, int by);
  void follow_wanted();
  [[nodiscard]] std::uint64_t events_bit() const;
  void tell_of_people();

  WorldFeed& feed_;
  CommandIntake& intake_;
  std::string server_version_;
  std::vector<std::string> layers_;  // names
  PublishedWorld world_;
  ResultBook results_;
  std::map<std::uint64_t, Viewer*> viewers_;
  std::uint64_t next_session_ = 1;
  std::vector<int> wanting_;  // viewers that want a layer, by its place in world_

  std::uint64_t people_list_ = 0;  // grows whenever somebody moves, comes or leaves
  ResultBook::Time people_due_;    // not told of before, by the clock of those who point
  int people_steps_ = 0;           // ticks since they were told of
};

}  // namespace sluice::net
