// What a terminal sends for keys and mouse, as events.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::client {

enum class KeyKind : std::uint8_t {
  kCharacter,
  kLeft,
  kRight,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEscape,
  kMousePress,
  kMouseDrag,  // motion with the button held
  kMouseRelease,
  kWheelUp,
  kWheelDown,
};

struct Key {
  KeyKind kind = KeyKind::kCharacter;
  char character = 0;  // of kCharacter; control characters as they are
  int button = 0;      // of the mouse: 0 left, 1 middle, 2 right
  int column = 0;      // of the mouse, from 0
  int row = 0;
};

/// Cuts a stream of bytes into keys; a sequence may arrive in pieces. Unknown ones are dropped.
class KeyParser {
 public:
  [[nodiscard]] std::vector<Key> feed(std::string_view bytes);
  /// No more bytes came for a while: an escape that waits for its sequence was the key.
  [[nodiscard]] std::vector<Key> idle();

 private:
  [[nodiscard]] bool take_one(std::vector<Key>& keys);
  std::string waiting_;
};

}  // namespace sluice::client
