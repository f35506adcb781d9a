#include "server/net/published_pipes.h"

#include <utility>

#include "protocol/base/assert.h"
#include "protocol/pipe_codec.h"

namespace sluice::net {

void PublishedPipes::apply(std::uint64_t tick, PipeStates states, bool complete) {
  tick_ = tick;
  changes_.clear();
  if (complete) {
    for (const auto& [key, entry] : sections_) states.try_emplace(key, nullptr);
  }
  for (auto& [key, state] : states) update(key, std::move(state));
}

void PublishedPipes::pause(std::uint64_t tick, bool forget) {
  tick_ = tick;
  changes_.clear();
  if (forget) sections_.clear();
}

void PublishedPipes::update(const protocol::PipeKey& key, std::shared_ptr<const PipeState> state) {
  const auto place = sections_.find(key);
  const bool held = place != sections_.end();
  if (state == nullptr) {
    if (!held) return;
    sections_.erase(place);
    changes_.push_back({key, nullptr});
    return;
  }
  auto payload = std::make_shared<protocol::Bytes>();
  if (held && *place->second.state->plan == *state->plan) {
    if (place->second.state->values == state->values) return;
    protocol::encode_pipe_delta(place->second.state->values, state->values, *payload);
  } else {
    protocol::encode_pipe_keyframe(*state->plan, state->values, *payload);
  }
  changes_.push_back({key, std::move(payload)});
  sections_.insert_or_assign(key, Entry{std::move(state), {}, std::nullopt});
}

PublishedPipes::Entry& PublishedPipes::entry(const protocol::PipeKey& key) {
  const auto place = sections_.find(key);
  SLUICE_ASSERT(place != sections_.end());
  return place->second;
}

const protocol::Bytes& PublishedPipes::keyframe(const protocol::PipeKey& key) {
  Entry& e = entry(key);
  if (e.keyframe.empty()) {
    protocol::encode_pipe_keyframe(*e.state->plan, e.state->values, e.keyframe);
  }
  return e.keyframe;
}

std::uint64_t PublishedPipes::checksum(const protocol::PipeKey& key) {
  Entry& e = entry(key);
  if (!e.checksum) e.checksum = protocol::pipe_checksum(*e.state->plan, e.state->values);
  return *e.checksum;
}

std::vector<protocol::PipeKey> PublishedPipes::due_checks(const ChunkRange& view) const {
  return due_of<protocol::PipeKey>(tick_, [&](auto&& f) { for_each_in(view, f); });
}

}  // namespace sluice::net
