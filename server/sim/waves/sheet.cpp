#include "server/sim/waves/sheet.h"

#include <algorithm>
#include <array>
#include <span>

namespace sluice::sim {

namespace {

/// A patch and those that lie beside it.
struct Place {
  ChunkCoord stack;
  SurfacePatch* here = nullptr;
  SurfacePatch* left = nullptr;
  SurfacePatch* right = nullptr;
  SurfacePatch* front = nullptr;
  SurfacePatch* back = nullptr;
};

std::span<Surface> column_of(SurfacePatch& patch, std::int32_t column) {
  const auto i = static_cast<std::size_t>(column);
  return std::span(patch.surfaces).subspan(patch.first[i], patch.first[i + 1] - patch.first[i]);
}

/// The surface of the column beside it that a wave passes to. Runs of a column hold different
/// cells, so there is one at the most.
Surface* partner(const Surface& surface, std::span<Surface> beside) {
  for (Surface& other : beside) {
    if (surface.meets(other)) return &other;
  }
  return nullptr;
}

class SheetMaker {
 public:
  SheetMaker(const ChunkShape& shape, SurfacePatches& patches) : shape_(shape) {
    for (auto& [stack, patch] : patches) {
      for (Surface& surface : patch.surfaces) surface.slot = kNoColumn;
      sheet_.stacks.push_back(stack);
      const auto beside = [&patches, at = stack](std::int32_t dx, std::int32_t dz) {
        const auto found = patches.find({at.x + dx, 0, at.z + dz});
        return found == patches.end() ? nullptr : &found->second;
      };
      places_.push_back({stack, &patch, beside(-1, 0), beside(1, 0), beside(0, -1), beside(0, 1)});
    }
  }

  WaveSheet make() {
    // Row by row; patches of one row follow each other, by x.
    for (std::size_t first = 0; first < places_.size();) {
      std::size_t end = first;
      while (end < places_.size() && places_[end].stack.z == places_[first].stack.z) ++end;
      for (std::int32_t z = 0; z < shape_.depth(); ++z) {
        for (std::size_t p = first; p < end; ++p) row(p, z);
      }
      first = end;
    }
    sheet_.passes_x.push_back(0);
    if (shape_.depth() > 1) join_rows();
    return std::move(sheet_);
  }

 private:
  void row(std::size_t p, std::int32_t z) {
    for (std::int32_t x = 0; x < shape_.width(); ++x) {
      for (Surface& surface : column_of(*places_[p].here, z << shape_.log_x | x)) {
        if (surface.slot == kNoColumn) chain(p, z, x, surface);
      }
    }
  }

  // From its left end, which is met first, to its right end.
  void chain(std::size_t p, std::int32_t z, std::int32_t x, Surface& first) {
    std::int32_t joined = 0;
    for (Surface* surface = &first; surface != nullptr; joined = -1) {
      take(*surface, static_cast<std::int32_t>(p), joined);
      if (++x == shape_.width()) {
        if (places_[p].right == nullptr) return;
        ++p;
        x = 0;
      }
      surface = partner(*surface, column_of(*places_[p].here, z << shape_.log_x | x));
    }
  }

  void take(Surface& surface, std::int32_t stack, std::int32_t joined) {
    surface.slot = sheet_.size();
    sheet_.surfaces.push_back(surface);
    sheet_.passes_x.push_back(joined);
    std::vector<WavePart>& parts = sheet_.parts;
    if (parts.empty() || parts.back().stack != stack) {
      parts.push_back({surface.slot, surface.slot, stack});
    }
    ++parts.back().end;
  }

  void join_rows() {
    sheet_.front.assign(sheet_.surfaces.size(), kNoColumn);
    sheet_.back.assign(sheet_.surfaces.size(), kNoColumn);
    for (const Place& place : places_) {
      for (std::int32_t column = 0; column < shape_.slab(); ++column) {
        const bool last = column >> shape_.log_x == shape_.depth() - 1;
        SurfacePatch* const patch = last ? place.back : place.here;
        if (patch == nullptr) continue;
        const std::int32_t behind = (column + shape_.width()) & (shape_.slab() - 1);
        for (const Surface& surface : column_of(*place.here, column)) {
          const Surface* const other = partner(surface, column_of(*patch, behind));
          if (other == nullptr) continue;
          sheet_.back[static_cast<std::size_t>(surface.slot)] = other->slot;
          sheet_.front[static_cast<std::size_t>(other->slot)] = surface.slot;
        }
      }
    }
    for (std::int32_t slot = 0; slot < sheet_.size(); ++slot) {
      const auto away = [&](std::int32_t other) { return other == kNoColumn ? 0 : other - slot; };
      const std::int32_t front = away(sheet_.front[static_cast<std::size_t>(slot)]);
      const std::int32_t back = away(sheet_.back[static_cast<std::size_t>(slot)]);
      std::vector<WaveStretch>& all = sheet_.stretches;
      const bool goes_on = !all.empty() && all.back().front == front && all.back().back == back;
      if (!goes_on) all.push_back({slot, 0, front, back});
      ++all.back().count;
    }
  }

  const ChunkShape& shape_;
  std::vector<Place> places_;
  WaveSheet sheet_;
};

}  // namespace

WaveSheet make_sheet(const ChunkShape& shape, SurfacePatches& patches) {
  return SheetMaker(shape, patches).make();
}

std::int32_t slot_of_run(const ChunkShape& shape, const SurfacePatches& patches, Vec3 at) {
  const ChunkCoord stack = shape.chunk_of({at.x, 0, at.z});
  const auto found = patches.find(stack);
  if (found == patches.end()) return kNoColumn;
  const auto column = static_cast<std::size_t>(shape.index_of({at.x, 0, at.z}));
  const SurfacePatch& patch = found->second;
  for (std::uint32_t i = patch.first[column]; i < patch.first[column + 1]; ++i) {
    const Surface& surface = patch.surfaces[i];
    if (surface.floor <= at.y && at.y < surface.ceiling) return surface.slot;
  }
  return kNoColumn;
}

}  // namespace sluice::sim
