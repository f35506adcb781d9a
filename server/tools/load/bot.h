// One client of `sluice load`. Most of many are light: they take in what comes and look at its tick
// alone, so that a few thousand cost less than the server that they are to measure. The others hold
// the world in a mirror, and compare its chunks' digests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "client_stub/world_client.h"
#include "server/tools/load/tally.h"

namespace sluice::tools {

struct BotOptions {
  int number = 0;
  bool mirrors = false;  // holds the world
  bool stalls = false;   // reads nothing once its view was sent
  double commands_per_second = 0;
};

class Bot {
 public:
  /// The tally and the context outlive it. `start`: a moment that all bots share.
  Bot(boost::asio::io_context& context, const client::Address& address, const BotOptions& options,
      LoadClock::time_point start, Tally& tally);
  Bot(const Bot&) = delete;
  Bot& operator=(const Bot&) = delete;

  /// Counts what it saw, and goes.
  void finish();

 private:
  void open_light(const client::Address& address);
  void open_mirror(const client::Address& address);
  void received(protocol::ByteView bytes);
  void welcomed(const protocol::Welcome& welcome);
  void answered(const protocol::CommandResult& result);
  void closed(std::string reason);
  void command_later();
  void send_one();
  std::uint64_t send_command(std::string json);
  void set_reading(bool reading);

  boost::asio::io_context& context_;
  BotOptions options_;
  LoadClock::time_point start_;
  Tally& tally_;
  bool finished_ = false;
  bool ready_ = false;
  boost::asio::steady_timer timer_;
  std::mt19937 random_;
  std::map<std::uint64_t, LoadClock::time_point> sent_at_;
  std::uint64_t last_seq_ = 0;
  TickTimes times_;
  Vec3 size_;
  std::uint32_t rate_ = 0;
  std::string refused_;
  // One of both.
  std::unique_ptr<client::WorldClient> mirror_;
  std::unique_ptr<client::Connection> light_;
};

}  // namespace sluice::tools
