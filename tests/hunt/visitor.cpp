#include "tests/hunt/visitor.h"

#include <algorithm>
#include <utility>

#include "server/formats/script.h"
#include "tests/hunt/refusals.h"
#include "tests/support/random_tracers.h"

namespace sluice::hunt {

namespace {

using Kind = Timeline::Kind;
using protocol::ClientSession;
using std::chrono::milliseconds;

Box random_view(tests::Dice& dice, Vec3 size) {
  if (dice.chance(60)) return {{}, size};
  const auto from = [&](std::int32_t side) { return dice.roll(-5, side); };
  const std::int32_t x = from(size.x);
  const std::int32_t y = from(size.y);
  const std::int32_t z = from(size.z);
  const std::int32_t w = dice.roll(0, size.x + 5);
  const std::int32_t h = dice.roll(0, size.y + 5);
  return {{x, y, z}, {w, h, dice.roll(0, size.z + 5)}};
}

}  // namespace

Visitor::Visitor(Ground& ground, Ledger& ledger, std::int64_t number, bool lies, Connect connect)
    : ground_(ground),
      ledger_(ledger),
      number_(number),
      lies_(lies),
      connect_(std::move(connect)),
      targets_(ground_.spec, ground_.stream("targets")),
      moments_(ground.stream("moments") + static_cast<std::uint64_t>(number)),
      faults_(ground.stream("visitor faults") + static_cast<std::uint64_t>(number)),
      points_(ground.stream("points") + static_cast<std::uint64_t>(number)),
      tales_(ground.stream("tales") + static_cast<std::uint64_t>(number)),
      resumes_(!lies && ground.plan.resumes != 0) {}

void Visitor::after(Duration delay, const char* name, std::function<void()> action) {
  ground_.timeline.after(delay, name, Kind::kRegular, std::move(action));
}

void Visitor::come() {
  connect();
  after(milliseconds(moments_.roll(1, kLongestPause)), "visitor", [this] { think(); });
}

void Visitor::connect() {
  const std::string connection =
      "c" + std::to_string(number_) + "-" + std::to_string(++connections_);
  const std::uint64_t seed = ground_.stream(connection);
  auto wire = std::make_shared<Wire>(
      ground_.timeline, seed, Wire::Faults{ground_.plan.delay, ground_.plan.pieces},
      Wire::ClientEnd{[this](const protocol::Bytes& bytes) { receive(bytes); },
                      [this] { leave(); }});
  if (!connect_(wire)) return;  // nobody listens
  ground_.journal.add("connects", static_cast<std::uint64_t>(number_));
  wire_ = std::move(wire);
  asked_.clear();
  stalled_ = false;
  if (resumes_) {
    name_ = "c" + std::to_string(number_);
    session_.emplace(name_, commands_to_go_on_with());
  } else {
    name_ = connection;
    session_.emplace(name_);
    unanswered_ = 0;
    sent_.clear();
    looks_.clear();
  }
  session_->start();
  const Vec3 size = ground_.spec.config.size;
  tests::Dice dice(seed);
  view_ = random_view(dice, size);
  layers_ = static_cast<std::uint32_t>(seed % most_layers());
  look();
  flush();
}

protocol::SentCommands Visitor::commands_to_go_on_with() {
  if (session_) return session_->take_commands();
  protocol::SentCommands commands;
  tests::Dice dice(ground_.stream("token") + static_cast<std::uint64_t>(number_));
  commands.token.emplace();
  for (std::uint8_t& byte : *commands.token) byte = static_cast<std::uint8_t>(dice.next());
  return commands;
}

/// Where the earlier connection ended. What the server cannot tell of is given up.
void Visitor::take_up() {
  for (const std::uint64_t seq : session_->forgotten()) {
    sent_.erase(seq);
    looks_.erase(seq);
  }
  for (const auto& [seq, json] : session_->commands().unanswered) asked_.insert(seq);
  unanswered_ = asked_.size();
  if (!asked_.empty()) ground_.journal.add("comes back and asks", asked_.size());
}

// At the cells themselves, or, three times in eight, at a coarser level of detail.
void Visitor::look() {
  const auto drawn = static_cast<std::uint32_t>(view_.from.y + view_.size.x) % 8;
  const bool coarse = ground_.plan.details != 0 && drawn <= protocol::kLevelsOfDetail;
  detail_ = static_cast<std::uint8_t>(coarse ? drawn : 0);
  // From afar most want layers of coarse cells, too.
  coarse_layers_ = detail_ > 0 && layers_ % 4 != 0 ? layers_ >> 1U : 0;
  session_->set_view(view_, layers_, detail_, coarse_layers_);
}

void Visitor::leave() {
  if (wire_ != nullptr) wire_->abandon();
  wire_.reset();
}

bool Visitor::ready() const {
  return wire_ != nullptr && session_ && session_->state() == ClientSession::State::kReady;
}

bool Visitor::ready_to_stay() const {
  return ready() && wire_->whole();
}

bool Visitor::heard() const {
  return wire_ == nullptr || wire_->all_read();
}

void Visitor::flush() {
  if (wire_ == nullptr) return;
  for (const protocol::Bytes& message : session_->take_outgoing()) wire_->send(message);
}

void Visitor::receive(const protocol::Bytes& bytes) {
  const ClientSession::Event event = session_->receive(bytes);
  if (event == ClientSession::Event::kWelcomed && resumes_) take_up();
  flush();
  if (event == ClientSession::Event::kPeople) look_at_people();
  if (event == ClientSession::Event::kResult) note_result(session_->last_result());
  if (honest() && session_->mirror().stats().digest_mismatches > 0) {
    ground_.journal.fail("mirror", name_ + "'s has another digest than the server says, at tick " +
                                       std::to_string(session_->mirror().tick()));
  }
  if (event != ClientSession::Event::kClosed) return;
  const bool told = session_->refused().has_value();
  const bool shutdown = told && session_->refused()->code == protocol::RefusalCode::kShutdown;
  // An honest client does nothing that is not allowed.
  const bool kicked = told && session_->refused()->code == protocol::RefusalCode::kNotAllowed &&
                      ground_.plan.admin_acts > 0;
  if (honest() && !shutdown && !kicked) {
    ground_.journal.fail("protocol", "an honest client is sent away: " + session_->reason());
  }
  leave();
}

/// All who are told of stand in the world, and what they see lies in it.
void Visitor::look_at_people() {
  const Box world{{}, session_->mirror().welcome().size};
  for (const protocol::Person& person : session_->people()) {
    const bool is_seen =
        !person.sees || (world.contains(person.sees->from) && world.contains(person.sees->to));
    if (world.contains(person.at) && is_seen) continue;
    ground_.journal.fail("people", "number " + std::to_string(person.number) +
                                       " is said to point, or look, beyond the world");
  }
}

void Visitor::note_result(const protocol::CommandResult& result) {
  if (asked_.erase(result.seq) > 0) note_fate(result);
  if (result.kind == protocol::ResultKind::kNeverCame) {
    (void)session_->send_again(result.seq);
    const auto command = sent_.find(result.seq);
    if (command != sent_.end()) ledger_.sent_again(name_, result.seq, command->second);
    return flush();
  }
  if (unanswered_ > 0) --unanswered_;
  if (looks_.erase(result.seq) > 0) {
    // Nothing that the world's history knows of.
    return ground_.journal.add(result.applied ? "looks back" : "cannot look back", result.tick);
  }
  ledger_.answered(name_, result);
  const auto command = sent_.find(result.seq);
  if (command == sent_.end()) return;
  note_outcome(command->second, result);
  sent_.erase(command);
}

/// Of a command of an earlier connection.
void Visitor::note_fate(const protocol::CommandResult& result) {
  switch (result.kind) {
    case protocol::ResultKind::kNew:
      return ground_.journal.add("a command outlived its connection");
    case protocol::ResultKind::kAgain:
      return ground_.journal.add("is told again what became of a command");
    case protocol::ResultKind::kUnknown:
      return ground_.journal.add("is told that nobody knows");
    case protocol::ResultKind::kNeverCame:
      return ground_.journal.add("sends again what never came");
  }
}

void Visitor::note_outcome(const sim::Command& command, const protocol::CommandResult& result) {
  const std::string_view name = sim::name_of(command);
  const auto push = push_of(command);
  if (push) ground_.journal.add(what_became(*push, result.applied ? "" : result.reason));
  if (result.applied) return ground_.journal.add(applied_as(name));
  const bool forbidden = result.reason.starts_with("not allowed: ");
  if (forbidden && !push) ground_.journal.add("a command where it is forbidden");
  const Refusal* why = refusal_of(result.reason);
  const bool of_any = why != nullptr && std::string_view(why->commands) == kAnyCommand;
  if (of_any) ground_.journal.count(refused_as(kAnyCommand, *why));
  if (result.tick == 0) return;  // it came to no world
  if (why == nullptr) {
    ground_.journal.fail("refusal", std::string(name) + " is refused for a reason that no row of " +
                                        "refusals.cpp has: " + result.reason);
    return;
  }
  ground_.journal.add(refused_as(name, *why));
}

void Visitor::recover() {
  if (std::exchange(stalled_, false) && wire_ != nullptr) wire_->set_reading(true);
}

void Visitor::think() {
  after(milliseconds(moments_.roll(1, kLongestPause)), "visitor", [this] { think(); });
  if (wire_ == nullptr) {
    if (acts_ && moments_.chance(50)) connect();
    if (!acts_) connect();
    return;
  }
  if (!acts_ || !ready()) return;
  const Plan& plan = ground_.plan;
  if (plan.breaks > 0 && faults_.roll(1, 200) <= plan.breaks) {
    ground_.journal.add("a connection breaks", static_cast<std::uint64_t>(number_));
    return wire_->break_off();
  }
  if (plan.stalls > 0 && !stalled_ && faults_.roll(1, 100) <= plan.stalls) {
    stalled_ = true;
    wire_->set_reading(false);
    ground_.journal.add("a client stalls", static_cast<std::uint64_t>(number_));
    after(milliseconds(faults_.roll(100, 20000)), "reads again", [this, wire = wire_] {
      if (wire == wire_) recover();
    });
  }
  act();
}

void Visitor::act() {
  const Plan& plan = ground_.plan;
  if (lies_ && moments_.chance(stalled_ ? 30 : 10)) return lie();
  if (moments_.roll(1, 100) <= plan.views) look_elsewhere();
  if (points_.roll(1, 100) <= plan.points) point();
  if (moments_.chance(5)) session_->send_ping(moments_.next());
  // What the server still has to tell of comes before what follows it.
  if (moments_.roll(1, 100) <= plan.commands && asked_.empty()) {
    const std::int32_t count = moments_.roll(1, static_cast<std::int32_t>(plan.burst));
    for (std::int32_t i = 0; i < count; ++i) send_command();
  }
  flush();
}

// Anywhere, beyond the world, too, and with corners in any order.
void Visitor::point() {
  const auto place = [this] {
    return Vec3{points_.roll(-9, 99), points_.roll(-9, 99), points_.roll(-9, 99)};
  };
  protocol::Pointer pointer{place(), points_.chance(80), name_};
  if (points_.chance(60)) pointer.sees = {place(), place()};
  session_->point(std::move(pointer));
  ground_.journal.add("points", static_cast<std::uint64_t>(number_));
}

void Visitor::look_elsewhere() {
  view_ = random_view(moments_, session_->mirror().welcome().size);
  layers_ = static_cast<std::uint32_t>(view_.from.x + view_.size.y) % most_layers();
  look();
}

// Sets of the layers that its world may have.
std::uint32_t Visitor::most_layers() const {
  return ground_.plan.tracers != 0 ? 64 : 4;
}

// Each command is a function of the client and the command's number, so that one can be left out.
void Visitor::send_command() {
  const std::int64_t number = ++commands_;
  tests::Dice dice(ground_.stream("command") +
                   static_cast<std::uint64_t>(number_ * 1'000'003 + number));
  if (ground_.plan.without.contains({number_, number})) return;
  ++unanswered_;
  tests::Dice looks(ground_.stream("look back") +
                    static_cast<std::uint64_t>(number_ * 1'000'003 + number));
  if (looks.roll(1, 100) <= ground_.plan.looks_back) return ask_to_look_back(looks);
  const bool bad = dice.roll(1, 100) <= ground_.plan.bad_commands;
  if (bad && dice.chance(40)) {
    constexpr const char* kNonsense[] = {"", "{", "[1]", R"({"cmd": "flood"})",
                                         R"({"cmd": "pour", "at": [1, 2], "units": 1})"};
    session_->send_command(kNonsense[dice.roll(0, 4)]);
    return;
  }
  sim::Command command = draw_command(dice, number, bad);
  const std::string json = formats::format_command(command, 0);
  const std::uint64_t seq = session_->send_command(json);
  // As the server reads it, which what is out of place may change; what cannot be read reaches no
  // world.
  const bool straight = ground_.plan.aimed == 0;
  const auto read = straight ? Result<sim::Command>(command) : formats::parse_command(json, "it");
  if (!read) return ground_.journal.add("a command that cannot be read");
  ledger_.sent(name_, seq, *read);
  sent_.insert_or_assign(seq, std::move(command));
}

sim::Command Visitor::draw_command(tests::Dice& dice, std::int64_t number, bool bad) const {
  const Vec3 cells = session_->mirror().welcome().size;
  const auto own_dice = [&](const char* purpose) {
    return tests::Dice(ground_.stream(purpose) +
                       static_cast<std::uint64_t>(number_ * 1'000'003 + number));
  };
  const bool pipes = ground_.plan.pipes != 0 && dice.chance(50);
  // Bad ones lie outside as often as not.
  const Vec3 room = bad ? Vec3{2 * cells.x, 2 * cells.y, 2 * cells.z} : cells;
  sim::Command command = pipes ? tests::random_network_command(dice, room, ground_.plan.pipes == 2)
                               : tests::random_command(dice, room);
  if (ground_.plan.heat != 0 && dice.chance(15)) {
    command = tests::random_heat_command(dice, room);
  } else if (ground_.plan.tracers != 0 && dice.chance(20)) {
    command = tests::random_tracer_command(dice, room, sim::kMostTracers - 1, true);
  }
  // With dice of their own: other commands stay what they are without them.
  tests::Dice pushes = own_dice("push");
  if (pushes.roll(1, 100) <= ground_.plan.pushes) command = random_push(pushes, cells);
  tests::Dice aims = own_dice("aim");
  if (aims.roll(1, 100) > ground_.plan.aimed) return command;
  tests::Dice rare = own_dice("rare");
  // A world that has little room is to be asked for more.
  if (rare.chance(ground_.plan.little_room != 0 ? 12 : 4))
    return rare_command(rare, cells, targets_);
  if (aims.chance(15)) command = seldom_command(aims, cells);
  const bool wrong = aims.chance(25);
  if (!wrong) command = fitting(std::move(command), sim::measure_of(ground_.spec.config));
  return aimed(std::move(command), targets_, wrong, aims);
}

void Visitor::ask_to_look_back(tests::Dice& dice) {
  std::string json = R"({"cmd": "alone", "as": "p1")";
  // Past the end, too, as of a page that remembers another history.
  const auto last = static_cast<std::int32_t>(session_->mirror().tick()) + 5;
  if (dice.chance(70)) json += R"(, "to": )" + std::to_string(dice.roll(0, last));
  if (dice.chance(10)) json += R"(, "at": "once")";
  looks_.insert(session_->send_command(json + "}"));
}

// Asks anew for what it has: a chunk of the cells or of any layer, a section of the pipes; or asks
// what became of what it never sent.
protocol::ClientMessage Visitor::tale(std::int32_t x, std::int32_t y) {
  const auto number = [this](std::int32_t most) {
    return static_cast<std::uint32_t>(tales_.roll(0, most));
  };
  // Cells most of all: nothing else makes a client stall over them.
  switch (number(29)) {
    case 0:
      return protocol::ResyncPipes{{{x, y, tales_.roll(-1, 2)}, number(2) << 16 | number(3)}};
    case 1: {
      protocol::AskResults ask;
      for (std::uint32_t seqs = number(20); seqs > 0; --seqs) ask.seqs.push_back(number(9));
      return ask;
    }
    case 2:
      return protocol::Resync{{x, y, tales_.roll(-1, 2)}, static_cast<std::uint8_t>(number(255))};
    case 3:
      return protocol::Resync{{x, y, 0}, static_cast<std::uint8_t>(number(6))};
    default:
      return protocol::Resync{{x, y, 0}};
  }
}

void Visitor::lie() {
  using protocol::ClientMessage;
  // One that reads nothing claims most of all that its mirror is wrong: that is answered at length.
  constexpr std::int32_t kTale = 3;
  const std::int32_t kind = stalled_ && moments_.chance(50) ? kTale : moments_.roll(0, 6);
  ground_.journal.add("a lie", static_cast<std::uint64_t>(kind));
  switch (kind) {
    case 0: {
      protocol::Bytes garbage(static_cast<std::size_t>(moments_.roll(0, 200)));
      for (auto& byte : garbage) byte = static_cast<std::uint8_t>(moments_.next());
      return wire_->send(garbage);
    }
    case 1:
      return wire_->send({'h', 'i'}, false);
    case 2:
      return wire_->send(protocol::encode(ClientMessage{protocol::Hello{}}));
    case kTale: {
      const std::int32_t x = moments_.roll(-2, 4);
      return wire_->send(protocol::encode(tale(x, moments_.roll(-2, 4))));
    }
    case 4:
      return wire_->send(protocol::Bytes(200'000));
    case 5: {
      protocol::Bytes cut = protocol::encode(ClientMessage{protocol::SetView{view_, 0}});
      std::uint8_t& hit = cut[moments_.next() % cut.size()];
      hit = static_cast<std::uint8_t>(hit ^ (1U << moments_.roll(0, 7)));
      return wire_->send(cut);
    }
    default: {
      const std::int32_t far = 1 << 30;
      return wire_->send(protocol::encode(
          ClientMessage{protocol::SetView{{{-far, -far, -far}, {far, far, far}}, 0}}));
    }
  }
}

}  // namespace sluice::hunt
