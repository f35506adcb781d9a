// A connection between a client and the server's session: messages in both directions, in order,
// whole or in pieces, as late as the dice say, through a pipe that holds so many bytes.
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

  /// How late a piece of a message may be, and in how many pieces a message may come.
  struct Faults {
    std::int64_t delay_ms = 0;
    std::int64_t pieces = 1;
  };

  Wire(Timeline& timeline, std::uint64_t seed, Faults faults, ClientEnd client)
      : timeline_(timeline),
        dice_(seed),
        cuts_(~seed),
        faults_(faults),
        client_(std::move(client)) {}

  // The client's side.

  void send(const protocol::Bytes& bytes, bool binary = true);
  void set_reading(bool reading);
  /// Both ends notice, each in its time.
  void break_off();
  /// The client forgets it; nothing of it is heard any more.
  void abandon();
  /// False from the moment it breaks, also while neither end has noticed.
  [[nodiscard]] bool whole() const { return server_open_ && client_open_; }
  /// Nothing that came to the server waits for it to read.
  [[nodiscard]] bool all_read() const { return inbox_.empty(); }

  // The server's side.

  [[nodiscard]] std::unique_ptr<net::WebSocket> socket();
  /// The process is gone, with all that it waited for.
  void drop_server();

 private:
  class Socket;
  struct Piece {
    protocol::Bytes bytes;
    bool last = true;  // of its message
    bool binary = true;
  };

  void later(Duration delay, const char* name, void (Wire::*what)());
  [[nodiscard]] Time arrival(Time& last);
  [[nodiscard]] std::deque<Piece> pieces_of(const protocol::Bytes& bytes, bool binary);
  void arrive_at_server(Piece piece);
  void finish_read();
  [[nodiscard]] bool take_in(const protocol::Bytes& bytes);
  void pump_write();
  void finish_write();
  void arrive_at_client(Piece piece);
  void give_to_client(const Piece& piece);
  void give_what_was_held();
  void fail_server();
  void end_client();
  void finish_close();
  void finish_cancelled_waits();
  void fire_wait(std::uint64_t number);

  Timeline& timeline_;
  tests::Dice dice_;
  tests::Dice cuts_;
  const Faults faults_;
  ClientEnd client_;
  Time last_to_server_;
  Time last_to_client_;

  std::deque<Piece> inbox_;
  protocol::Bytes cut_;  // what came of a piece when the connection broke
  boost::beast::flat_buffer* read_into_ = nullptr;
  Done read_done_;
  bool got_binary_ = true;
  std::deque<Piece> writing_;  // what has not entered the pipe
  Done write_done_;
  bool write_under_way_ = false;
  Done close_done_;
  Done wait_done_;
  std::uint64_t wait_number_ = 0;
  std::vector<Done> cancelled_waits_;
  bool server_open_ = true;

  std::size_t in_pipe_ = 0;
  std::deque<Piece> held_;   // arrived while the client does not read
  protocol::Bytes partial_;  // what the client has of a message
  bool client_reads_ = true;
  bool client_open_ = true;
};

}  // namespace sluice::hunt
