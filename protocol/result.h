// A value, or a message for whoever sent the bytes. What arrives from the wire is never asserted.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace sluice::protocol {

struct Error {
  std::string message;  // what is wrong, and where
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }

  /// Only when ok(); the process stops otherwise, in release builds too.
  [[nodiscard]] const T& value() const {
    if (!ok()) std::abort();
    return *std::get_if<T>(&content_);
  }
  [[nodiscard]] T& value() {
    if (!ok()) std::abort();
    return *std::get_if<T>(&content_);
  }

  /// Only when not ok().
  [[nodiscard]] const std::string& error() const {
    if (ok()) std::abort();
    return std::get_if<Error>(&content_)->message;
  }

 private:
  std::variant<T, Error> content_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace sluice::protocol
