#include "server/host/json_log.h"

#include <string>

#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>

namespace sluice::host {

namespace {

/// The message as a JSON string, whatever bytes clients brought into it.
class JsonText final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& line) override {
    const nlohmann::json text = std::string(message.payload.data(), message.payload.size());
    const std::string quoted = text.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    line.append(quoted.data(), quoted.data() + quoted.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonText>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> json_log_lines() {
  auto lines = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  lines->add_flag<JsonText>('*').set_pattern(
      R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
  return lines;
}

}  // namespace sluice::host
