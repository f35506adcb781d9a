// Certificates that tests make for themselves, so that none lies about and none runs out.
#pragma once

#include <string>

namespace sluice::tests {

/// PEM texts of a key and of a certificate for localhost and 127.0.0.1 that it signed itself.
struct Certificate {
  std::string certificate;
  std::string key;
};
[[nodiscard]] Certificate make_certificate();

}  // namespace sluice::tests
