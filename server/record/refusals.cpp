#include "server/record/refusals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/record/bounds.h"
#include "server/record/format.h"

namespace sluice::record {

namespace {

// Whoever comes under ever new names is counted without one.
constexpr std::size_t kMostNames = 64;

void count(const std::string& client, std::vector<RefusedMore>& refused) {
  const std::string& name = refused.size() < kMostNames ? client : std::string();
  const auto of = [&](const std::string& wanted) {
    return std::find_if(refused.begin(), refused.end(),
                        [&](const RefusedMore& more) { return more.client == wanted; });
  };
  auto found = of(client);
  if (found == refused.end()) found = of(name);
  if (found == refused.end()) found = refused.insert(found, {name, 0});
  ++found->commands;
}

}  // namespace

bool RefusalLimit::takes(const RecordedCommand& recorded) {
  const std::size_t bytes = batch_bytes(recorded);
  const auto known = bytes_.find(recorded.client);
  const std::size_t before = known == bytes_.end() ? 0 : known->second;
  if (before + bytes > kRefusedBytesPerWindow) return false;
  if (bytes_of_all_ + bytes > kRefusedBytesOfAll) return false;
  bytes_[recorded.client] += bytes;
  bytes_of_all_ += bytes;
  return true;
}

void RefusalLimit::apply(TickRecord& tick) {
  if (const std::uint64_t window = tick.tick / kRefusalWindowTicks; window != window_) {
    window_ = window;
    bytes_of_all_ = 0;
    bytes_.clear();
  }
  std::vector<RecordedCommand> kept;
  kept.reserve(tick.commands.size());
  for (RecordedCommand& recorded : tick.commands) {
    if (recorded.applied || takes(recorded)) {
      kept.push_back(std::move(recorded));
    } else {
      count(recorded.client, tick.refused_more);
    }
  }
  tick.commands = std::move(kept);
}

}  // namespace sluice::record
