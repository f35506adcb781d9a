#include "client_stub/http.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "client_stub/address.h"
#include "protocol/transport/http.h"

namespace sluice::client {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

constexpr std::string_view kScheme = "http://";

/// The steps of one exchange, each of which begins the next.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  using Answered = std::function<void(const Result<HttpReply>&)>;

  Exchange(asio::io_context& context, const HttpRequest& request, const std::string& authority,
           Answered answered)
      : server_(request.server),
        answered_(std::move(answered)),
        stream_(asio::ip::tcp::socket(context)),
        resolver_(context),
        patience_(request.patience) {
    request_.method_string(request.method);
    request_.target(request.path);
    request_.version(11);
    request_.keep_alive(false);
    request_.set(http::field::host, authority);
    if (!request.token.empty()) {
      request_.set(http::field::authorization, "Bearer " + request.token);
    }
    if (!request.body.empty()) request_.set(http::field::content_type, "application/json");
    request_.body() = request.body;
    request_.prepare_payload();
    parser_.body_limit(kMaxReplyBytes);
  }

  void start(const std::string& host, const std::string& port) {
    stream_.expires_after(patience_);
    resolver_.async_resolve(
        host, port, [this, self = shared_from_this()](error_code error, const auto& endpoints) {
          if (failed(error)) return;
          stream_.connect(endpoints, [this, self](error_code refused) {
            if (!failed(refused)) write();
          });
        });
  }

 private:
  bool failed(error_code error) {
    if (error) answered_(Error{server_ + " does not answer: " + error.message()});
    return error.failed();
  }
  void write() {
    transport::write_request(
        stream_, request_, [this, self = shared_from_this()](error_code error) {
          if (failed(error)) return;
          transport::read_response(stream_, buffer_, parser_, [this, self](error_code unread) {
            if (failed(unread)) return;
            answered_(HttpReply{parser_.get().result_int(), parser_.get().body()});
          });
        });
  }

  std::string server_;
  Answered answered_;
  transport::Stream stream_;
  asio::ip::tcp::resolver resolver_;
  const std::chrono::seconds patience_;
  transport::Request request_;
  beast::flat_buffer buffer_;
  transport::ResponseParser parser_;
};

}  // namespace

void ask(asio::io_context& context, const HttpRequest& request,
         std::function<void(const Result<HttpReply>&)> answered) {
  const auto refuse = [&] {
    answered(
        Error{"'" + request.server + "' is no address of a server; expected http://HOST:PORT"});
  };
  if (!request.server.starts_with(kScheme)) return refuse();
  // The rest is as in a world's address.
  std::string authority = request.server.substr(kScheme.size());
  while (authority.ends_with('/')) authority.pop_back();
  const auto address = parse_address("ws://" + authority + "/worlds/any");
  if (!address.ok()) return refuse();
  std::make_shared<Exchange>(context, request, address.value().authority(), std::move(answered))
      ->start(address.value().host, address.value().port);
}

Result<HttpReply> ask(const HttpRequest& request) {
  asio::io_context context(1);
  std::optional<Result<HttpReply>> answer;
  ask(context, request, [&](const Result<HttpReply>& came) { answer = came; });
  context.run();
  if (!answer) return Error{request.server + " does not answer"};
  return *answer;
}

}  // namespace sluice::client
