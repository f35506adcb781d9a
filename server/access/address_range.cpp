#include "server/access/address_range.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace sluice::access {

namespace {

constexpr std::size_t kLongestAddress = 45;
constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::uint32_t kMappedBits = 96;
constexpr std::uint32_t kAllBits = 128;

}  // namespace

bool AddressRange::read(std::string_view text, Bytes& bytes, bool& is_v4) {
  if (text.size() > kLongestAddress) return false;
  const std::string terminated(text);
  std::copy(kMapped.begin(), kMapped.end(), bytes.begin());
  is_v4 = inet_pton(AF_INET, terminated.c_str(), bytes.data() + kMapped.size()) == 1;
  return is_v4 || inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1;
}

Result<AddressRange> AddressRange::parse(std::string_view text) {
  const Error wrong{"\"" + std::string(text.substr(0, 2 * kLongestAddress)) +
                    "\" is no address or range of addresses, as in 203.0.113.7, "
                    "203.0.113.0/24 or 2001:db8::/32"};
  const std::size_t slash = text.find('/');
  AddressRange range;
  bool is_v4 = false;
  if (!read(text.substr(0, slash), range.first_, is_v4)) return wrong;
  range.prefix_ = kAllBits;
  if (slash == std::string_view::npos) return range;
  const std::string_view digits = text.substr(slash + 1);
  const std::uint32_t most = is_v4 ? kAllBits - kMappedBits : kAllBits;
  const auto [stop, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), range.prefix_);
  if (digits.empty() || failure != std::errc() || stop != digits.data() + digits.size() ||
      range.prefix_ > most) {
    return wrong;
  }
  if (is_v4) range.prefix_ += kMappedBits;
  return range;
}

bool AddressRange::contains(std::string_view address) const {
  Bytes bytes = {};
  bool is_v4 = false;
  if (!read(address, bytes, is_v4)) return false;
  const std::size_t whole = prefix_ / 8;
  if (!std::equal(bytes.begin(), bytes.begin() + whole, first_.begin())) return false;
  const std::uint32_t rest = prefix_ % 8;
  return rest == 0 || (bytes[whole] ^ first_[whole]) >> (8 - rest) == 0;
}

bool is_address(std::string_view text) {
  return text.find('/') == std::string_view::npos && AddressRange::parse(text).ok();
}

}  // namespace sluice::access
