// Goal: people see how each world stands, and whatever a text holds is shown, not obeyed.
#include "server/host/status_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::host::status_page_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StatusPage, HasARowForEachWorld) {
  ServerStatus status{"1.2.3", "127.0.0.1:8080", {}, {}};
  WorldStatus cave;
  cave.name = "cave";
  cave.state = "runs";
  cave.tick = 12345;
  cave.viewers = 7;
  cave.verified_tick = 12000;
  cave.disk = {3 * (std::uint64_t{1} << 30), 1536, 0, false};
  WorldStatus lake = cave;
  lake.name = "lake";
  lake.state = "stands still";
  lake.well = false;
  lake.disk.free_bytes = UINT64_MAX;
  status.worlds = {cave, lake};
  const std::string page = status_page(status);
  EXPECT_THAT(page, HasSubstr("<h1>Sluice 1.2.3 at 127.0.0.1:8080</h1>"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>cave</td><td>runs</td><td>12345</td><td>7</td><td>1.5 KiB</td>"
                        "<td>0 bytes</td><td>3.0 GiB</td><td>12000</td><td>none</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<td>lake</td><td class=\"bad\">stands still</td>"));
  EXPECT_THAT(page, HasSubstr("<td>unknown</td>"));
}

TEST(StatusPage, ObeysNoText) {
  ServerStatus status{"<b>", "&amp;", {}, {"<script>alert(1)</script>"}};
  status.worlds.emplace_back().state = "<img src=x>";
  const std::string page = status_page(status);
  for (const char* tag : {"<b>", "<script", "<img"}) EXPECT_THAT(page, Not(HasSubstr(tag)));
  EXPECT_THAT(page, HasSubstr("&lt;script>alert(1)&lt;/script>"));
  EXPECT_THAT(page, HasSubstr("&amp;amp;"));
}

}  // namespace
}  // namespace sluice::host::status_page_test
