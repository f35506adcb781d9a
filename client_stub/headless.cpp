#include "client_stub/headless.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include "client_stub/script.h"
#include "client_stub/world_client.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

// Commands on their way at a time: enough to fill every tick, few enough that none waits long.
constexpr std::size_t kAhead = 16;
// Without --for and --script: ticks after which keyframes of the view have surely come.
constexpr std::uint64_t kTicksToShow = 2;
// A replay that stands still sends no further tick: what is in view has come when this much passed
// without a message.
constexpr std::chrono::milliseconds kQuiet{300};
constexpr std::chrono::milliseconds kRetry{200};
constexpr std::int64_t kMaxMapCells = std::int64_t{1} << 26;

protocol::ResumeToken new_resume_token() {
  std::random_device device;  // the system's
  protocol::ResumeToken token{};
  for (std::uint8_t& byte : token) byte = static_cast<std::uint8_t>(device());
  return token;
}

class Headless {
 public:
  Headless(const HeadlessOptions& options, std::vector<ScriptLine> script)
      : options_(options),
        script_(std::move(script)),
        signals_(context_, SIGINT, SIGTERM),
        quiet_(context_),
        retry_(context_) {}

  int run() {
    protocol::SentCommands commands;
    if (options_.reconnect_seconds > 0) commands.token = new_resume_token();
    connect(std::move(commands));
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (!error) finish();
    });
    context_.run();
    return status_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void connect(protocol::SentCommands commands) {
    WorldClient::Events events;
    events.welcomed = [this] { welcomed(); };
    events.ticked = [this] { ticked(); };
    events.answered = [this](const protocol::CommandResult& result) { answered(result); };
    events.closed = [this](std::string reason) { closed(std::move(reason)); };
    client_ = std::make_unique<WorldClient>(context_, options_.address, options_.client_name,
                                            std::move(events), std::move(commands));
  }

  void welcomed() {
    lost_at_.reset();
    was_welcomed_ = true;
    for (const std::uint64_t seq : client_->session().forgotten()) in_doubt(seq, "it keeps none");
    asked_ = client_->session().commands().unanswered.size();
    view_ = options_.view.value_or(client_->whole_world());
    client_->set_view(view_);
    send_more();
  }

  void send_more() {
    // What the server still has to tell of comes before what follows it.
    while (asked_ == 0 && next_ < script_.size() && waiting_.size() < kAhead) {
      const ScriptLine& line = script_[next_++];
      waiting_[client_->send_command(line.json)] = line.number;
    }
  }

  void ticked() {
    const std::uint64_t tick = client_->mirror().tick();
    if (!first_tick_) first_tick_ = tick;
    check_whether_done(tick);
  }

  void answered(const protocol::CommandResult& result) {
    const auto sent = waiting_.find(result.seq);
    if (sent == waiting_.end()) return;
    if (asked_ > 0) --asked_;
    if (result.kind == protocol::ResultKind::kNeverCame) {
      client_->send_again(result.seq);
      return send_more();
    }
    if (result.kind == protocol::ResultKind::kUnknown) {
      in_doubt(result.seq, result.reason);
      return send_more();
    }
    if (!result.applied) {
      ++refused_;
      std::cerr << options_.script << ":" << sent->second << ": refused: " << result.reason << '\n';
    } else {
      ++applied_;
    }
    last_answer_tick_ = std::max(last_answer_tick_, result.tick);
    waiting_.erase(sent);
    send_more();
    if (client_->mirror().playback()) {
      first_tick_ = result.tick;  // it may have gone anywhere
      check_whether_done(client_->mirror().tick());
    }
  }

  void in_doubt(std::uint64_t seq, const std::string& why) {
    std::cerr << options_.script << ":" << waiting_.at(seq)
              << ": may have been applied or not: " << why << '\n';
    waiting_.erase(seq);
    status_ = kExitFound;
  }

  /// Whether it is worth it to try again.
  bool lost() {
    if (options_.reconnect_seconds == 0 || !was_welcomed_) return false;
    const auto& refused = client_->session().refused();
    if (refused && refused->code != protocol::RefusalCode::kShutdown &&
        refused->code != protocol::RefusalCode::kWorldGone) {
      return false;
    }
    if (!lost_at_) lost_at_ = Clock::now();
    return Clock::now() - *lost_at_ < std::chrono::seconds(options_.reconnect_seconds);
  }

  void connect_later() {
    retry_.expires_after(kRetry);
    retry_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      ++reconnects_;
      connect(client_->take_commands());
    });
  }

  void check_whether_done(std::uint64_t tick) {
    if (next_ < script_.size() || !waiting_.empty()) return;
    if (const auto& playback = client_->mirror().playback(); playback && !playback->playing) {
      return wait_for_quiet();
    }
    const bool live = !client_->mirror().playback();
    if (live && tick < last_answer_tick_) return;  // the map is to show what the last command did
    const std::uint64_t ticks = options_.for_ticks.value_or(script_.empty() ? kTicksToShow : 0);
    if (tick >= *first_tick_ + ticks) finish();
  }

  void wait_for_quiet() {
    quiet_.expires_after(kQuiet);
    quiet_.async_wait([this](boost::system::error_code error) {
      if (!error) finish();
    });
  }

  void finish() {
    if (finished_) return;
    finished_ = true;
    signals_.cancel();
    quiet_.cancel();
    if (retry_.cancel() > 0) return closed("ended while there was no connection");
    client_->close();
  }

  void closed(std::string reason) {
    if (!finished_ && lost()) return connect_later();
    // Beast keeps a timer for a while after a refused handshake: nothing to wait for.
    context_.stop();
    if (!finished_ || lost_at_) {
      const bool was_welcomed = was_welcomed_ || first_tick_;
      std::cerr << "sluice-view: " << reason << '\n';
      if (next_ < script_.size() || !waiting_.empty()) {
        std::cerr << "sluice-view: " << script_.size() - next_ + waiting_.size()
                  << " commands of the script remain unanswered\n";
      }
      status_ = was_welcomed ? kExitFound : kExitWrongInput;
      if (!was_welcomed) return;
    }
    print();
  }

  void print() {
    const protocol::Mirror& mirror = client_->mirror();
    if (mirror.stats().digest_mismatches > 0) {
      std::cerr << "sluice-view: " << mirror.stats().digest_mismatches
                << " chunks differed from the server's\n";
      status_ = kExitFound;
    }
    if (options_.map) print_map(mirror);
    if (options_.json) print_json(mirror);
  }

  void print_map(const protocol::Mirror& mirror) {
    const std::int64_t cells = std::int64_t{view_.size.x} * view_.size.y * view_.size.z;
    if (cells > kMaxMapCells) {
      std::cerr << "sluice-view: a map of " << cells << " cells is too large; give a --view\n";
      status_ = kExitWrongInput;
      return;
    }
    std::cout << sluice::print_map(
        view_.size.x, view_.size.y, view_.size.z,
        [&](std::int32_t x, std::int32_t y, std::int32_t z) {
          return mirror.cell({view_.from.x + x, view_.from.y + y, view_.from.z + z});
        });
  }

  void print_json(const protocol::Mirror& mirror) const {
    const protocol::MirrorStats& stats = mirror.stats();
    const protocol::Counters& counters = mirror.counters();
    const nlohmann::ordered_json json = {{"world", mirror.welcome().world},
                                         {"tick", mirror.tick()},
                                         {"frames", stats.frames},
                                         {"bytes", stats.bytes},
                                         {"resyncs", stats.resyncs},
                                         {"chunks_checked", stats.chunks_checked},
                                         {"digest_mismatches", stats.digest_mismatches},
                                         {"chunks", mirror.chunk_count()},
                                         {"pipe_sections", mirror.pipes().section_count()},
                                         {"sections_checked", stats.sections_checked},
                                         {"pipe_updates", stats.pipe_updates},
                                         {"pipe_bytes", stats.pipe_bytes},
                                         {"commands_applied", applied_},
                                         {"commands_refused", refused_},
                                         {"reconnects", reconnects_},
                                         {"water", counters.water},
                                         {"pipes", counters.pipes},
                                         {"sourced", counters.sourced},
                                         {"drained", counters.drained},
                                         {"evaporated", counters.evaporated}};
    std::cout << json.dump() << '\n';
  }

  const HeadlessOptions& options_;
  std::vector<ScriptLine> script_;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer quiet_;
  boost::asio::steady_timer retry_;
  std::unique_ptr<WorldClient> client_;
  Box view_;
  std::size_t next_ = 0;                          // the script's line to be sent next
  std::map<std::uint64_t, std::size_t> waiting_;  // unanswered: number to line
  std::optional<std::uint64_t> first_tick_;
  std::uint64_t last_answer_tick_ = 0;
  std::uint64_t applied_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t reconnects_ = 0;
  std::size_t asked_ = 0;  // commands of an earlier connection of which the server has to tell
  bool was_welcomed_ = false;
  std::optional<Clock::time_point> lost_at_;  // while there is no connection
  bool finished_ = false;
  int status_ = kExitWell;
};

}  // namespace

int run_headless(const HeadlessOptions& options) {
  std::vector<ScriptLine> script;
  if (!options.script.empty()) {
    auto read = read_script(options.script);
    if (!read.ok()) {
      std::cerr << "sluice-view: " << read.error() << '\n';
      return kExitWrongInput;
    }
    script = std::move(read.value());
  }
  return Headless(options, std::move(script)).run();
}

}  // namespace sluice::client
