// What one viewer is to be sent. A viewer holds, of the chunks in its view, either the published
// state or a *stale* one (or none); stale chunks are sent as keyframes when there is room.
//
//   in view, not stale:  in step with PublishedWorld; the next change can be sent as a delta
//   stale:               the viewer holds something else; a keyframe or "dropped" puts it right
//
// The same holds for the sections of pipe networks.
//
// A viewer that is too slow for a tick's frame turns that tick's changes into stale chunks, so what
// is kept for it is bounded by the chunks of its view, not by the time for which it is slow.
#pragma once

#include <cstddef>
#include <set>

#include "protocol/messages.h"
#include "server/net/published_world.h"

namespace sluice::net {

class Interest {
 public:
  /// From now on `range` is in view. What left it will be dropped, what came will be sent.
  void set_view(const ChunkRange& range, const PublishedWorld& world);

  /// The viewer's copy of the chunk is wrong. False when there are too many such chunks that the
  /// world does not hold: no well-behaved viewer asks for those.
  [[nodiscard]] bool resync(ChunkCoord coord, const PublishedWorld& world);

  /// The same of a section of the pipe networks.
  [[nodiscard]] bool resync_pipes(const protocol::PipeKey& key, const PublishedWorld& world);

  /// The viewer gets no frame of the changes that the world just went through.
  void miss(const PublishedWorld& world);

  /// Whether the viewer holds exactly the published state of its view, and knows of which tick.
  [[nodiscard]] bool up_to_date() const { return told_ && chunks_.empty() && pipes_.empty(); }
  [[nodiscard]] const ChunkRange& view() const { return view_; }
  [[nodiscard]] std::size_t stale_count() const { return chunks_.size() + pipes_.size(); }

  /// The frame that brings the viewer from the state before the world's last changes to (as far as
  /// the budget goes) the state now. Never larger than protocol::kMaxServerMessageBytes.
  [[nodiscard]] protocol::Bytes step_frame(PublishedWorld& world);
  /// Stale chunks only, for a viewer that is in step but for them.
  [[nodiscard]] protocol::Bytes catch_up_frame(PublishedWorld& world);

 private:
  struct Draft;

  ChunkRange view_;
  // The viewer had a frame of the world's last tick. Where a world stands still no later one tells
  // it the tick that it missed, even if nothing in its view changed.
  bool told_ = false;
  // What is stale: in view, or held since an earlier view.
  std::set<ChunkCoord> chunks_;
  std::set<protocol::PipeKey> pipes_;
};

}  // namespace sluice::net
