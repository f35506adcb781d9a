// Each state struct declares its fields once, in a static `visit_state(self, visitor)`. The
// canonical bytes (snapshots, commands, digests) all follow from that declaration:
//
//   integers, enumerations, bool   little-endian, in their own width
//   std::string                    u32 length, bytes
//   std::vector<T>                 u32 count, then the elements
//   std::optional<T>               u8 whether there is one, and then it
//   std::map<K, V>                 u32 count, then K, V in rising order of K
//   structs                        their fields, in the order of visit_state
//
// Structs are never copied as they lie in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::sim {

/// Appends canonical bytes.
class StateWriter {
  static constexpr std::size_t kFirstBytes = 256;  // most that is written is shorter

 public:
  explicit StateWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {
    if (bytes_.capacity() == 0) bytes_.reserve(kFirstBytes);
  }

  template <class T>
  void field(const char* /*name*/, const T& value) {
    write(value);
  }
  /// A cell, for visitors that show it differently from a number.
  void cell(const char* name, std::int32_t value) { field(name, value); }
  /// A field that scripts may leave out.
  template <class T>
  void optional(const char* name, const T& value) {
    field(name, value);
  }
  /// An enumeration whose values count from 0, for visitors that show it by its names.
  template <class T, class Names>
  void choice(const char* name, const T& value, const Names& /*names*/) {
    field(name, value);
  }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      write(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
      const auto bits = static_cast<std::uint64_t>(value);
      std::array<std::byte, sizeof(T)> little;  // the least byte first, on every machine
      for (std::size_t i = 0; i < sizeof(T); ++i) {
        little[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
      }
      append(little);
    } else {
      T::visit_state(value, *this);
    }
  }
  void write(const std::string& text) {
    write(static_cast<std::uint32_t>(text.size()));
    append(std::as_bytes(std::span(text)));
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write(const std::vector<T>& list) {
    write(static_cast<std::uint32_t>(list.size()));
    for (const T& element : list) write(element);
  }
  template <class K, class V>
  void write(const std::map<K, V>& map) {
    write(static_cast<std::uint32_t>(map.size()));
    for (const auto& [key, value] : map) {
      write(key);
      write(value);
    }
  }
  void append(std::span<const std::byte> some) {
    bytes_.insert(bytes_.end(), some.begin(), some.end());
  }

  std::vector<std::byte>& bytes_;
};

/// Reads canonical bytes. After the first byte that is missing or out of place every field keeps
/// its value and ok() is false: any bytes are safe to give.
class StateReader {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  /// What has not been read.
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
  /// The field at which reading failed.
  [[nodiscard]] const char* failed_field() const { return failed_field_; }

  /// For older forms: fields of that name are not in these bytes.
  void without(std::string_view name) { absent_.push_back(name); }

  template <class T>
  void field(const char* name, T& value) {
    if (!ok_) return;
    if (std::find(absent_.begin(), absent_.end(), name) != absent_.end()) return;
    read(value);
    if (!ok_ && *failed_field_ == 0) failed_field_ = name;
  }
  void cell(const char* name, std::int32_t& value) { field(name, value); }
  /// As cell() for each of them, with one look at how many bytes there are: a chunk has thousands.
  void cells(const char* name, std::span<std::int32_t> values) {
    if (!ok_) return;
    if (bytes_.size() < values.size_bytes()) {
      ok_ = false;
      failed_field_ = name;
      return;
    }
    const std::byte* from = bytes_.data();
    for (std::int32_t& value : values) {
      value = static_cast<std::int32_t>(bits_of<std::uint32_t>(from));
      from += sizeof(value);
    }
    bytes_ = bytes_.subspan(values.size_bytes());
  }
  template <class T>
  void optional(const char* name, T& value) {
    field(name, value);
  }
  template <class T, class Names>
  void choice(const char* name, T& value, const Names& names) {
    field(name, value);
    if (ok_ && static_cast<std::size_t>(value) >= names.size()) {
      value = T{};
      ok_ = false;
      failed_field_ = name;
    }
  }

 private:
  // The lowest byte comes first, on every machine.
  template <class Unsigned>
  static Unsigned bits_of(const std::byte* bytes) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
      bits |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return static_cast<Unsigned>(bits);
  }
  template <class T>
  void read(T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number{};
      read(number);
      if (ok_) value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t number = 0;
      read(number);
      if (ok_ && number > 1) ok_ = false;
      if (ok_) value = number == 1;
    } else if constexpr (std::is_integral_v<T>) {
      if (bytes_.size() < sizeof(T)) {
        ok_ = false;
        return;
      }
      value = static_cast<T>(bits_of<std::make_unsigned_t<T>>(bytes_.data()));
      bytes_ = bytes_.subspan(sizeof(T));
    } else {
      T::visit_state(value, *this);
    }
  }
  void read(std::string& text) {
    std::uint32_t length = 0;
    read(length);
    if (!ok_ || bytes_.size() < length) {
      ok_ = false;
      return;
    }
    text.clear();
    for (std::uint32_t i = 0; i < length; ++i) text.push_back(static_cast<char>(bytes_[i]));
    bytes_ = bytes_.subspan(length);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool there = false;
    read(there);
    value.reset();
    if (!ok_ || !there) return;
    T found{};
    read(found);
    if (ok_) value = std::move(found);
  }
  template <class T>
  void read(std::vector<T>& list) {
    std::uint32_t count = 0;
    read(count);
    list.clear();
    // Every element takes bytes, so a huge count runs out of them before it fills the memory.
    for (std::uint32_t i = 0; ok_ && i < count; ++i) {
      T element{};
      read(element);
      if (ok_) list.push_back(std::move(element));
    }
  }
  template <class K, class V>
  void read(std::map<K, V>& map) {
    std::uint32_t count = 0;
    read(count);
    map.clear();
    // Every entry takes bytes, so a huge count runs out of them before it fills the memory.
    for (std::uint32_t i = 0; ok_ && i < count; ++i) {
      std::pair<K, V> entry{};
      read(entry.first);
      read(entry.second);
      if (ok_ && !map.empty() && !(map.rbegin()->first < entry.first)) ok_ = false;
      if (ok_) map.insert(map.end(), std::move(entry));
    }
  }

  std::span<const std::byte> bytes_;
  std::vector<std::string_view> absent_;
  bool ok_ = true;
  const char* failed_field_ = "";
};

template <class T>
std::vector<std::byte> canonical_bytes(const T& value) {
  std::vector<std::byte> bytes;
  StateWriter writer(bytes);
  T::visit_state(value, writer);
  return bytes;
}

}  // namespace sluice::sim
