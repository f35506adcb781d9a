#include "client_stub/keys.h"

#include <cstdio>
#include <utility>

namespace sluice::client {

namespace {

// No sequence that we know is longer; what is, is noise.
constexpr std::size_t kLongestSequence = 32;

std::optional<KeyKind> kind_of_final(char final, std::string_view parameters) {
  switch (final) {
    case 'A':
      return KeyKind::kUp;
    case 'B':
      return KeyKind::kDown;
    case 'C':
      return KeyKind::kRight;
    case 'D':
      return KeyKind::kLeft;
    case 'H':
      return KeyKind::kHome;
    case '~':
      if (parameters == "5") return KeyKind::kPageUp;
      if (parameters == "6") return KeyKind::kPageDown;
      if (parameters == "1" || parameters == "7") return KeyKind::kHome;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Key> mouse_key(const std::string& parameters, char final) {
  int code = 0;
  int column = 0;
  int row = 0;
  if (std::sscanf(parameters.c_str(), "<%d;%d;%d", &code, &column, &row) != 3) return std::nullopt;
  Key key{KeyKind::kMousePress, 0, code & 3, column - 1, row - 1};
  if ((code & 64) != 0) {
    key.kind = (code & 1) == 0 ? KeyKind::kWheelUp : KeyKind::kWheelDown;
  } else if (final == 'm') {
    key.kind = KeyKind::kMouseRelease;
  } else if ((code & 32) != 0) {
    key.kind = KeyKind::kMouseDrag;
  }
  return key;
}

}  // namespace

std::vector<Key> KeyParser::feed(std::string_view bytes) {
  waiting_ += bytes;
  std::vector<Key> keys;
  while (!waiting_.empty() && take_one(keys)) {
  }
  return keys;
}

std::vector<Key> KeyParser::idle() {
  std::vector<Key> keys;
  if (waiting_ == "\x1b") keys.push_back({KeyKind::kEscape, 0, 0, 0, 0});
  waiting_.clear();
  return keys;
}

/// False when more bytes are needed.
bool KeyParser::take_one(std::vector<Key>& keys) {
  if (waiting_.front() != '\x1b') {
    keys.push_back({KeyKind::kCharacter, waiting_.front(), 0, 0, 0});
    waiting_.erase(0, 1);
    return true;
  }
  if (waiting_.size() < 2) return false;
  if (waiting_[1] != '[' && waiting_[1] != 'O') {
    keys.push_back({KeyKind::kEscape, 0, 0, 0, 0});
    waiting_.erase(0, 1);
    return true;
  }
  std::size_t end = 2;
  while (end < waiting_.size() && (waiting_[end] < '@' || waiting_[end] > '~')) ++end;
  if (end == waiting_.size()) {
    if (end > kLongestSequence) waiting_.clear();
    return false;
  }
  const std::string parameters = waiting_.substr(2, end - 2);
  const char final = waiting_[end];
  waiting_.erase(0, end + 1);
  if (final == 'M' || final == 'm') {
    if (const auto key = mouse_key(parameters, final)) keys.push_back(*key);
  } else if (const auto kind = kind_of_final(final, parameters)) {
    keys.push_back({*kind, 0, 0, 0, 0});
  }
  return true;
}

}  // namespace sluice::client
