// A connection between a client and the server's session: messages in both directions, in order, as
// late as the dice say, through a pipe that holds so many bytes.
//
//   session ─ write ─► pipe ─► (the client reads, or has stopped) ─► Client
//   session ◄─ read ── inbox ◄────────────────────────────────────── Client
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.h"
#include "server/net/web_socket.h"
#include "tests/hunt/timeline.h"

namespace sluice::hunt {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using Done = net::WebSocket::Done;
  struct ClientEnd {
    std::function<void(const protocol::Bytes&)> received;
    std::function<void()> ended;
  };

  Wire(Timeline& timeline, std::uint64_t seed, std::int64_t most_delay_ms, ClientEnd client)
      : timeline_(timeline),
        dice_(seed),
        most_delay_ms_(most_delay_ms),
        client_(std::move(client)) {}

  // The client's side.

  void send(protocol::Bytes bytes, bool binary = true);
  void set_reading(bool reading);
  /// Both ends notice, each in its time.
  void break_off();
  /// The client forgets it; nothing of it is heard any more.
  void abandon();
  /// False from the moment it breaks, also while neither end has noticed.
  [[nodiscard]] bool whole() const { return server_open_ && client_open_; }

  // The server's side.

  [[nodiscard]] std::unique_ptr<net::WebSocket> socket();
  /// The process is gone, with all that it waited for.
  void drop_server();

 private:
  class Socket;
  struct Message {
    protocol::Bytes bytes;
    bool binary = true;
  };

  void later(Duration delay, const char* name, void (Wire::*what)());
  [[nodiscard]] Time arrival(Time& last);
  void arrive_at_server(Message message);
  void finish_read();
  void pump_write();
  void finish_write();
  void arrive_at_client(const protocol::Bytes& bytes);
  void give_to_client(const protocol::Bytes& bytes);
  void give_what_was_held();
  void fail_server();
  void end_client();
  void finish_close();
  void finish_cancelled_waits();
  void fire_wait(std::uint64_t number);

  Timeline& timeline_;
  tests::Dice dice_;
  const std::int64_t most_delay_ms_;
  ClientEnd client_;
  Time last_to_server_;
  Time last_to_client_;

  std::deque<Message> inbox_;
  protocol::Bytes cut_;  // what came of a message when the connection broke
  boost::beast::flat_buffer* read_into_ = nullptr;
  Done read_done_;
  bool got_binary_ = true;
  protocol::Bytes writing_;
  Done write_done_;
  bool write_under_way_ = false;
  Done close_done_;
  Done wait_done_;
  std::uint64_t wait_number_ = 0;
  std::vector<Done> cancelled_waits_;
  bool server_open_ = true;

  std::size_t in_pipe_ = 0;
  std::deque<protocol::Bytes> held_;  // arrived while the client does not read
  bool client_reads_ = true;
  bool client_open_ = true;
};

}  // namespace sluice::hunt
