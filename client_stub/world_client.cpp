#include "client_stub/world_client.h"

#include <utility>

namespace sluice::client {

WorldClient::WorldClient(boost::asio::io_context& context, const Address& address,
                         std::string client_name, Events events, protocol::SentCommands commands)
    : events_(std::move(events)), session_(std::move(client_name), std::move(commands)) {
  session_.start();
  Connection::Events connection_events;
  connection_events.opened = [this] { flush(); };
  connection_events.received = [this](protocol::ByteView bytes) { receive(bytes); };
  connection_events.closed = [this](std::string reason) {
    // What the session knows (a refusal, a wrong message) says more than the socket does.
    if (session_.state() == protocol::ClientSession::State::kClosed) reason = session_.reason();
    session_.close(reason);
    if (events_.closed) events_.closed(std::move(reason));
  };
  connection_ = Connection::start(context, address, std::move(connection_events));
}

void WorldClient::receive(protocol::ByteView bytes) {
  using Event = protocol::ClientSession::Event;
  const Event event = session_.receive(bytes);
  flush();
  switch (event) {
    case Event::kNothing:
      break;
    case Event::kPeople:
      if (events_.met) events_.met();
      break;
    case Event::kWelcomed:
      if (events_.welcomed) events_.welcomed();
      break;
    case Event::kTicked:
      if (events_.ticked) events_.ticked();
      break;
    case Event::kResult:
      if (events_.answered) events_.answered(session_.last_result());
      break;
    case Event::kPong:
      if (events_.ponged) events_.ponged(session_.last_pong());
      break;
    case Event::kClosed:
      connection_->close();
      break;
  }
}

void WorldClient::flush() {
  for (protocol::Bytes& message : session_.take_outgoing()) connection_->send(std::move(message));
}

void WorldClient::set_view(const Box& box, std::uint32_t layers, std::uint8_t level_of_detail,
                           std::uint32_t coarse_layers) {
  session_.set_view(box, layers, level_of_detail, coarse_layers);
  if (ready()) flush();
}

std::uint64_t WorldClient::send_command(std::string json) {
  const std::uint64_t seq = session_.send_command(std::move(json));
  flush();
  return seq;
}

void WorldClient::send_again(std::uint64_t seq) {
  (void)session_.send_again(seq);
  flush();
}

void WorldClient::send_ping(std::uint64_t nonce) {
  session_.send_ping(nonce);
  flush();
}

void WorldClient::point(protocol::Pointer pointer) {
  session_.point(std::move(pointer));
  flush();
}

void WorldClient::close() {
  connection_->close();
}

}  // namespace sluice::client
