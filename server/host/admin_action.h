// What an action of the admins' API is given, and how it answers.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "server/host/admin_api.h"
#include "server/host/world_runner.h"

namespace sluice::host {

using Json = nlohmann::ordered_json;

struct AdminApi::Request {
  std::string world;  // empty where the path has none
  WorldRunner* runner = nullptr;
  std::string account;   // empty: nobody that is known
  nlohmann::json value;  // of the one field of the body; null where the action takes none
};

inline net::AdminAnswer json_answer(unsigned status, const Json& json) {
  return {status, "application/json",
          json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n"};
}

inline net::AdminAnswer failed(unsigned status, const std::string& why) {
  return json_answer(status, {{"error", why}});
}

}  // namespace sluice::host
