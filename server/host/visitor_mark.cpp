#include "server/host/visitor_mark.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <system_error>

#include <arpa/inet.h>

#include "server/access/token.h"
#include "server/formats/world_file.h"
#include "server/host/write_whole.h"
#include "server/record/files.h"

namespace sluice::host {

namespace {

constexpr std::size_t kMarkDigits = 16;
static_assert(1 + kMarkDigits <= access::kMaxNameBytes, "it stands where an account would");

/// The part of the address that one visitor has for themselves.
std::string network_of(const std::string& address) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
  constexpr std::size_t kMapped = 12;
  constexpr std::array<std::uint8_t, kMapped> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<char, INET_ADDRSTRLEN> text{};
  if (std::equal(kPrefix.begin(), kPrefix.end(), bytes.begin())) {
    return inet_ntop(AF_INET, bytes.data() + kMapped, text.data(), text.size());
  }
  return {bytes.begin(), bytes.begin() + 8};
}

}  // namespace

Result<std::string> visitors_key(const std::string& path) {
  static std::mutex one_at_a_time;  // a key that two worlds make would be that of one of them
  const std::lock_guard lock(one_at_a_time);
  if (record::files().exists(path)) return formats::read_file(path);
  auto made = access::new_token();
  if (!made.ok()) return made;
  if (const Status written = write_whole(path, *made); !written) return Error{written.error()};
  using std::filesystem::perms;
  std::error_code error;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write, error);
  if (error) return Error{path + ": cannot be kept to its owner: " + error.message()};
  return made;
}

std::string visitor_mark(const std::string& key, const std::string& address) {
  const std::string hash = access::hash_of(key + "\n" + network_of(address));
  return record::kVisitorSign + hash.substr(0, kMarkDigits);
}

std::string owner_in_history(const std::string& client) {
  const record::ClientName name = record::client_of(client);
  return name.account.empty() ? name.visitor : name.account;
}

}  // namespace sluice::host
