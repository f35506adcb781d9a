#include "server/access/token.h"

#include <array>
#include <cstdint>
#include <span>

#include <openssl/evp.h>
#include <openssl/rand.h>

namespace sluice::access {

namespace {

constexpr std::string_view kPrefix = "sluice-";  // tells a token that lies about what it is for

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

Result<std::string> new_token() {
  std::array<std::uint8_t, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return Error{"the system gives no random numbers for a token"};
  }
  return std::string(kPrefix) + hexadecimal(bytes);
}

std::string hash_of(std::string_view token) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  const int done =
      EVP_Digest(token.data(), token.size(), hash.data(), &size, EVP_sha256(), nullptr);
  SLUICE_ASSERT(done == 1 && size == 32);
  return hexadecimal(std::span(hash).first(size));
}

}  // namespace sluice::access
