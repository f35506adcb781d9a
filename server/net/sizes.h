// How much of a world its viewers are told at once, and how much is kept of them. What ships has
// these values; tests have smaller ones, so that small worlds cross every threshold.
#pragma once

#include <cstddef>

#include "protocol/column_lessons.h"
#include "protocol/limits.h"
#include "server/net/result_book.h"

namespace sluice::net {

struct Sizes {
  /// Of a tick message, beyond which chunks wait for a later one.
  std::size_t tick_bytes = protocol::kTickBudgetBytes;
  /// Chunks that are coded with all effort between two publications. It bounds the time that a
  /// world with much in motion, or a new viewer of it, takes from the others.
  std::size_t thorough_chunks = 64;
  /// And of each layer.
  std::size_t thorough_layer_chunks = 16;
  /// When viewers are told what the deltas teach of the water, of the cells and of each layer.
  protocol::LessonTerms lessons = {};
  /// Chunks of a layer in one publication. One of temperatures takes some 20 microseconds.
  std::size_t layer_chunks = 64;
  /// Events that wait to be told; where there are more, those that came first are.
  std::size_t layer_events = 4096;
  /// Chunks and sections that the world does not hold and that a viewer may still ask for, until it
  /// was answered.
  std::size_t stale_air = 4096;
  ResultBook::Limits results = {};
};

}  // namespace sluice::net
