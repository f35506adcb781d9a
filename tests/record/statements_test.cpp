// Goal: statements that are parsed once and kept behave as if each had been parsed anew.
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "server/record/database.h"
#include "tests/record/support.h"

namespace sluice::record::test::statements_test {
namespace {

constexpr std::string_view kEcho = "SELECT ?1";

struct Statements : testing::Test {
  TemporaryFolder folder;
  std::unique_ptr<Database> database =
      must(Database::open(folder.file("a.sqlite"), Database::Mode::kCreate));
};

TEST_F(Statements, AKeptOneHasForgottenWhatWasBoundAndRead) {
  {
    Statement first = must(database->prepare(kEcho));
    ASSERT_TRUE(must(first.bind(1, 7).step()));
    EXPECT_EQ(first.integer(0), 7);
  }
  Statement again = must(database->prepare(kEcho));
  ASSERT_TRUE(must(again.step()));
  EXPECT_TRUE(again.is_null(0));
}

TEST_F(Statements, ManyOfOneTextAtATimeAreEachForItself) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Statement> all;
    for (int i = 0; i < 100; ++i) all.push_back(must(database->prepare(kEcho)));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(must(all[static_cast<std::size_t>(i)].bind(1, i).step()));
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].integer(0), i);
  }
}

TEST(KeptStatements, AreNoMoreThanTheBoundAndNoneAfterTheEnd) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &connection), SQLITE_OK);
  const auto parsed = [connection] {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(connection, "SELECT 1", -1, &statement, nullptr), SQLITE_OK);
    return statement;
  };
  KeptStatements kept(2);
  for (const std::size_t count : {1U, 2U, 2U}) {
    kept.give_back(parsed());
    EXPECT_EQ(kept.count(), count);
  }
  EXPECT_EQ(kept.take("SELECT 2"), nullptr);
  kept.give_back(kept.take("SELECT 1"));
  EXPECT_EQ(kept.count(), 2U);
  kept.close();
  EXPECT_EQ(kept.count(), 0U);
  kept.give_back(parsed());
  EXPECT_EQ(kept.count(), 0U);
  // SQLite refuses where a statement is left.
  EXPECT_EQ(sqlite3_close(connection), SQLITE_OK);
}

TEST_F(Statements, OneMayOutliveItsConnection) {
  std::optional<Statement> last(must(database->prepare(kEcho)));
  database.reset();
  ASSERT_TRUE(must(last->bind(1, 3).step()));
  EXPECT_EQ(last->integer(0), 3);
  last.reset();
}

}  // namespace
}  // namespace sluice::record::test::statements_test
