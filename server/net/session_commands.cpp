// A session's commands: what is refused before it reaches the world, and what came of those of an
// earlier connection.
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "protocol/base/sometimes.h"
#include "protocol/limits.h"
#include "server/net/session.h"

namespace sluice::net {

namespace {

// It is parsed, queued and answered, which takes about as long as so many pings.
constexpr double kCommandCost = 4;
constexpr const char* kForgotten = "what became of the command is not known any more";
constexpr const char* kNeverCame = "the command never came; it was not applied";

}  // namespace

void Session::join(const protocol::Hello& hello) {
  protocol::Welcome welcome = hub_.welcome();
  if (hello.resume) {
    resume_ = resume_text(hello.resume->token);
    const ResultBook::Opened opened =
        hub_.join_again(*this,
                        {ResultBook::key_of(account_, resume_), address_, hello.resume->last_seq,
                         hello.resume->since_tick},
                        socket_->now());
    number_ = opened.number;
    waiting_commands_ = opened.pending;
    if (hub_.keeps_results(number_)) {
      welcome.results_kept = static_cast<std::uint32_t>(hub_.results_kept());
    }
    welcome.knows_client = opened.known;
  } else {
    number_ = hub_.join(*this);
  }
  welcome.person = number_;
  spdlog::debug("{} {}: \"{}\" joined", hub_.config().name, peer_, client_name_);
  const access::Gate& gate = *network_.options.gate;
  welcome.account = account_;
  // Whoever may watch the past steers it.
  welcome.watch_only = !hub_.replays() && !gate.build_refusal(hub_.config().name, account_).empty();
  send_reply(welcome);
}

// Who may not watch is not here any more.
std::string Session::role_refusal(access::Role needed) const {
  const access::Gate& gate = *network_.options.gate;
  const std::string& world = hub_.config().name;
  if (needed >= access::Role::kOperate) return gate.operate_refusal(world, account_);
  return needed == access::Role::kBuild ? gate.build_refusal(world, account_) : std::string();
}

std::string Session::refusal_of(const protocol::Command& command) {
  const access::Gate& gate = *network_.options.gate;
  std::string not_allowed = role_refusal(hub_.role_for(command));
  if (!not_allowed.empty()) return not_allowed;
  const Limits& limits = network_.options.limits;
  if (waiting_commands_ >= limits.waiting_commands) {
    SLUICE_SOMETIMES("too many commands of a client waited");
    return "too many commands wait for their result (" + std::to_string(limits.waiting_commands) +
           ")";
  }
  if (std::string refusal = rate_refusal(command); !refusal.empty()) return refusal;
  const access::Role role = gate.role_in(hub_.config().name, account_);
  const Status status =
      hub_.submit({command, number_, client_name_, account_, resume_, role, address_});
  return status.ok() ? std::string() : status.error();
}

std::string Session::rate_refusal(const protocol::Command& command) {
  const Limits& limits = network_.options.limits;
  if (std::string refusal = allowance_.refusal_of_command(socket_->now()); !refusal.empty()) {
    ++hub_.counters().over_limits;
    return refusal;
  }
  if (!commands_.take(1, socket_->now())) {
    return "too many commands a second (" +
           std::to_string(static_cast<std::int64_t>(limits.commands_per_second)) + ")";
  }
  if (!command_bytes_.take(static_cast<double>(command.json.size()), socket_->now())) {
    return "too many bytes of commands a second (" +
           std::to_string(static_cast<std::int64_t>(limits.command_bytes_per_second)) + ")";
  }
  return {};
}

// A number that came before is answered as it was then, and never applied again.
bool Session::answer_known(std::uint64_t seq) {
  ResultBook::Found found = hub_.find(number_, seq);
  switch (found.state) {
    case ResultBook::State::kNew:
      return false;
    case ResultBook::State::kPending:
      return true;  // its one result comes when it is settled
    case ResultBook::State::kStored:
      if (found.result.kind == protocol::ResultKind::kNew) {
        found.result.kind = protocol::ResultKind::kAgain;
      }
      break;
    case ResultBook::State::kForgotten:
      found.result = {seq, false, 0, kForgotten, protocol::ResultKind::kUnknown};
      break;
  }
  ++waiting_commands_;
  send_reply(found.result);
  return true;
}

void Session::on(const protocol::AskResults& ask) {
  // Answering slows the reads that follow, and so bounds how many answers wait.
  messages_.charge(static_cast<double>(ask.seqs.size()), socket_->now());
  for (const std::uint64_t seq : ask.seqs) {
    if (answer_known(seq)) continue;
    ++waiting_commands_;
    const bool kept = hub_.keeps_results(number_);
    send_reply(protocol::CommandResult{
        seq, false, 0, kept ? kNeverCame : kForgotten,
        kept ? protocol::ResultKind::kNeverCame : protocol::ResultKind::kUnknown});
  }
}

void Session::replaced() {
  refuse(protocol::RefusalCode::kReplaced, "the same client has come on another connection");
}

void Session::on(protocol::Command& command) {
  messages_.charge_work(kCommandCost - 1, socket_->now());
  if (answer_known(command.seq)) return;
  ++hub_.counters().commands;
  const std::string reason = refusal_of(command);
  ++waiting_commands_;
  if (reason.empty()) return;
  ++hub_.counters().commands_refused;
  const protocol::CommandResult result{command.seq, false, 0, reason};
  hub_.note_refusal(number_, result);
  send_reply(result);
}

}  // namespace sluice::net
