// A client of one world: a connection, the session on it, and what is counted about them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "client_stub/connection.h"
#include "protocol/client_session.h"

namespace sluice::client {

/// Used on the thread that runs the io_context. An event handler may do anything but destroy the
/// client; `closed` is the last event.
class WorldClient {
 public:
  struct Events {
    std::function<void()> welcomed;
    std::function<void()> ticked;
    std::function<void()> met;  // session().people() are others
    std::function<void(const protocol::CommandResult&)> answered;
    std::function<void(const protocol::Pong&)> ponged;
    std::function<void(std::string reason)> closed;
  };

  /// `commands`: of this client's last connection, or with a token to begin with
  /// (protocol::SentCommands).
  WorldClient(boost::asio::io_context& context, const Address& address, std::string client_name,
              Events events, protocol::SentCommands commands = {});
  WorldClient(const WorldClient&) = delete;
  WorldClient& operator=(const WorldClient&) = delete;

  /// After `welcomed`, or before: then it is sent after the welcome. `layers` and
  /// `level_of_detail`: as SetView has them.
  void set_view(const Box& box, std::uint32_t layers = 0, std::uint8_t level_of_detail = 0,
                std::uint32_t coarse_layers = 0);
  /// After `welcomed`. `json` is one line of a command script; the answer has the number returned.
  std::uint64_t send_command(std::string json);
  /// An unanswered command under its own number; it is not applied twice.
  void send_again(std::uint64_t seq);
  void send_ping(std::uint64_t nonce);
  /// Where its user points; from then on the server tells who is here.
  void point(protocol::Pointer pointer);
  void close();
  void set_reading(bool reading) { connection_->set_reading(reading); }

  [[nodiscard]] bool ready() const {
    return session_.state() == protocol::ClientSession::State::kReady;
  }
  [[nodiscard]] const protocol::ClientSession& session() const { return session_; }
  /// For the next connection, after this one was closed.
  [[nodiscard]] protocol::SentCommands take_commands() { return session_.take_commands(); }
  [[nodiscard]] const protocol::Mirror& mirror() const { return session_.mirror(); }
  /// The whole world, as a view.
  [[nodiscard]] Box whole_world() const { return {{}, mirror().welcome().size}; }

 private:
  void receive(protocol::ByteView bytes);
  void flush();

  Events events_;
  protocol::ClientSession session_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace sluice::client
