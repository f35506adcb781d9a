// Goal: the terminal shows what happens for a moment, once, where it happened, and no longer.
#include "client_stub/sparks.h"

#include <gtest/gtest.h>

#include "tests/client_stub/mirrors.h"

namespace sluice::client::sparks_test {
namespace {

using std::chrono::milliseconds;

/// Water 10 deep, and the events that are told.
struct Storm {
  protocol::Mirror mirror = mirror_of(
      [](protocol::ChunkCells& cells) { std::fill_n(cells.begin(), 10 * 64, kFull); }, {"events"});
  Sparks sparks;
  Sparks::Clock::time_point start = Sparks::Clock::now();
  protocol::ChunkCells numbers{};

  /// As if `kind` had happened in the tick of the newest message.
  void tell(EventKind kind, std::size_t x, std::size_t y, std::int32_t strength = 40) {
    const auto tick = static_cast<std::int32_t>(mirror.tick()) % protocol::kEventTicks;
    numbers[y * 64 + x] = protocol::told_event({kind, strength, tick});
  }
  void take_in(milliseconds at, std::uint64_t tick) {
    protocol::Bytes payload;
    protocol::encode_keyframe(numbers, kSideViewShape, payload);
    protocol::Tick message;
    if (tick < mirror.tick()) message.playback.emplace();  // only a recording goes back
    message.tick = tick;
    message.layers.push_back({0, {{{0, 0, 0}, payload}}, {}, {}});
    EXPECT_TRUE(mirror.apply(message).ok());
    sparks.told(mirror, start + at);
  }
  /// What a terminal of a character for a cell each way and two up shows.
  [[nodiscard]] std::string picture(milliseconds at, bool unicode = false,
                                    std::int32_t slice = 0) const {
    Picture picture;
    picture.width = picture.height = 64;
    picture.fit({64, 64, 1});
    picture.slice = slice;
    Screen screen;
    screen.set_style({ColourDepth::kNone, unicode});
    screen.resize(64, 33);
    sparks.draw(mirror, picture, start + at, unicode, screen);
    return screen.take_changes();
  }
  [[nodiscard]] bool shows(std::string_view what, milliseconds at, bool unicode = false) const {
    return picture(at, unicode).find(what) != std::string::npos;
  }
};

TEST(Sparks, EachEventFliesOnceAndIsGoneAfterAMoment) {
  Storm storm;
  storm.take_in(milliseconds(0), 1);
  storm.tell(EventKind::kDroplet, 20, 9);
  storm.take_in(milliseconds(10), 2);
  EXPECT_EQ(storm.sparks.count(), 1U);
  EXPECT_TRUE(storm.shows("'", milliseconds(110)));
  EXPECT_FALSE(storm.shows("'", milliseconds(10) + Sparks::kLongestLife)) << "it has landed";
  storm.take_in(milliseconds(1000), 22);
  EXPECT_EQ(storm.sparks.count(), 0U) << "the same number is the same event";
  storm.tell(EventKind::kDroplet, 20, 9);
  storm.take_in(milliseconds(1010), 23);
  EXPECT_EQ(storm.sparks.count(), 1U) << "another one, in the same cell";
}

TEST(Sparks, KindsAreToldApart) {
  for (const bool unicode : {false, true}) {
    Storm storm;
    storm.take_in(milliseconds(0), 1);
    storm.tell(EventKind::kBubble, 20, 9);
    storm.tell(EventKind::kSpray, 40, 10);
    storm.take_in(milliseconds(0), 2);
    EXPECT_TRUE(storm.shows(unicode ? "\u00b0" : "o", milliseconds(100), unicode));
    EXPECT_TRUE(storm.shows(unicode ? "\u00b7" : ":", milliseconds(100), unicode));
    EXPECT_FALSE(storm.shows("'", milliseconds(100), unicode));
  }
}

TEST(Sparks, NothingFliesThroughRockOrInAnotherSlice) {
  Storm storm;
  storm.take_in(milliseconds(0), 1);
  storm.tell(EventKind::kDroplet, 20, 9);
  storm.take_in(milliseconds(0), 2);
  EXPECT_EQ(storm.picture(milliseconds(100), false, 1),
            storm.picture(milliseconds(5000), false, 1));
  protocol::ChunkCells cells{};
  std::fill_n(cells.begin(), 10 * 64, kFull);
  std::fill_n(cells.begin() + 10 * 64, 10 * 64, kRock);
  send_chunk(storm.mirror, cells, 3);
  EXPECT_FALSE(storm.shows("'", milliseconds(100)));
}

TEST(Sparks, WhatHappenedBeforeOneCameOrLeaptIsNotShown) {
  Storm storm;
  storm.tell(EventKind::kDroplet, 20, 9);
  storm.take_in(milliseconds(0), 1);
  EXPECT_EQ(storm.sparks.count(), 0U) << "before one came";
  storm.tell(EventKind::kSpray, 21, 9);
  storm.take_in(milliseconds(10), 1 + protocol::kEventTicks);
  EXPECT_EQ(storm.sparks.count(), 0U) << "leapt over";
  storm.tell(EventKind::kSpray, 22, 9);
  storm.take_in(milliseconds(20), 2 + protocol::kEventTicks);
  EXPECT_EQ(storm.sparks.count(), 1U);
  storm.tell(EventKind::kSpray, 23, 9);
  storm.take_in(milliseconds(30), 5);
  EXPECT_EQ(storm.sparks.count(), 0U) << "back in time";
}

TEST(Sparks, OfAStormThereAreOnlySoMany) {
  Storm storm;
  storm.take_in(milliseconds(0), 1);
  for (std::size_t x = 0; x < 64; ++x) {
    for (std::size_t y = 0; y < 10; ++y) storm.tell(EventKind::kDroplet, x, y);
  }
  storm.take_in(milliseconds(0), 2);
  EXPECT_EQ(storm.sparks.count(), Sparks::kMost);
  storm.tell(EventKind::kSpray, 5, 9);
  storm.take_in(milliseconds(10), 3);
  EXPECT_EQ(storm.sparks.count(), Sparks::kMost);
}

TEST(Sparks, ANumberIsReadAsItWasTold) {
  for (const EventKind kind : {EventKind::kDroplet, EventKind::kBubble, EventKind::kSpray}) {
    for (const std::int32_t strength : {1, 40, kStrongestEvent}) {
      for (const std::int32_t tick : {0, 1, protocol::kEventTicks - 1}) {
        const auto event = protocol::event_told(protocol::told_event({kind, strength, tick}));
        EXPECT_EQ(event.kind, kind);
        EXPECT_EQ(event.strength, strength);
        EXPECT_EQ(event.tick, tick);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::client::sparks_test
