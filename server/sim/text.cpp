#include "server/sim/text.h"

#include <algorithm>
#include <cstdint>

namespace sluice::sim {

namespace {

constexpr std::size_t kMostCharacterBytes = 4;

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

/// The first character of a text that is not empty (Unicode 15, table 3-7).
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  const std::uint32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

/// Whether a terminal would do something else than show it.
bool acts(std::uint32_t code) {
  const auto in = [code](std::uint32_t low, std::uint32_t high) {
    return low <= code && code <= high;
  };
  return code < 0x20 || in(0x7f, 0x9f) || in(0x200b, 0x200f) || in(0x2028, 0x202e) ||
         in(0x2060, 0x206f) || code == 0x61c || code == 0xfeff || in(0xfff9, 0xfffb);
}

void append_hex(std::uint32_t value, int digits, std::string& out) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out.push_back("0123456789abcdef"[value >> shift & 0xf]);
  }
}

}  // namespace

std::string_view cut_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  const std::size_t least = end - std::min(end, kMostCharacterBytes - 1);
  while (end > least && continues(text[end])) --end;
  return text.substr(0, end);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0) {
      out += "\\x";
      append_hex(static_cast<unsigned char>(text.front()), 2, out);
    } else if (acts(character.code)) {
      out += "\\u";
      append_hex(character.code, 4, out);
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
  }
  return out;
}

}  // namespace sluice::sim
