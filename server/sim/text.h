// Texts that come from outside (names in commands, what clients call themselves, what a file says)
// on their way to a reason, a recording, a log or a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::sim {

/// The longest beginning of at most so many bytes that does not end inside a UTF-8 character. Of
/// bytes that are no UTF-8 at most three are left out more than need be.
[[nodiscard]] std::string_view cut_text(std::string_view text, std::size_t most_bytes);

/// The text with everything that a terminal or a log could act on spelled out: control characters
/// (\u001b) and those that turn the direction of writing, and bytes that are no UTF-8 (\xff). The
/// rest stays as it is, so that what is printed twice is escaped once.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace sluice::sim
