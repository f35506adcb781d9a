#include "protocol/client_session.h"

#include <cstdlib>
#include <utility>

#include "protocol/base/sometimes.h"

namespace sluice::protocol {

namespace {

// Calling out of turn is the caller's mistake, not the server's.
void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

void ClientSession::start() {
  require(state_ == State::kIdle);
  Hello hello{kProtocolVersion, name_, {}};
  if (sent_.token) hello.resume = Resume{*sent_.token, sent_.last_seq, sent_.since_tick};
  outgoing_.push_back(encode(ClientMessage{std::move(hello)}));
  state_ = State::kGreeting;
}

ClientSession::Event ClientSession::receive(ByteView bytes) {
  require(state_ != State::kIdle);
  if (state_ == State::kClosed) return Event::kNothing;
  mirror_.count_bytes(bytes.size());
  const Result<ServerMessage> message = decode_server_message(bytes);
  if (!message.ok()) return fail("the server sent bytes that are " + message.error());
  return std::visit([this](const auto& m) { return on(m); }, message.value());
}

ClientSession::Event ClientSession::on(const Welcome& welcome) {
  if (state_ != State::kGreeting) return fail("the server sent a second welcome");
  if (welcome.protocol_version != kProtocolVersion) {
    return fail("the server speaks protocol version " + std::to_string(welcome.protocol_version) +
                ", this client " + std::to_string(kProtocolVersion));
  }
  const std::uint64_t bytes = mirror_.stats().bytes;
  mirror_ = Mirror(welcome);
  mirror_.count_bytes(bytes);
  state_ = State::kReady;
  ask_for_unanswered(welcome);
  if (waiting_view_) outgoing_.push_back(encode(ClientMessage{*waiting_view_}));
  return Event::kWelcomed;
}

void ClientSession::ask_for_unanswered(const Welcome& welcome) {
  if (!std::exchange(sent_.welcomed, true)) sent_.since_tick = welcome.tick;
  AskResults ask;
  for (const auto& [seq, json] : sent_.unanswered) {
    if (welcome.results_kept == 0 || ask.seqs.size() == kResultsKept) {
      forgotten_.push_back(seq);
    } else {
      ask.seqs.push_back(seq);
    }
  }
  if (!forgotten_.empty()) SLUICE_SOMETIMES("a client gave up what its server cannot tell of");
  for (const std::uint64_t seq : forgotten_) sent_.unanswered.erase(seq);
  if (!ask.seqs.empty()) outgoing_.push_back(encode(ClientMessage{std::move(ask)}));
}

ClientSession::Event ClientSession::on(const Refused& refused) {
  refused_ = refused;
  return fail("refused: " + refused.reason);
}

ClientSession::Event ClientSession::on(const Tick& tick) {
  if (state_ != State::kReady) return fail("the server sent a tick before its welcome");
  if (Status status = mirror_.apply(tick); !status.ok()) return fail(status.error());
  for (const Resync& resync : mirror_.take_wanted_resyncs()) {
    outgoing_.push_back(encode(ClientMessage{resync}));
  }
  for (const PipeKey& key : mirror_.take_wanted_pipe_resyncs()) {
    outgoing_.push_back(encode(ClientMessage{ResyncPipes{key}}));
  }
  return Event::kTicked;
}

ClientSession::Event ClientSession::on(const CommandResult& result) {
  if (state_ != State::kReady) return fail("the server sent a command result before its welcome");
  last_result_ = result;
  // What never came may be sent again.
  if (result.kind != ResultKind::kNeverCame) sent_.unanswered.erase(result.seq);
  return Event::kResult;
}

ClientSession::Event ClientSession::on(const Pong& pong) {
  if (state_ != State::kReady) return fail("the server sent a pong before its welcome");
  last_pong_ = pong;
  return Event::kPong;
}

ClientSession::Event ClientSession::on(const People& people) {
  if (state_ != State::kReady) return fail("the server sent people before its welcome");
  people_ = people.people;
  return Event::kPeople;
}

void ClientSession::point(Pointer pointer) {
  if (state_ != State::kReady || mirror_.welcome().person == 0) return;
  outgoing_.push_back(encode(ClientMessage{std::move(pointer)}));
}

void ClientSession::set_view(const Box& box, std::uint32_t layers, std::uint8_t level_of_detail,
                             std::uint32_t coarse_layers) {
  require(state_ != State::kIdle);
  const SetView view{box, level_of_detail, layers, coarse_layers};
  if (state_ == State::kGreeting) waiting_view_ = view;
  if (state_ == State::kReady) outgoing_.push_back(encode(ClientMessage{view}));
}

std::uint64_t ClientSession::send_command(std::string json) {
  require(state_ == State::kReady || state_ == State::kClosed);
  if (state_ == State::kClosed) return 0;
  const std::uint64_t seq = ++sent_.last_seq;
  if (sent_.token) sent_.unanswered[seq] = json;
  outgoing_.push_back(encode(ClientMessage{Command{seq, std::move(json)}}));
  return seq;
}

bool ClientSession::send_again(std::uint64_t seq) {
  const auto command = sent_.unanswered.find(seq);
  if (state_ != State::kReady || command == sent_.unanswered.end()) return false;
  outgoing_.push_back(encode(ClientMessage{Command{seq, command->second}}));
  return true;
}

void ClientSession::send_ping(std::uint64_t nonce) {
  require(state_ == State::kReady || state_ == State::kClosed);
  if (state_ == State::kReady) outgoing_.push_back(encode(ClientMessage{Ping{nonce}}));
}

void ClientSession::close(std::string reason) {
  if (state_ != State::kClosed) fail(std::move(reason));
}

std::vector<Bytes> ClientSession::take_outgoing() {
  return std::exchange(outgoing_, {});
}

ClientSession::Event ClientSession::fail(std::string reason) {
  state_ = State::kClosed;
  reason_ = std::move(reason);
  outgoing_.clear();
  return Event::kClosed;
}

}  // namespace sluice::protocol
