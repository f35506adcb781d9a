// One HTTP request and its answer. Beast stays in http.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace boost::asio {
class io_context;
}

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

/// An error when no answer came, for whatever reason, within HttpRequest::patience. For programs
/// that have nothing else to do meanwhile.
[[nodiscard]] Result<HttpReply> ask(const HttpRequest& request);

/// The same for those who run a context: `answered` is called once, from it.
void ask(boost::asio::io_context& context, const HttpRequest& request,
         std::function<void(const Result<HttpReply>&)> answered);

}  // namespace sluice::client
