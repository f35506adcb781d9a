// HTTP over a Stream, as the server, its admins' listener and the clients speak it: messages whose
// bodies are strings. What is passed by reference must live until `done` is called.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "protocol/transport/stream.h"

namespace sluice::transport {

namespace http = boost::beast::http;

using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;
using RequestParser = http::request_parser<http::string_body>;
using ResponseParser = http::response_parser<http::string_body>;
using ResponseSerializer = http::response_serializer<http::string_body>;
using Called = std::function<void(boost::system::error_code)>;

/// The one kind of handler for all that moves bytes: each other one would be compiled once more.
class Then {
 public:
  explicit Then(Called done) : done_(std::move(done)) {}
  void operator()(boost::system::error_code error, std::size_t) { done_(error); }

 private:
  Called done_;
};

void read_request(Stream& stream, boost::beast::flat_buffer& buffer, RequestParser& parser,
                  Called done);
void write_response(Stream& stream, ResponseSerializer& response, Called done);
void write_request(Stream& stream, Request& request, Called done);
void read_response(Stream& stream, boost::beast::flat_buffer& buffer, ResponseParser& parser,
                   Called done);

}  // namespace sluice::transport
