// Texts of messages, which have limits both ways.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::protocol {

// At the end of a character: a byte that goes on one is 10xxxxxx.
inline std::string_view cut_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

}  // namespace sluice::protocol
