#include "protocol/transport/stream.h"

#include <array>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace sluice::transport::stream_test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

std::vector<asio::const_buffer> buffers_of(const std::vector<std::string>& texts) {
  std::vector<asio::const_buffer> buffers;
  for (const std::string& text : texts) buffers.push_back(asio::buffer(text));
  return buffers;
}

TEST(Stream, PassesOnTheFirstBuffersThatHoldSomething) {
  const std::vector<std::string> texts = {"", "ab", "", "", "cde", "f"};
  const Parts<asio::const_buffer, 2> parts(buffers_of(texts));
  EXPECT_EQ(parts.end() - parts.begin(), 2);
  EXPECT_EQ(asio::buffer_size(parts), 5U);
  const Parts<asio::const_buffer> all(buffers_of(texts));
  EXPECT_EQ(asio::buffer_size(all), 6U);
  const Parts<asio::const_buffer> none(buffers_of({"", ""}));
  EXPECT_EQ(asio::buffer_size(none), 0U);
}

// More buffers than one call passes on: Asio's composed operations go on with the rest.
TEST(Stream, CarriesMoreBuffersThanOneCallTakes) {
  asio::io_context context;
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket near(context);
  near.connect(acceptor.local_endpoint());
  Stream writer(std::move(near));
  Stream reader(acceptor.accept());
  EXPECT_FALSE(writer.encrypted());
  EXPECT_EQ(reader.peer_address(), "127.0.0.1");
  std::vector<std::string> texts;
  std::string whole;
  for (int i = 0; i < 100; ++i) {
    texts.push_back(i % 7 == 0 ? "" : std::to_string(i));
    whole += texts.back();
  }
  std::size_t written = 0;
  asio::async_write(writer, buffers_of(texts), [&](Error error, std::size_t size) {
    EXPECT_FALSE(error);
    written = size;
  });
  std::vector<std::array<char, 3>> pieces(whole.size() / 3 + 1);
  std::vector<asio::mutable_buffer> room;
  for (auto& piece : pieces) room.push_back(asio::buffer(piece));
  std::string came;
  asio::async_read(reader, room, asio::transfer_exactly(whole.size()),
                   [&](Error error, std::size_t size) {
                     EXPECT_FALSE(error);
                     for (const auto& piece : pieces) came.append(piece.data(), piece.size());
                     came.resize(size);
                   });
  context.run();
  EXPECT_EQ(written, whole.size());
  EXPECT_EQ(came, whole);
}

TEST(Stream, FailsWhatIsUnderWayWhenItsTimeIsOver) {
  asio::io_context context;
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket near(context);
  near.connect(acceptor.local_endpoint());
  Stream stream(std::move(near));
  const tcp::socket silent = acceptor.accept();
  std::array<char, 4> room{};
  int failed = 0;
  const auto read = [&] {
    stream.async_read_some(asio::buffer(room), [&](Error error, std::size_t) {
      EXPECT_TRUE(error);
      ++failed;
    });
  };
  stream.expires_after(std::chrono::milliseconds(1));
  read();
  context.run();
  EXPECT_EQ(failed, 1);
}

}  // namespace
}  // namespace sluice::transport::stream_test
