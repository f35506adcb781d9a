// Ranges of IP addresses, as people write them: "203.0.113.7", "203.0.113.0/24", "2001:db8::/32".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::access {

class AddressRange {
 public:
  /// The error says what is wrong with the text.
  [[nodiscard]] static Result<AddressRange> parse(std::string_view text);

  /// Of a numeric address; false for any other text. An IPv4 address in the form of an IPv6 one is
  /// the IPv4 address.
  [[nodiscard]] bool contains(std::string_view address) const;
  bool operator==(const AddressRange&) const = default;

 private:
  using Bytes = std::array<std::uint8_t, 16>;
  [[nodiscard]] static bool read(std::string_view text, Bytes& bytes, bool& is_v4);

  Bytes first_ = {};          // IPv4 as ::ffff:a.b.c.d
  std::uint32_t prefix_ = 0;  // bits
};

/// Whether the text is a numeric address.
[[nodiscard]] bool is_address(std::string_view text);

}  // namespace sluice::access
