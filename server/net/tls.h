// TLS: the certificate, and the key that goes with it. They can be read anew while the server runs;
// connections that are open keep what they began with.
#pragma once

#include <memory>
#include <string>

#include "protocol/base/result.h"

namespace boost::asio::ssl {
class context;
}

namespace sluice::net {

/// PEM files; the certificate's may hold the chain behind it. TLS 1.2 and later. Errors name the
/// file.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> make_tls(
    const std::string& certificate_file, const std::string& key_file);

/// Whether make_tls() would take them; empty names are none, and right.
[[nodiscard]] Status check_tls(const std::string& certificate_file, const std::string& key_file);

}  // namespace sluice::net
