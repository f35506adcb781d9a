// What one viewer is to be sent. A viewer holds, of the chunks in its view, either the published
// state or a *stale* one (or none); stale chunks are sent as keyframes when there is room.
//
//   in view, not stale:  in step with PublishedWorld; the next change can be sent as a delta
//   stale:               the viewer holds something else; a keyframe or "dropped" puts it right
//
// The same holds for the sections of pipe networks, and for the layers that the viewer wants: of
// one that it does not want, nothing is in view. A level of detail is one of these layers; who
// wants one has none of the cells themselves in view.
//
// A viewer that is too slow for a tick's frame turns that tick's changes into stale chunks, so what
// is kept for it is bounded by the chunks of its view, not by the time for which it is slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "protocol/messages.h"
#include "server/net/published_world.h"

namespace sluice::net {

class Interest {
 public:
  /// From now on `range` is in view, with the layers (PublishedWorld::layer) whose bits are set.
  /// What left it will be dropped, what came will be sent.
  void set_view(const ChunkRange& range, const PublishedWorld& world, std::uint64_t layers = 0);

  /// The viewer's copy of the chunk is wrong; `layer`: Resync::layer. False when there are too many
  /// such chunks that the world does not hold: no well-behaved viewer asks for those.
  [[nodiscard]] bool resync(ChunkCoord coord, const PublishedWorld& world, std::size_t layer = 0);

  /// The same of a section of the pipe networks.
  [[nodiscard]] bool resync_pipes(const protocol::PipeKey& key, const PublishedWorld& world);

  /// The viewer gets no frame of the changes that the world just went through.
  void miss(const PublishedWorld& world);

  /// Whether the viewer holds exactly the published state of its view, and knows of which tick.
  [[nodiscard]] bool up_to_date() const { return told_ && stale_count() == 0; }
  [[nodiscard]] const ChunkRange& view() const { return view_; }
  /// Whether a chunk of the cells, or of the layer, is in view; `layer`: Resync::layer.
  [[nodiscard]] bool sees(ChunkCoord coord, const PublishedWorld& world, std::size_t layer) const;
  [[nodiscard]] bool wants(std::size_t layer) const { return (wanted_ >> layer & 1U) != 0; }
  /// Viewers that are up to date and have the same of these are sent the same.
  using Subject = std::pair<ChunkRange, std::uint64_t>;  // all 64: a world has up to 35 layers
  [[nodiscard]] Subject subject() const { return {view_, wanted_}; }
  [[nodiscard]] std::size_t stale_count() const;

  /// The frame that brings the viewer from the state before the world's last changes to (as far as
  /// the budget goes) the state now. Never larger than protocol::kMaxServerMessageBytes.
  [[nodiscard]] protocol::Bytes step_frame(PublishedWorld& world);
  /// Stale chunks only, for a viewer that is in step but for them.
  [[nodiscard]] protocol::Bytes catch_up_frame(PublishedWorld& world);

 private:
  struct Draft;
  [[nodiscard]] bool lacks_lesson(const PublishedWorld& world) const;
  template <class Draw>
  void draw_layers(PublishedWorld& world, Draft& draft, Draw&& draw);

  [[nodiscard]] ChunkRange range_of(const PublishedWorld& world, std::size_t layer) const {
    return wants(layer) ? world.range_of(layer, view_) : ChunkRange{};
  }

  ChunkRange view_;
  ChunkRange cells_;          // of the cells themselves: as `view_`, or none
  std::uint64_t wanted_ = 0;  // layers, by their bits
  // How many lessons (PublishedChunks::lessons) of the cells, and of each layer, there were when
  // the viewer was told the last one; 0 of what it does not see. Of what it sees, a viewer that is
  // up to date was told the last of those before this tick.
  std::vector<std::uint32_t> lessons_;
  // The viewer had a frame of the world's last tick. Where a world stands still no later one tells
  // it the tick that it missed, even if nothing in its view changed.
  bool told_ = false;
  // What is stale: in view, or held since an earlier view.
  std::set<ChunkCoord> chunks_;
  std::set<protocol::PipeKey> pipes_;
  std::vector<std::set<ChunkCoord>> layers_;  // as many as the world has, or none yet
};

/// The frames of one tick: viewers that look at the same box and miss nothing get one and the same.
class TickFrames {
 public:
  /// The world, after its apply(); it stays as it is while this lives.
  explicit TickFrames(PublishedWorld& world) : world_(world) {}

  /// Interest::step_frame, or the frame that somebody with the same subject got.
  [[nodiscard]] std::shared_ptr<const protocol::Bytes> next(Interest& viewer);

 private:
  struct Shared {
    std::shared_ptr<const protocol::Bytes> frame;
    Interest after;
  };

  PublishedWorld& world_;
  std::map<Interest::Subject, Shared> shared_;
};

}  // namespace sluice::net
