#include "server/host/read_ban.h"

#include <string>

#include <nlohmann/json.hpp>

#include "server/access/gate.h"
#include "server/sim/text.h"

namespace sluice::host {

namespace {

constexpr std::size_t kMostQuoted = 100;  // of what was asked

}  // namespace

Result<access::Ban> read_ban(const nlohmann::json& value) {
  if (!value.is_object()) return Error{"ban must be an object"};
  access::Ban ban;
  for (const auto& [key, field] : value.items()) {
    std::string* const text = key == "account"   ? &ban.account
                              : key == "address" ? &ban.address
                              : key == "reason"  ? &ban.reason
                                                 : nullptr;
    if (text != nullptr && field.is_string()) {
      *text = field.get<std::string>();
    } else if (key == "hours" && field.is_number_unsigned() &&
               field.get<std::uint64_t>() <= access::kMostBanHours) {
      const auto hours = field.get<std::int64_t>();
      ban.until = access::time_of(access::Gate::system_time() + 3600 * hours);
    } else {
      return Error{"a ban has an account or an address, hours (0 to " +
                   std::to_string(access::kMostBanHours) + ") and a reason; not " +
                   sim::printable(key) + ": " + field.dump().substr(0, kMostQuoted)};
    }
  }
  return ban;
}

}  // namespace sluice::host
