// Tokens: what an account shows to be let in. A token is 32 random bytes; only its SHA-256 is kept,
// and nobody can go back from that. (Slow hashes are for passwords, which can be guessed.)
#pragma once

#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::access {

/// Longer ones are not looked at.
inline constexpr std::size_t kMaxTokenBytes = 128;

/// "sluice-" and 64 hexadecimal digits. An error when the system has no randomness.
[[nodiscard]] Result<std::string> new_token();

/// 64 hexadecimal digits.
[[nodiscard]] std::string hash_of(std::string_view token);

}  // namespace sluice::access
