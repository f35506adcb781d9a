#include "server/net/tls.h"

#include <boost/asio/ssl/context.hpp>

namespace sluice::net {

namespace ssl = boost::asio::ssl;

Result<std::shared_ptr<ssl::context>> make_tls(const std::string& certificate_file,
                                               const std::string& key_file) {
  boost::system::error_code error;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                           ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                           ssl::context::no_tlsv1_1 | SSL_OP_NO_RENEGOTIATION,
                       error);
  if (!error) context->use_certificate_chain_file(certificate_file, error);
  if (error) {
    return Error{"cannot use the certificate " + certificate_file + ": " + error.message()};
  }
  context->use_private_key_file(key_file, ssl::context::pem, error);
  if (!error && SSL_CTX_check_private_key(context->native_handle()) != 1) {
    return Error{"cannot use the key " + key_file + ": it is not that of the certificate"};
  }
  if (error) return Error{"cannot use the key " + key_file + ": " + error.message()};
  return context;
}

Status check_tls(const std::string& certificate_file, const std::string& key_file) {
  if (certificate_file.empty() && key_file.empty()) return Done{};
  const auto tls = make_tls(certificate_file, key_file);
  return tls.ok() ? Status(Done{}) : Status(Error{tls.error()});
}

}  // namespace sluice::net
