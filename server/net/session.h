// One WebSocket: the server's side of a client's connection.
//
//   kHandshake ──► kHello ──── Hello ────► kOpen ─────┐
//                    │ wrong version, late, garbage   │ a bad message, the server stops
//                    └────────► kClosing ◄────────────┘
//                                  │ Refused is written, the close frame exchanged
//                                  ▼
//                               kEnded   (also at once when the connection breaks)
//
// One read and one write are under way at a time. Reading pauses while too many replies wait, so a
// client that sends without reading fills its own socket, not our memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "server/net/hub.h"
#include "server/net/message_allowance.h"
#include "server/net/network.h"
#include "server/net/role_allowance.h"
#include "server/net/token_bucket.h"
#include "server/net/web_socket.h"

namespace sluice::net {

class Session final : public Viewer, public std::enable_shared_from_this<Session> {
 public:
  using Request = WebSocket::Request;

  /// `network` and `hub` must outlive the session.
  /// `account` is who connects; empty: nobody that is known.
  Session(std::unique_ptr<WebSocket> socket, ConnectionSlot slot, Network& network, Hub& hub,
          std::string account);
  ~Session() override;

  /// Answers the upgrade. From here on the session keeps itself alive.
  void start(const Request& upgrade);

  [[nodiscard]] const std::string& world() const { return hub_.config().name; }
  [[nodiscard]] bool is_of(const Hub& hub) const { return &hub_ == &hub; }
  [[nodiscard]] const std::string& account() const { return account_; }

  /// Tells the client why, and closes.
  void refuse(protocol::RefusalCode code, const std::string& reason);

  /// Roles may have changed: ends the connection where it may not watch any more.
  void apply_role();

  /// Sends what waited for its role's bandwidth, where no tick brings anything.
  void catch_up();

  /// Ends the connection at once, whatever the client has not taken yet.
  void end();

  /// Ends the connection if the message that is being written began before that.
  void end_if_stalled_since(std::chrono::steady_clock::time_point latest);

  /// Messages that the client has not taken yet.
  struct Waiting {
    std::size_t frames = 0;
    std::size_t replies = 0;
    std::size_t older_frame_bytes = 0;  // of all frames but the newest
  };
  [[nodiscard]] Waiting waiting() const;

  [[nodiscard]] bool has_room() const override;
  void send_frame(SharedBytes frame) override;
  void send_reply(const protocol::ServerMessage& message) override;
  void replaced() override;

 private:
  enum class State : std::uint8_t { kHandshake, kHello, kOpen, kClosing, kEnded };
  struct Outgoing {
    SharedBytes bytes;
    bool is_frame = false;
  };
  using ErrorCode = boost::beast::error_code;

  void on_accept(ErrorCode error);
  void wait(std::chrono::milliseconds time);
  void on_timer(ErrorCode error);
  void read();
  void read_when_it_may();
  void on_read(ErrorCode error);
  void handle_bytes();
  void on(const protocol::Hello& hello);
  void on(const protocol::SetView& view);
  void on(protocol::Command& command);
  void on(const protocol::AskResults& ask);
  void on(const protocol::Ping& ping);
  void on(const protocol::Pointer& pointer);
  void on(const protocol::Resync& resync);
  void on(const protocol::ResyncPipes& resync);
  void join(const protocol::Hello& hello);
  [[nodiscard]] bool answer_known(std::uint64_t seq);
  /// Why the account does not have the role here; empty where it does.
  [[nodiscard]] std::string role_refusal(access::Role needed) const;
  [[nodiscard]] std::string refusal_of(const protocol::Command& command);
  [[nodiscard]] std::string rate_refusal(const protocol::Command& command);
  void take_limits();
  [[nodiscard]] bool view_fits();
  /// Why it is not to see its world any more; empty when it is.
  [[nodiscard]] std::string watch_refusal() const;
  void send(SharedBytes bytes, bool is_frame);
  void write();
  void on_write(ErrorCode error);
  void close();
  void leave();
  void bad_message(const std::string& what);
  void log_closed(const std::string& why);

  Network& network_;
  Hub& hub_;
  ConnectionSlot slot_;
  std::unique_ptr<WebSocket> socket_;  // its timer: until the hello; then until reading goes on
  Request upgrade_;
  boost::beast::flat_buffer buffer_;
  std::string peer_;  // for the log

  State state_ = State::kHandshake;
  std::optional<protocol::Refused> refused_early_;  // before it could be told
  std::uint64_t number_ = 0;                        // among the hub's viewers; 0 before the hello
  std::string client_name_;                         // as it calls itself
  std::string resume_;         // what is left of its token; empty: no results are kept for it
  const std::string account_;  // that it has shown a token of; may be empty
  const std::string address_;  // of the client, without the port
  TokenBucket commands_;
  TokenBucket command_bytes_;
  MessageAllowance messages_;
  mutable RoleAllowance allowance_;  // of its role, since the hello
  std::int64_t view_cells_ = 0;      // that it asked for, in its world
  std::size_t waiting_commands_ = 0;

  std::deque<Outgoing> outgoing_;  // the first one is being written
  std::size_t waiting_frames_ = 0;
  std::size_t waiting_frame_bytes_ = 0;
  std::size_t waiting_reply_bytes_ = 0;
  std::chrono::steady_clock::time_point write_began_;  // of the first one
  bool reading_ = false;
  bool throttled_ = false;  // the timer runs until reading goes on
  boost::beast::websocket::close_code close_code_ = boost::beast::websocket::close_code::none;
  std::string close_reason_;
};

}  // namespace sluice::net
