// Goal: addresses are taken as users write them, and wrong ones are refused with what is wrong.
#include "client_stub/address.h"

#include <gtest/gtest.h>

namespace sluice::client::address_test {
namespace {

TEST(Address, PartsAreTaken) {
  const auto plain = parse_address("ws://localhost:8080/worlds/u-tube");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain.value().host, "localhost");
  EXPECT_EQ(plain.value().port, "8080");
  EXPECT_EQ(plain.value().path, "/worlds/u-tube");
  const auto no_port = parse_address("ws://10.0.0.1/worlds/a");
  ASSERT_TRUE(no_port.ok());
  EXPECT_EQ(no_port.value().port, "80");
  const auto ipv6 = parse_address("ws://[::1]:99/worlds/a");
  ASSERT_TRUE(ipv6.ok());
  EXPECT_EQ(ipv6.value().host, "::1");
  EXPECT_EQ(ipv6.value().url(), "ws://[::1]:99/worlds/a");
  const auto alone = parse_address("ws://h:1/worlds/a?alone=me2");
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone.value().path, "/worlds/a");
  EXPECT_EQ(alone.value().query, "?alone=me2");
  EXPECT_EQ(alone.value().url(), "ws://h:1/worlds/a?alone=me2");
}

TEST(Address, WrongOnesAreRefusedWithTheExpectedForm) {
  for (const char* wrong : {"",
                            "http://h:1/worlds/a",
                            "ws://h:1",
                            "ws://h:1/",
                            "ws://h:1/worlds/",
                            "ws://h:1/other/a",
                            "ws://h:1/worlds/A",
                            "ws://h:1/worlds/a/b",
                            "ws://:1/worlds/a",
                            "ws://h:/worlds/a",
                            "ws://h:0/worlds/a",
                            "ws://h:65536/worlds/a",
                            "ws://h:12x/worlds/a",
                            "ws://[::1/worlds/a",
                            "ws://[::1]9/worlds/a",
                            "ws://h:1/worlds/a?b",
                            "ws://h:1/worlds/a?",
                            "ws://h:1/worlds/a?alone=",
                            "ws://h:1/worlds/a?alone=A",
                            "ws://h:1/worlds/a?alone=a-b",
                            "ws://h:1/worlds/a?alone=a&b=c",
                            "ws://h:1/worlds/?alone=a"}) {
    const auto parsed = parse_address(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_NE(parsed.error().find("expected ws://HOST:PORT/worlds/NAME"), std::string::npos);
  }
}

TEST(Address, OtherSchemesAreToldWhatIsWrongWithThem) {
  const auto encrypted = parse_address("wss://h/worlds/a");
  ASSERT_TRUE(encrypted.ok());
  EXPECT_TRUE(encrypted.value().encrypted);
  EXPECT_EQ(encrypted.value().url(), "wss://h:443/worlds/a");
  EXPECT_FALSE(parse_address("ws://h/worlds/a").value().encrypted);
  EXPECT_NE(parse_address("http://h:1/").error().find("page"), std::string::npos);
}

}  // namespace
}  // namespace sluice::client::address_test
