#include "protocol/transport/http.h"

#include <utility>

namespace sluice::transport {

void read_request(Stream& stream, boost::beast::flat_buffer& buffer, RequestParser& parser,
                  Called done) {
  http::async_read(stream, buffer, parser, Then(std::move(done)));
}

void write_response(Stream& stream, ResponseSerializer& response, Called done) {
  http::async_write(stream, response, Then(std::move(done)));
}

void write_request(Stream& stream, Request& request, Called done) {
  http::async_write(stream, request, Then(std::move(done)));
}

void read_response(Stream& stream, boost::beast::flat_buffer& buffer, ResponseParser& parser,
                   Called done) {
  http::async_read(stream, buffer, parser, Then(std::move(done)));
}

}  // namespace sluice::transport
