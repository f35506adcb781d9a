#include "tests/support/certificate.h"

#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace sluice::tests {

namespace {

constexpr long kSecondsOfDay = 86400;

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* it) const { Free(it); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Signed = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

void need(bool done) {
  if (!done) throw std::runtime_error("no certificate could be made");
}

}  // namespace

Certificate make_certificate() {
  const Key key(EVP_EC_gen("P-256"));
  const Signed x509(X509_new());
  need(key && x509);
  long serial = 0;
  need(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 4) == 1);
  ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), serial);
  X509_set_version(x509.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(x509.get()), -kSecondsOfDay);
  X509_gmtime_adj(X509_getm_notAfter(x509.get()), kSecondsOfDay);
  need(X509_set_pubkey(x509.get(), key.get()) == 1);
  X509_NAME* const name = X509_get_subject_name(x509.get());
  const auto* const host = reinterpret_cast<const unsigned char*>("localhost");
  need(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0) == 1);
  need(X509_set_issuer_name(x509.get(), name) == 1);
  X509_EXTENSION* const names =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  need(names != nullptr && X509_add_ext(x509.get(), names, -1) == 1);
  X509_EXTENSION_free(names);
  need(X509_sign(x509.get(), key.get(), EVP_sha256()) > 0);
  const Memory certificate(BIO_new(BIO_s_mem()));
  const Memory secret(BIO_new(BIO_s_mem()));
  need(PEM_write_bio_X509(certificate.get(), x509.get()) == 1);
  need(PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
       1);
  return {text_of(certificate.get()), text_of(secret.get())};
}

}  // namespace sluice::tests
