// Goal: of a client that comes back every number is answered as it was, is still under way, is new,
// or is said to be forgotten: never taken for new when it is not. Whatever clients do, what is kept
// stays within its bounds, and who makes up clients takes nothing from others.
#include "server/net/result_book.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sluice::net::result_book_test {
namespace {

using State = ResultBook::State;
using protocol::CommandResult;

constexpr ResultBook::Time kStart{std::chrono::hours(1000)};
std::uint64_t fresh_number = 1000;

ResultBook::Opened come(ResultBook& book, const std::string& key, const std::string& address = "a",
                        std::uint64_t last_seq = 0, std::uint64_t since = 0, std::uint64_t tick = 1,
                        ResultBook::Time now = kStart) {
  return book.open({key, address, last_seq, since}, ++fresh_number, tick, now);
}

ResultBook::Limits small() {
  ResultBook::Limits limits;
  limits.results = 4;
  limits.clients = 6;
  limits.clients_per_address = 3;
  return limits;
}

TEST(ResultBook, ANumberIsNewThenUnderWayThenStored) {
  ResultBook book;
  const auto ada = come(book, "ada");
  EXPECT_TRUE(ada.known);
  EXPECT_EQ(book.find(ada.number, 1).state, State::kNew);
  book.begin(ada.number, 1);
  EXPECT_EQ(book.find(ada.number, 1).state, State::kPending);
  book.leave(ada.number, kStart);
  book.settle(ada.number, {1, true, 9, ""}, 9);  // while it is gone
  const auto back = come(book, "ada", "b", 1);
  EXPECT_EQ(back.number, ada.number);
  EXPECT_EQ(back.pending, 0U);
  EXPECT_TRUE(back.known);
  EXPECT_EQ(book.find(ada.number, 1).state, State::kStored);
  EXPECT_EQ(book.find(ada.number, 1).result.tick, 9U);
  EXPECT_EQ(book.find(ada.number, 2).state, State::kNew);
}

TEST(ResultBook, AnotherClientsNumbersAreItsOwn) {
  ResultBook book;
  const auto ada = come(book, ResultBook::key_of("ada", "x"));
  const auto bob = come(book, ResultBook::key_of("bob", "x"));
  book.settle(ada.number, {1, true, 9, ""}, 9);
  EXPECT_NE(ada.number, bob.number);
  EXPECT_EQ(book.find(bob.number, 1).state, State::kNew);
  EXPECT_EQ(book.find(12345, 1).state, State::kNew);  // who is not kept
}

TEST(ResultBook, WhatIsForgottenIsNeverNew) {
  ResultBook book(small());
  const auto ada = come(book, "ada");
  for (std::uint64_t seq = 1; seq <= 10; ++seq) {
    book.begin(ada.number, seq);
    if (seq != 2) book.settle(ada.number, {seq, true, seq, ""}, seq);
  }
  for (std::uint64_t seq = 1; seq <= 6; ++seq) {
    EXPECT_EQ(book.find(ada.number, seq).state, seq == 2 ? State::kPending : State::kForgotten);
  }
  for (std::uint64_t seq = 7; seq <= 10; ++seq) {
    EXPECT_EQ(book.find(ada.number, seq).state, State::kStored);
  }
  EXPECT_EQ(book.find(ada.number, 11).state, State::kNew);
}

TEST(ResultBook, LongReasonsForgetEarlier) {
  ResultBook book;
  const auto ada = come(book, "ada");
  for (std::uint64_t seq = 1; seq <= protocol::kResultsKept; ++seq) {
    book.settle(ada.number, {seq, false, 0, std::string(protocol::kMaxReasonBytes, 'x')}, 1);
    EXPECT_LE(book.bytes(), protocol::kResultBytesKept);
  }
  EXPECT_EQ(book.find(ada.number, 1).state, State::kForgotten);
  EXPECT_EQ(book.find(ada.number, protocol::kResultsKept).state, State::kStored);
}

TEST(ResultBook, TheTruthMayComeAfterADoubt) {
  ResultBook book;
  const auto ada = come(book, "ada");
  book.begin(ada.number, 1);
  CommandResult doubt{1, false, 3, "the recording failed", protocol::ResultKind::kUnknown};
  book.settle(ada.number, doubt, 3);
  const std::size_t bytes = book.bytes();
  book.settle(ada.number, {1, true, 3, ""}, 3);
  EXPECT_TRUE(book.find(ada.number, 1).result.applied);
  EXPECT_LT(book.bytes(), bytes);
}

TEST(ResultBook, WhoMakesUpClientsForgetsHisOwn) {
  ResultBook book(small());
  const auto ada = come(book, "ada", "good");
  book.settle(ada.number, {1, true, 9, ""}, 9);
  book.leave(ada.number, kStart);
  for (int i = 0; i < 1000; ++i) {
    const auto bad = come(book, "bad" + std::to_string(i), "bad");
    ASSERT_NE(bad.number, 0U);
    book.settle(bad.number, {1, false, 0, "no"}, 9);
    book.leave(bad.number, kStart);
    ASSERT_LE(book.clients(), 4U);
  }
  EXPECT_TRUE(come(book, "ada", "good", 1).known);
  EXPECT_EQ(book.find(ada.number, 1).state, State::kStored);
}

TEST(ResultBook, ClientsThatAreHereAreNotForgotten) {
  ResultBook book(small());
  std::set<std::uint64_t> here;
  for (int i = 0; i < 3; ++i) here.insert(come(book, "here" + std::to_string(i), "one").number);
  EXPECT_EQ(come(book, "more", "one").number, 0U);  // no room: nothing is kept for it
  for (int i = 0; i < 3; ++i) here.insert(come(book, "there" + std::to_string(i), "two").number);
  EXPECT_EQ(come(book, "another", "three").number, 0U);
  EXPECT_EQ(here.size(), 6U);
  for (const std::uint64_t number : here) EXPECT_TRUE(book.keeps(number));
}

TEST(ResultBook, AllTogetherStayWithinTheirBytes) {
  ResultBook::Limits limits;
  limits.bytes = 20 * ResultBook::kResultBytes;
  ResultBook book(limits);
  const auto gone = come(book, "gone");
  for (std::uint64_t seq = 1; seq <= 10; ++seq) book.settle(gone.number, {seq, true, 1, ""}, 1);
  book.leave(gone.number, kStart);
  const auto ada = come(book, "ada");
  for (std::uint64_t seq = 1; seq <= 100; ++seq) {
    book.settle(ada.number, {seq, true, 1, ""}, 1);
    ASSERT_LE(book.bytes(), limits.bytes);
  }
  EXPECT_EQ(book.find(ada.number, 100).state, State::kStored);
  EXPECT_EQ(book.find(ada.number, 80).state, State::kForgotten);
  EXPECT_FALSE(come(book, "gone", "a", 10, 0).known);
}

TEST(ResultBook, ExpiresWithAWord) {
  ResultBook book;
  const auto ada = come(book, "ada");
  book.settle(ada.number, {1, true, 9, ""}, 9);
  book.leave(ada.number, kStart);
  const auto later = kStart + ResultBook::Limits().kept;
  (void)come(book, "bob", "b", 0, 0, 20, later);
  EXPECT_EQ(book.clients(), 1U);
  const auto back = come(book, "ada", "a", 1, 0, 20, later);
  EXPECT_FALSE(back.known);
  EXPECT_EQ(book.find(back.number, 1).state, State::kForgotten);
  EXPECT_EQ(book.find(back.number, 2).state, State::kNew);
  // Who first came after that had nothing to be forgotten.
  EXPECT_TRUE(come(book, "eve", "a", 1, 21, 30, later).known);
}

TEST(ResultBook, ARecordingTellsOfTheTimeBefore) {
  ResultBook book;
  book.remember({100, {{"ada", {5, true, 150, ""}}, {"ada", {6, false, 151, "no"}}}});
  const auto ada = come(book, "ada", "a", 8, 120, 200);
  EXPECT_TRUE(ada.known);
  EXPECT_EQ(book.find(ada.number, 5).result.tick, 150U);
  EXPECT_EQ(book.find(ada.number, 6).result.reason, "no");
  EXPECT_EQ(book.find(ada.number, 4).state, State::kNew);  // it would be there
  EXPECT_EQ(book.find(ada.number, 7).state, State::kNew);
  // All that this one sent would be there.
  const auto bob = come(book, "bob", "b", 3, 100, 200);
  EXPECT_TRUE(bob.known);
  EXPECT_EQ(book.find(bob.number, 3).state, State::kNew);
  // What this one sent may have been applied before.
  const auto old = come(book, "old", "b", 3, 99, 200);
  EXPECT_FALSE(old.known);
  EXPECT_EQ(book.find(old.number, 3).state, State::kForgotten);
}

TEST(ResultBook, OfAClientOlderThanWhatWasReadOnlyTheRestIsKnown) {
  ResultBook book;
  book.remember({100, {{"ada", {5, true, 150, ""}}}});
  const auto ada = come(book, "ada", "a", 8, 20, 200);
  EXPECT_EQ(book.find(ada.number, 4).state, State::kForgotten);
  EXPECT_EQ(book.find(ada.number, 5).state, State::kStored);
  EXPECT_EQ(book.find(ada.number, 6).state, State::kNew);
}

// It was called new, so that its client sent it again, and it was applied twice.
TEST(ResultBook, WhatARecordingToldAndThereWasNoRoomForIsForgotten) {
  ResultBook book({.results = 2});
  std::deque<PastResult> past;
  for (std::uint64_t seq = 1; seq <= 4; ++seq) past.push_back({"ada", {seq, true, 150, ""}});
  book.remember({100, std::move(past)});
  const auto ada = come(book, "ada", "a", 6, 120, 200);
  EXPECT_TRUE(ada.known);
  EXPECT_EQ(book.find(ada.number, 1).state, State::kForgotten);
  EXPECT_EQ(book.find(ada.number, 2).state, State::kForgotten);
  EXPECT_EQ(book.find(ada.number, 3).state, State::kStored);
  EXPECT_EQ(book.find(ada.number, 5).state, State::kNew);
}

TEST(ResultBook, OfANewRecordingNothingIsKnown) {
  ResultBook book;
  book.remember({});
  EXPECT_FALSE(come(book, "ada", "a", 1, 1'000'000).known);
  EXPECT_TRUE(come(book, "bob", "a", 0, 0).known);
}

}  // namespace
}  // namespace sluice::net::result_book_test
