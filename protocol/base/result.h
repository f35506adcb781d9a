// A value, or a message for the person who gave the input. The message says what is wrong, where,
// and what would be allowed.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "protocol/base/assert.h"

namespace sluice {

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return ok(); }

  /// Only when ok().
  [[nodiscard]] const T& value() const& { return checked(); }
  [[nodiscard]] T& value() & { return const_cast<T&>(checked()); }
  [[nodiscard]] T&& value() && { return std::move(const_cast<T&>(checked())); }
  const T& operator*() const& { return checked(); }
  T& operator*() & { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &checked(); }

  /// Only when not ok().
  [[nodiscard]] const std::string& error() const {
    SLUICE_ASSERT(!ok());
    return std::get<Error>(content_).message;
  }

 private:
  const T& checked() const {
    SLUICE_ASSERT(ok());
    return std::get<T>(content_);
  }

  std::variant<T, Error> content_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace sluice
