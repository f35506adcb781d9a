// Any bytes given to the message decoders are a message or an error; a server's message that
// decodes is also given to a mirror, as a client would.
#include <cstddef>
#include <cstdint>

#include "protocol/messages.h"
#include "protocol/mirror.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice::protocol;  // NOLINT(google-build-using-namespace)
  const Bytes bytes(data, data + size);
  if (const auto message = decode_client_message(bytes); message.ok()) {
    (void)encode(message.value());
  }
  if (const auto message = decode_server_message(bytes); message.ok()) {
    if (const auto* tick = std::get_if<Tick>(&message.value())) {
      Welcome welcome;
      welcome.size = {256, 256, 1};
      Mirror mirror(welcome);
      (void)mirror.apply(*tick);
    }
    (void)encode(message.value());
  }
  return 0;
}
