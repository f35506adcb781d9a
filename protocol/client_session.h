// A client's side of one connection, without the connection: give it every message received, send
// what it queues. The transport (Beast, a browser's WebSocket, a test) is the caller's.
//
//               start()              Welcome                    close(), Refused, an error
//   kIdle ───────────────► kGreeting ────────► kReady ─────────────────────┐
//                              │                                           ▼
//                              └──────── Refused, an error, close() ───► kClosed
//
//   kIdle      nothing sent; only start() is allowed
//   kGreeting  Hello is queued; Welcome or Refused must come next. A view that is set now is
//              remembered and sent after Welcome.
//   kReady     views, commands and pings may be sent; Tick, CommandResult and Pong come
//   kClosed    for good; reason() says why. Whatever comes is ignored.
//
// Events leave by receive()'s return value. tests/protocol/client_session_test.cpp walks every
// arrow of this picture.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.h"
#include "protocol/mirror.h"

namespace sluice::protocol {

/// The commands of one client, over all its connections.
struct SentCommands {
  std::optional<ResumeToken> token;  // none: the server keeps no results for it
  std::uint64_t last_seq = 0;
  std::uint64_t since_tick = 0;
  bool welcomed = false;                            // the token was used
  std::map<std::uint64_t, std::string> unanswered;  // by number; with a token alone
};

class ClientSession {
 public:
  enum class State : std::uint8_t { kIdle, kGreeting, kReady, kClosed };

  /// What a message brought.
  enum class Event : std::uint8_t {
    kNothing,   // the session is closed
    kWelcomed,  // mirror() is now of the server's world
    kTicked,    // mirror() changed; see Mirror::changed()
    kResult,    // last_result() is new
    kPong,      // last_pong() is new
    kPeople,    // people() are new
    kClosed,    // reason() is new; close the connection
  };

  /// `client_name`: printable ASCII, at most kMaxClientNameBytes.
  explicit ClientSession(std::string client_name) : name_(std::move(client_name)) {}
  /// Goes on with what take_commands() of an earlier session gave, or begins with a token of its
  /// own: 16 bytes that nobody can guess. Commands without an answer are asked for after the
  /// welcome (where the server keeps no results, forgotten() has them), and results come for them
  /// as for those that this session sends.
  ClientSession(std::string client_name, SentCommands commands)
      : name_(std::move(client_name)), sent_(std::move(commands)) {}

  /// Queues Hello. Only in kIdle.
  void start();

  /// Takes in one WebSocket message.
  Event receive(ByteView bytes);

  /// Part of the world to be sent, in cells, which layers of it, and at which level of detail
  /// (SetView). In kGreeting and kReady; ignored in kClosed.
  void set_view(const Box& box, std::uint32_t layers = 0, std::uint8_t level_of_detail = 0,
                std::uint32_t coarse_layers = 0);
  /// Queues a command; the number returned comes back in its CommandResult. In kReady; ignored in
  /// kClosed (0, which no command has).
  std::uint64_t send_command(std::string json);
  /// Queues an unanswered command under its own number once more, as when the server says that it
  /// never came. It is not applied twice. In kReady; false when there is no such command.
  bool send_again(std::uint64_t seq);
  /// In kReady; ignored in kClosed.
  void send_ping(std::uint64_t nonce);
  /// Where this client's user points or looks; from then on people() are told of. In kReady, where
  /// the welcome has a `person`; else ignored.
  void point(Pointer pointer);
  /// The caller's connection ended, or is to end, for this reason.
  void close(std::string reason);

  /// What the next session of this client is to know; only after the connection ended.
  [[nodiscard]] SentCommands take_commands() { return std::exchange(sent_, {}); }
  [[nodiscard]] const SentCommands& commands() const { return sent_; }
  /// Numbers of earlier connections of which this server can say nothing.
  [[nodiscard]] const std::vector<std::uint64_t>& forgotten() const { return forgotten_; }

  /// Messages to be sent, in order. Empties the queue.
  [[nodiscard]] std::vector<Bytes> take_outgoing();

  [[nodiscard]] State state() const { return state_; }
  /// Why the session is closed.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Set when the server ended the session with Refused.
  [[nodiscard]] const std::optional<Refused>& refused() const { return refused_; }
  [[nodiscard]] const CommandResult& last_result() const { return last_result_; }
  [[nodiscard]] const Pong& last_pong() const { return last_pong_; }
  [[nodiscard]] const Mirror& mirror() const { return mirror_; }
  /// Who is here, as was said last.
  [[nodiscard]] const std::vector<Person>& people() const { return people_; }

 private:
  Event on(const Welcome& welcome);
  Event on(const Refused& refused);
  Event on(const Tick& tick);
  Event on(const CommandResult& result);
  Event on(const Pong& pong);
  Event on(const People& people);
  void ask_for_unanswered(const Welcome& welcome);
  Event fail(std::string reason);

  std::string name_;
  State state_ = State::kIdle;
  std::string reason_;
  std::optional<Refused> refused_;
  std::optional<SetView> waiting_view_;
  CommandResult last_result_;
  Pong last_pong_;
  std::vector<Person> people_;
  SentCommands sent_;
  std::vector<std::uint64_t> forgotten_;
  std::vector<Bytes> outgoing_;
  Mirror mirror_;
};

}  // namespace sluice::protocol
