// One world several ways: whoever computes it, in whatever order, awake or asleep, comes to the
// same history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <rapidcheck.h>

#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/random_world.h"

namespace sluice::tests {

/// For properties. `ticks`: as many as the script is made to have; those after its end are quiet,
/// so that something comes to rest. `also(plain, other)`: what else is to be alike after each tick.
template <class Also>
void expect_workers_order_and_sleep_change_nothing(const sim::WorldSpec& spec, Script script,
                                                   std::size_t ticks, std::uint64_t seed,
                                                   Also&& also, sim::RunOptions options = {}) {
  auto plain = make_world(spec);
  auto shuffled = make_world(spec);
  auto awake = make_world(spec);
  plain->set_run_options(options);
  shuffled->set_run_options(options);
  options.sleep = false;
  awake->set_run_options(options);
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor any_order(pool, seed);
  script.resize(ticks);
  for (const auto& commands : script) {
    const sim::TickReport report = plain->tick(commands, serial);
    RC_ASSERT(shuffled->tick(commands, any_order).digest == report.digest);
    const sim::TickReport wide_awake = awake->tick(commands, serial);
    RC_ASSERT(wide_awake.digest == report.digest);
    RC_ASSERT(wide_awake.at_rest == report.at_rest);
    also(*plain, *shuffled);
    also(*plain, *awake);
  }
}
inline void expect_workers_order_and_sleep_change_nothing(const sim::WorldSpec& spec, Script script,
                                                          std::size_t ticks, std::uint64_t seed,
                                                          sim::RunOptions options = {}) {
  expect_workers_order_and_sleep_change_nothing(
      spec, std::move(script), ticks, seed, [](const auto&, const auto&) {}, options);
}

}  // namespace sluice::tests
