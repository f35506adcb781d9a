#include "server/net/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/beast/websocket/rfc6455.hpp>
#include <spdlog/spdlog.h>

#include "protocol/base/sometimes.h"
#include "protocol/limits.h"

namespace sluice::net {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

// How much sooner than an ordinary message a new view exhausts the rate: it walks all chunks.
constexpr double kViewCost = 20;
// Likewise of a resync: a keyframe, and its chunk compared with the world's.
constexpr double kResyncCost = 20;
// A message counts as one more for each of these.
constexpr double kMessageBytes = 1024;
constexpr std::chrono::milliseconds kThrottlePause{50};
// What a close frame can carry.
constexpr std::size_t kMaxCloseReasonBytes = 120;

/// What a view shows of a world of that size: cells, or coarse ones. The box may be any.
std::int64_t cells_of(const protocol::SetView& view, Vec3 size) {
  const auto length = [&view](std::int32_t from, std::int32_t many, std::int32_t end) {
    const std::int64_t last = std::min(std::int64_t{from} + many, std::int64_t{end});
    const std::int64_t cells = std::max<std::int64_t>(0, last - std::max(from, 0));
    return (cells + (1 << view.level_of_detail) - 1) >> view.level_of_detail;
  };
  const Box& box = view.box;
  return length(box.from.x, box.size.x, size.x) * length(box.from.y, box.size.y, size.y) *
         length(box.from.z, box.size.z, size.z);
}

/// A client behind a proxy is not who has connected.
std::string peer_text(const std::string& peer, const std::string& address) {
  return peer.starts_with(address) ? peer : address + " (by " + peer + ")";
}

}  // namespace

Session::Session(std::unique_ptr<WebSocket> socket, ConnectionSlot slot, Network& network, Hub& hub,
                 std::string account)
    : network_(network),
      hub_(hub),
      slot_(std::move(slot)),
      socket_(std::move(socket)),
      buffer_(2 * protocol::kMaxClientMessageBytes),
      peer_(peer_text(socket_->peer(), slot_.address())),
      account_(std::move(account)),
      address_(slot_.address()),
      commands_(network.options.limits.commands_per_second,
                network.options.limits.commands_per_second),
      command_bytes_(network.options.limits.command_bytes_per_second,
                     network.options.limits.command_bytes_per_second),
      messages_(network.options.limits, network.spare_messages()) {
  network_.sessions.insert(this);
  if (!account_.empty()) ++network_.by_account[account_];
}

Session::~Session() {
  leave();
  network_.sessions.erase(this);
  if (account_.empty()) return;
  const auto place = network_.by_account.find(account_);
  if (--place->second == 0) network_.by_account.erase(place);
}

void Session::start(const Request& upgrade) {
  upgrade_ = upgrade;
  socket_->accept(upgrade_, network_.options.limits,
                  [self = shared_from_this()](ErrorCode error) { self->on_accept(error); });
}

void Session::on_accept(ErrorCode error) {
  if (error) return end();
  if (state_ != State::kHandshake) return;
  state_ = State::kHello;
  if (network_.stopping) {
    return refuse(protocol::RefusalCode::kShutdown, "the server stops");
  }
  if (refused_early_) return refuse(refused_early_->code, refused_early_->reason);
  wait(network_.options.limits.hello);
  read();
}

void Session::wait(std::chrono::milliseconds time) {
  socket_->wait(time, [self = shared_from_this()](ErrorCode error) { self->on_timer(error); });
}

void Session::on_timer(ErrorCode error) {
  if (error) return;  // cancelled: the hello came
  if (state_ == State::kHello) {
    refuse(protocol::RefusalCode::kBadMessage, "no hello came in time");
  } else if (state_ == State::kOpen) {
    read_when_it_may();
  }
}

void Session::read() {
  if (reading_ || throttled_ || (state_ != State::kHello && state_ != State::kOpen)) return;
  const Limits& limits = network_.options.limits;
  if (outgoing_.size() - waiting_frames_ > limits.waiting_replies) {
    SLUICE_SOMETIMES("a client was not read from while replies waited");
    return;
  }
  if (waiting_reply_bytes_ > limits.waiting_reply_bytes) return;
  reading_ = true;
  socket_->read(buffer_, [self = shared_from_this()](ErrorCode error) { self->on_read(error); });
}

void Session::on_read(ErrorCode error) {
  reading_ = false;
  if (error == websocket::error::message_too_big || error == websocket::error::buffer_overflow) {
    log_closed("a message of more than " + std::to_string(protocol::kMaxClientMessageBytes) +
               " bytes");
    ++hub_.counters().bad_messages;
  }
  if (error) {
    if (buffer_.size() > 0) {
      SLUICE_SOMETIMES("a connection broke within a message");
    }
    return state_ == State::kClosing ? void() : end();
  }
  if (state_ != State::kHello && state_ != State::kOpen) return;
  // Long ones take as long as several.
  messages_.charge_work(std::floor(static_cast<double>(buffer_.size()) / kMessageBytes),
                        socket_->now());
  handle_bytes();
  buffer_.consume(buffer_.size());
  if (state_ != State::kHello && state_ != State::kOpen) return;
  read_when_it_may();
}

/// What was read already is paid for first.
void Session::read_when_it_may() {
  throttled_ = !messages_.take(socket_->now());
  if (!throttled_) return read();
  SLUICE_SOMETIMES("a client was read from more slowly");
  ++hub_.counters().reads_slowed;
  wait(kThrottlePause);
}

void Session::handle_bytes() {
  if (!socket_->got_binary()) return bad_message("a text message; messages are binary");
  const auto data = buffer_.cdata();
  auto message =
      protocol::decode_client_message({static_cast<const std::uint8_t*>(data.data()), data.size()});
  if (!message.ok()) return bad_message(message.error());
  if (state_ == State::kHello && !std::holds_alternative<protocol::Hello>(message.value())) {
    return bad_message(std::string(protocol::name_of(message.value())) + " before hello");
  }
  std::visit([this](auto& m) { on(m); }, message.value());
}

void Session::on(const protocol::Hello& hello) {
  if (state_ != State::kHello) return bad_message("a second hello");
  if (hello.protocol_version != protocol::kProtocolVersion) {
    return refuse(protocol::RefusalCode::kWrongVersion,
                  "this server speaks protocol version " +
                      std::to_string(protocol::kProtocolVersion) + ", the client " +
                      std::to_string(hello.protocol_version));
  }
  // Roles may have changed since the upgrade.
  const std::string refusal = watch_refusal();
  if (!refusal.empty()) return refuse(protocol::RefusalCode::kNotAllowed, refusal);
  socket_->cancel_wait();
  client_name_ = hello.client_name;
  state_ = State::kOpen;
  take_limits();
  join(hello);
}

void Session::on(const protocol::SetView& view) {
  // It is obeyed at once; the cost slows the reads that follow.
  messages_.charge(kViewCost, socket_->now());
  view_cells_ = cells_of(view, hub_.config().size);
  if (!view_fits()) return;
  hub_.set_view(*this, view);
}

std::string Session::watch_refusal() const {
  const access::Gate& gate = *network_.options.gate;
  std::string banned = gate.ban_refusal(account_, address_);
  return banned.empty() ? gate.watch_refusal(hub_.config().name, account_) : banned;
}

void Session::apply_role() {
  const std::string refusal = watch_refusal();
  if (!refusal.empty()) return refuse(protocol::RefusalCode::kNotAllowed, refusal);
  if (state_ != State::kOpen) return;
  take_limits();
  (void)view_fits();
}

void Session::take_limits() {
  const access::Gate& gate = *network_.options.gate;
  const access::Role role = gate.role_in(hub_.config().name, account_);
  allowance_.set(role, gate.limits_of(role));
}

// A view cannot be answered: who asks for too large a one is told in what ends the connection.
bool Session::view_fits() {
  const std::string refusal = allowance_.refusal_of_view(view_cells_);
  if (refusal.empty()) return true;
  ++hub_.counters().over_limits;
  refuse(protocol::RefusalCode::kNotAllowed, refusal);
  return false;
}

void Session::catch_up() {
  if (state_ == State::kOpen) hub_.catch_up(*this);
}

void Session::on(const protocol::Ping& ping) {
  send_reply(protocol::Pong{ping.nonce});
}

// An account goes by its name, whatever its client says.
void Session::on(const protocol::Pointer& pointer) {
  const bool known = !account_.empty();
  hub_.point(
      number_, *this,
      {number_, known ? account_ : pointer.name, known, pointer.at, pointer.pointing, pointer.sees},
      socket_->now());
}

void Session::on(const protocol::Resync& resync) {
  messages_.charge(kResyncCost, socket_->now());
  spdlog::debug("{} {}: a chunk's checksum differed at \"{}\"", hub_.config().name, peer_,
                client_name_);
  if (!hub_.resync(*this, resync)) bad_message("too many resyncs of chunks that are air");
}

void Session::on(const protocol::ResyncPipes& resync) {
  messages_.charge(kResyncCost, socket_->now());
  spdlog::debug("{} {}: a pipe section's checksum differed at \"{}\"", hub_.config().name, peer_,
                client_name_);
  if (!hub_.resync_pipes(*this, resync.key))
    bad_message("too many resyncs of sections that are not there");
}

void Session::bad_message(const std::string& what) {
  ++hub_.counters().bad_messages;
  refuse(protocol::RefusalCode::kBadMessage, "bad message: " + what);
}

void Session::refuse(protocol::RefusalCode code, const std::string& reason) {
  if (state_ == State::kHandshake) refused_early_ = protocol::Refused{code, reason};
  if (state_ != State::kHello && state_ != State::kOpen) return;
  log_closed(reason);
  leave();
  socket_->cancel_wait();
  state_ = State::kClosing;
  const bool goes =
      code == protocol::RefusalCode::kShutdown || code == protocol::RefusalCode::kWorldGone;
  close_code_ = goes ? websocket::close_code::going_away : websocket::close_code::policy_error;
  close_reason_ = reason.substr(0, kMaxCloseReasonBytes);
  // Replies that are due still leave; frames that are not yet on their way do not.
  for (std::size_t i = outgoing_.size(); i > 1; --i) {
    if (!outgoing_[i - 1].is_frame) continue;
    --waiting_frames_;
    waiting_frame_bytes_ -= outgoing_[i - 1].bytes->size();
    outgoing_.erase(outgoing_.begin() + static_cast<std::ptrdiff_t>(i - 1));
  }
  send(std::make_shared<const protocol::Bytes>(
           protocol::encode(protocol::ServerMessage{protocol::Refused{code, reason}})),
       false);
}

// Bounded, because strangers can make as many of these as they can make connections.
void Session::log_closed(const std::string& why) {
  network_.closed_log.log(socket_->now(), [&](const std::string& left_out) {
    spdlog::info("{} {}: closed \"{}\": {}{}", hub_.config().name, peer_, client_name_, why,
                 left_out);
  });
}

void Session::end_if_stalled_since(std::chrono::steady_clock::time_point latest) {
  if (outgoing_.empty() || write_began_ > latest) return;
  SLUICE_SOMETIMES("a client that took nothing was let go");
  log_closed("it takes no messages");
  end();
}

Session::Waiting Session::waiting() const {
  Waiting waiting{waiting_frames_, outgoing_.size() - waiting_frames_, waiting_frame_bytes_};
  const auto newest = std::find_if(outgoing_.rbegin(), outgoing_.rend(),
                                   [](const Outgoing& message) { return message.is_frame; });
  if (newest != outgoing_.rend()) waiting.older_frame_bytes -= newest->bytes->size();
  return waiting;
}

bool Session::has_room() const {
  const Limits& limits = network_.options.limits;
  if (allowance_.holds_back(socket_->now())) return false;
  return waiting_frames_ == 0 || (waiting_frames_ < limits.waiting_frames &&
                                  waiting_frame_bytes_ < limits.waiting_frame_bytes);
}

void Session::send_frame(SharedBytes frame) {
  if (state_ == State::kOpen) send(std::move(frame), true);
}

void Session::send_reply(const protocol::ServerMessage& message) {
  if (state_ != State::kOpen) return;
  if (std::holds_alternative<protocol::CommandResult>(message)) --waiting_commands_;
  send(std::make_shared<const protocol::Bytes>(protocol::encode(message)), false);
}

void Session::send(SharedBytes bytes, bool is_frame) {
  hub_.counters().bytes += bytes->size();
  allowance_.note_sent(bytes->size(), socket_->now());
  if (is_frame) {
    ++waiting_frames_;
    waiting_frame_bytes_ += bytes->size();
  } else {
    waiting_reply_bytes_ += bytes->size();
  }
  outgoing_.push_back({std::move(bytes), is_frame});
  if (outgoing_.size() == 1) write();
}

void Session::write() {
  write_began_ = socket_->now();
  socket_->write(*outgoing_.front().bytes,
                 [self = shared_from_this()](ErrorCode error) { self->on_write(error); });
}

void Session::on_write(ErrorCode error) {
  if (error) return end();
  if (outgoing_.front().is_frame) {
    --waiting_frames_;
    waiting_frame_bytes_ -= outgoing_.front().bytes->size();
  } else {
    waiting_reply_bytes_ -= outgoing_.front().bytes->size();
  }
  outgoing_.pop_front();
  if (!outgoing_.empty()) {
    write();
  } else if (state_ == State::kClosing) {
    close();
  }
  if (state_ != State::kOpen) return;
  hub_.catch_up(*this);
  read();
}

void Session::close() {
  socket_->close(websocket::close_reason(close_code_, close_reason_),
                 [self = shared_from_this()](ErrorCode) { self->end(); });
}

void Session::leave() {
  if (number_ != 0) hub_.leave(number_, socket_->now());
  number_ = 0;
}

// The connection is gone: what is still under way fails by itself and lets go of the session.
void Session::end() {
  if (state_ == State::kEnded) return;
  state_ = State::kEnded;
  leave();
  socket_->cancel_wait();
  socket_->end();
}

}  // namespace sluice::net
