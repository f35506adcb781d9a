// What clients were told of their commands, and what a recording's log has of them: for tests in
// which servers are killed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/wire_client.h"

namespace sluice::tests {

using CommandKey = std::pair<std::string, std::uint64_t>;  // client and seq
/// The tick of each command that applied.
using Acknowledged = std::map<CommandKey, std::uint64_t>;

/// A pour into one of the columns of a lake of 128, another one each time.
inline std::string pour_number(std::uint64_t number) {
  return R"({"cmd": "pour", "at": [)" + std::to_string(number % 128) +
         ", 60, 0], \"units\": " + std::to_string(1 + number % 100) + "}";
}

/// A client of the world "lake" that sends `under_way` commands, and one more for each answer,
/// until the server is gone or `over`. So a kill finds some sent, some applied and some durable.
/// `command_of`: of a command's number, from 1 on. Errors of the connection end it.
inline void command_until_it_ends(std::uint16_t port, const std::string& name, int under_way,
                                  const std::function<std::string(std::uint64_t)>& command_of,
                                  const std::atomic<bool>& over, Acknowledged& acknowledged,
                                  std::atomic<std::uint64_t>& answers) {
  try {
    WireClient client(port, "/worlds/lake", name);
    if (!client.greet()) return;
    std::uint64_t sent = 0;
    const auto send = [&] {
      client.session().send_command(command_of(++sent));
      client.flush();
    };
    for (int i = 0; i < under_way; ++i) send();
    client.pump_until(
        [&](protocol::ClientSession::Event event) {
          if (event != protocol::ClientSession::Event::kResult) return false;
          ++answers;
          const protocol::CommandResult& result = client.session().last_result();
          if (result.applied) acknowledged[{name, result.seq}] = result.tick;
          if (over) return true;
          send();
          return false;
        },
        std::chrono::milliseconds(30000));
  } catch (const std::exception&) {
    // The kill came before the connection stood: nothing was acknowledged.
  }
}

/// Adds the commands of what `sluice log` printed: each stands in a history once.
inline void add_commands_in(const std::string& log, Acknowledged& recorded) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line);
    ASSERT_TRUE(
        recorded.emplace(CommandKey{entry.at("client"), entry.at("seq")}, entry.at("tick")).second)
        << "recorded twice: " << line;
  }
}

inline void expect_recorded(const Acknowledged& acknowledged, const Acknowledged& recorded) {
  for (const auto& [key, tick] : acknowledged) {
    const auto place = recorded.find(key);
    ASSERT_NE(place, recorded.end())
        << "lost: " << key.first << " " << key.second << " of tick " << tick;
    ASSERT_EQ(place->second, tick);
  }
}

}  // namespace sluice::tests
