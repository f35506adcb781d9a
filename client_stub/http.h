// One HTTP request and its answer, for programs that have nothing else to do meanwhile. Beast stays
// in http.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::client {

struct HttpRequest {
  std::string method = "GET";
  std::string server;  // "http://HOST:PORT"
  std::string path;    // "/api/worlds"
  std::string token;   // shown to the server; may be empty
  std::string body;    // JSON; may be empty
  std::chrono::seconds patience{15};
};

struct HttpReply {
  unsigned status = 0;
  std::string body;
};

/// Answers of more bytes than this are an error.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{4} << 20;

/// An error when no answer came, for whatever reason, within HttpRequest::patience.
[[nodiscard]] Result<HttpReply> ask(const HttpRequest& request);

}  // namespace sluice::client
