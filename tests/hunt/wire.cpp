#include "tests/hunt/wire.h"

#include <algorithm>
#include <cstring>

#include <boost/asio/error.hpp>
#include <boost/beast/websocket/error.hpp>

#include "protocol/limits.h"

namespace sluice::hunt {

namespace {

namespace websocket = boost::beast::websocket;
using Error = boost::beast::error_code;
using Kind = Timeline::Kind;

// Of what the system keeps for a connection that nobody reads.
constexpr std::size_t kPipeBytes = 4096;

}  // namespace

class Wire::Socket final : public net::WebSocket {
 public:
  explicit Socket(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}

  Time now() override { return wire_->timeline_.now(); }
  void wait(Duration time, Done done) override {
    cancel_wait();
    wire_->wait_done_ = std::move(done);
    const std::uint64_t number = ++wire_->wait_number_;
    wire_->timeline_.after(time, "timer", Kind::kRegular,
                           [wire = wire_, number] { wire->fire_wait(number); });
  }
  void cancel_wait() override {
    if (!wire_->wait_done_) return;
    wire_->cancelled_waits_.push_back(std::exchange(wire_->wait_done_, {}));
    wire_->later({}, "timer cancelled", &Wire::finish_cancelled_waits);
  }
  std::string peer() override { return "client"; }
  void accept(const Request& /*upgrade*/, const net::Limits& /*limits*/, Done done) override {
    wire_->write_done_ = std::move(done);
    wire_->later({}, "accepted", &Wire::finish_write);
  }
  void read(boost::beast::flat_buffer& buffer, Done done) override {
    wire_->read_into_ = &buffer;
    wire_->read_done_ = std::move(done);
    if (!wire_->inbox_.empty() || !wire_->server_open_) {
      wire_->later({}, "read", &Wire::finish_read);
    }
  }
  bool got_binary() override { return wire_->got_binary_; }
  void write(const protocol::Bytes& bytes, Done done) override {
    wire_->writing_ = wire_->pieces_of(bytes, true);
    wire_->write_done_ = std::move(done);
    wire_->write_under_way_ = true;
    wire_->pump_write();
  }
  void close(const websocket::close_reason& /*reason*/, Done done) override {
    wire_->close_done_ = std::move(done);
    wire_->later(std::chrono::milliseconds(1), "closed", &Wire::finish_close);
  }
  void end() override {
    wire_->fail_server();
    wire_->end_client();
  }

 private:
  const std::shared_ptr<Wire> wire_;
};

std::unique_ptr<net::WebSocket> Wire::socket() {
  return std::make_unique<Socket>(shared_from_this());
}

void Wire::later(Duration delay, const char* name, void (Wire::*what)()) {
  timeline_.after(delay, name, Kind::kMessage,
                  [self = shared_from_this(), what] { ((*self).*what)(); });
}

// In the order of sending.
Time Wire::arrival(Time& last) {
  const auto most = static_cast<std::int32_t>(faults_.delay_ms * 1000);
  const Time when = timeline_.now() + std::chrono::microseconds(dice_.roll(0, most));
  return last = std::max(when, last + std::chrono::nanoseconds(1));
}

std::deque<Wire::Piece> Wire::pieces_of(const protocol::Bytes& bytes, bool binary) {
  std::deque<Piece> pieces;
  std::int64_t more =
      faults_.pieces > 1 ? cuts_.roll(1, static_cast<std::int32_t>(faults_.pieces)) : 1;
  auto from = bytes.begin();
  for (; more > 1 && bytes.end() - from > 1; --more) {
    const auto size = cuts_.roll(1, static_cast<std::int32_t>(bytes.end() - from) - 1);
    pieces.push_back({protocol::Bytes(from, from + size), false, binary});
    from += size;
  }
  pieces.push_back({protocol::Bytes(from, bytes.end()), true, binary});
  return pieces;
}

void Wire::send(const protocol::Bytes& bytes, bool binary) {
  if (!client_open_) return;
  for (Piece& piece : pieces_of(bytes, binary)) {
    timeline_.after(
        arrival(last_to_server_) - timeline_.now(), "to the server", Kind::kMessage,
        [self = shared_from_this(), piece = std::move(piece)] { self->arrive_at_server(piece); });
  }
}

void Wire::arrive_at_server(Piece piece) {
  if (!server_open_) {
    // The connection broke while it came: a part of it did.
    if (cut_.empty())
      cut_.assign(piece.bytes.begin(),
                  piece.bytes.begin() + static_cast<std::ptrdiff_t>(piece.bytes.size() / 2));
    return;
  }
  inbox_.push_back(std::move(piece));
  finish_read();
}

// False if the message is longer than a session reads.
bool Wire::take_in(const protocol::Bytes& bytes) {
  if (read_into_->size() + bytes.size() > 2 * protocol::kMaxClientMessageBytes) return false;
  const auto room = read_into_->prepare(bytes.size());
  std::memcpy(room.data(), bytes.data(), bytes.size());
  read_into_->commit(bytes.size());
  return true;
}

// As Beast reads: what has come of a message lies in the session's buffer before the rest is there.
void Wire::finish_read() {
  while (read_done_ && !inbox_.empty()) {
    const Piece piece = std::move(inbox_.front());
    inbox_.pop_front();
    if (!take_in(piece.bytes)) {
      return std::exchange(read_done_, {})(websocket::error::message_too_big);
    }
    if (!piece.last) continue;
    got_binary_ = piece.binary;
    return std::exchange(read_done_, {})({});
  }
  if (!read_done_ || server_open_) return;
  (void)take_in(cut_);
  std::exchange(read_done_, {})(boost::asio::error::connection_reset);
}

void Wire::pump_write() {
  if (!write_under_way_ || !write_done_) return;
  while (server_open_ && !writing_.empty()) {
    if (in_pipe_ > kPipeBytes) return;
    Piece piece = std::move(writing_.front());
    writing_.pop_front();
    in_pipe_ += piece.bytes.size();
    timeline_.after(
        arrival(last_to_client_) - timeline_.now(), "to the client", Kind::kMessage,
        [self = shared_from_this(), piece = std::move(piece)] { self->arrive_at_client(piece); });
  }
  write_under_way_ = false;
  later(std::chrono::microseconds(dice_.roll(1, 1000)), "written", &Wire::finish_write);
}

void Wire::finish_write() {
  if (!write_done_) return;
  const Error error = server_open_ ? Error() : Error(boost::asio::error::connection_reset);
  std::exchange(write_done_, {})(error);
}

void Wire::arrive_at_client(Piece piece) {
  if (!client_open_) return;
  if (client_reads_ && held_.empty()) return give_to_client(piece);
  held_.push_back(std::move(piece));
}

void Wire::give_to_client(const Piece& piece) {
  in_pipe_ -= piece.bytes.size();
  partial_.insert(partial_.end(), piece.bytes.begin(), piece.bytes.end());
  // A copy, for it may leave while it is told.
  if (const auto received = client_.received; piece.last && client_open_ && received) {
    received(std::exchange(partial_, {}));
  }
  pump_write();
}

void Wire::set_reading(bool reading) {
  client_reads_ = reading;
  if (reading) later({}, "reads again", &Wire::give_what_was_held);
}

void Wire::give_what_was_held() {
  while (client_reads_ && client_open_ && !held_.empty()) {
    const Piece piece = std::move(held_.front());
    held_.pop_front();
    give_to_client(piece);
  }
}

void Wire::break_off() {
  fail_server();
  end_client();
}

void Wire::abandon() {
  client_open_ = false;
  client_ = {};
  fail_server();
}

void Wire::drop_server() {
  server_open_ = false;
  read_done_ = write_done_ = close_done_ = wait_done_ = {};
  cancelled_waits_.clear();
  ++wait_number_;
  inbox_.clear();
  end_client();
}

void Wire::fail_server() {
  if (!server_open_) return;
  server_open_ = false;
  inbox_.clear();
  later(std::chrono::milliseconds(dice_.roll(0, 50)), "read fails", &Wire::finish_read);
  if (std::exchange(write_under_way_, false)) later({}, "write fails", &Wire::finish_write);
}

void Wire::end_client() {
  if (!client_open_) return;
  timeline_.after(arrival(last_to_client_) - timeline_.now(), "ended", Kind::kMessage,
                  [self = shared_from_this()] {
                    if (!std::exchange(self->client_open_, false)) return;
                    const auto ended = std::exchange(self->client_, {}).ended;
                    if (ended) ended();
                  });
}

void Wire::finish_close() {
  if (close_done_) std::exchange(close_done_, {})({});
}

void Wire::finish_cancelled_waits() {
  for (const Done& done : std::exchange(cancelled_waits_, {})) {
    done(boost::asio::error::operation_aborted);
  }
}

void Wire::fire_wait(std::uint64_t number) {
  if (number != wait_number_ || !wait_done_) return;
  std::exchange(wait_done_, {})({});
}

}  // namespace sluice::hunt
