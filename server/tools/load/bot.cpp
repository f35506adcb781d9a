#include "server/tools/load/bot.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace sluice::tools {

Bot::Bot(boost::asio::io_context& context, const client::Address& address,
         const BotOptions& options, LoadClock::time_point start, Tally& tally)
    : context_(context),
      options_(options),
      start_(start),
      tally_(tally),
      timer_(context),
      random_(static_cast<std::uint32_t>(options.number) + 1) {
  if (options.mirrors) {
    open_mirror(address);
  } else {
    open_light(address);
  }
}

void Bot::open_mirror(const client::Address& address) {
  client::WorldClient::Events events;
  events.welcomed = [this] {
    mirror_->set_view(mirror_->whole_world());
    welcomed(mirror_->mirror().welcome());
  };
  events.ticked = [this] { times_.came(mirror_->mirror().tick(), rate_, start_, tally_); };
  events.answered = [this](const protocol::CommandResult& result) { answered(result); };
  events.closed = [this](std::string reason) { closed(std::move(reason)); };
  mirror_ = std::make_unique<client::WorldClient>(
      context_, address, "load-" + std::to_string(options_.number), std::move(events));
}

void Bot::open_light(const client::Address& address) {
  client::Connection::Events events;
  events.opened = [this] {
    protocol::Hello hello;
    hello.client_name = "load-" + std::to_string(options_.number);
    light_->send(protocol::encode(protocol::ClientMessage{std::move(hello)}));
  };
  events.received = [this](protocol::ByteView bytes) { received(bytes); };
  events.closed = [this](std::string reason) {
    closed(refused_.empty() ? std::move(reason) : std::move(refused_));
  };
  light_ = client::Connection::start(context_, address, std::move(events));
}

// Of a light client.
void Bot::received(protocol::ByteView bytes) {
  tally_.bytes += bytes.size();
  const auto message = protocol::decode_server_message(bytes);
  if (!message.ok()) {
    refused_ = message.error();
    light_->close();
  } else if (const auto* tick = std::get_if<protocol::Tick>(&message.value())) {
    times_.came(tick->tick, rate_, start_, tally_);
  } else if (const auto* welcome = std::get_if<protocol::Welcome>(&message.value())) {
    light_->send(
        protocol::encode(protocol::ClientMessage{protocol::SetView{{{}, welcome->size}, 0, 0}}));
    welcomed(*welcome);
  } else if (const auto* result = std::get_if<protocol::CommandResult>(&message.value())) {
    answered(*result);
  } else if (const auto* refused = std::get_if<protocol::Refused>(&message.value())) {
    refused_ = refused->reason;
    light_->close();
  }
}

void Bot::welcomed(const protocol::Welcome& welcome) {
  ++tally_.connected;
  ready_ = true;
  size_ = welcome.size;
  rate_ = welcome.tick_rate;
  if (options_.stalls) {
    ++tally_.stalled;
    set_reading(false);
  } else if (options_.commands_per_second > 0) {
    command_later();
  }
}

void Bot::closed(std::string reason) {
  timer_.cancel();
  ready_ = false;
  if (!finished_) tally_.errors.push_back(std::move(reason));
  // Beast keeps a timer for a while after a refused handshake: nothing to wait for.
  if (--tally_.open == 0) context_.stop();
}

void Bot::finish() {
  finished_ = true;
  timer_.cancel();
  if (mirror_ != nullptr) {
    const protocol::MirrorStats& stats = mirror_->mirror().stats();
    tally_.bytes += stats.bytes;
    tally_.mismatches += stats.digest_mismatches;
    tally_.checked += stats.chunks_checked;
    ++tally_.mirrors;
  }
  set_reading(true);
  if (mirror_ != nullptr) {
    mirror_->close();
  } else {
    light_->close();
  }
}

void Bot::set_reading(bool reading) {
  if (mirror_ != nullptr) {
    mirror_->set_reading(reading);
  } else {
    light_->set_reading(reading);
  }
}

// Spread evenly between nothing and twice the mean, so that clients fall out of step.
void Bot::command_later() {
  const double mean = 1e6 / options_.commands_per_second;
  const auto wait = static_cast<std::int64_t>(mean * static_cast<double>(random_() % 2001) / 1e3);
  timer_.expires_after(std::chrono::microseconds(wait));
  timer_.async_wait([this](boost::system::error_code error) {
    if (error || finished_ || !ready_) return;
    send_one();
    command_later();
  });
}

void Bot::send_one() {
  const auto below = [this](std::int32_t limit) {
    return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(limit));
  };
  const std::int32_t x = below(size_.x);
  const std::int32_t y = below(size_.y);
  const std::int32_t z = below(size_.z);
  const nlohmann::json at = {x, y, z};
  nlohmann::json command = {
      {"cmd", "pour"}, {"at", at}, {"units", 4096}};  // every water takes that
  if (random_() % 4 == 0) {
    command = {{"cmd", "set_cells"}, {"from", at}, {"size", {1, 1, 1}}, {"cell", "."}};
  }
  sent_at_[send_command(command.dump())] = LoadClock::now();
  ++tally_.sent;
}

std::uint64_t Bot::send_command(std::string json) {
  if (mirror_ != nullptr) return mirror_->send_command(std::move(json));
  light_->send(
      protocol::encode(protocol::ClientMessage{protocol::Command{++last_seq_, std::move(json)}}));
  return last_seq_;
}

void Bot::answered(const protocol::CommandResult& result) {
  const auto sent = sent_at_.find(result.seq);
  if (sent == sent_at_.end()) return;
  tally_.round_trips.push_back(milliseconds_since(sent->second, LoadClock::now()));
  sent_at_.erase(sent);
  ++(result.applied ? tally_.applied : tally_.refused);
}

}  // namespace sluice::tools
