// Snapshots: a world as bytes and back. The core is
//
//   u32 magic "SLWC"   u16 version   u16 model version
//   from version 3 on, u16 version of the pipes' rules
//   the fields of CoreState (before version 3 no limits, before version 4 no heads of sources,
//   before version 5 no waves, before version 6 no heat and no limit of pipes, before version 7 no
//   tracers). Builds from before there was steam, or ice that floats, refuse a core that has some.
//   from version 2 on, the fields of PipesImage; in version 2 alone, u8 whether they all slept
//   u64 digest of everything before it
//
// and each stored chunk is its kChunkCells cells, 32 bits each, little-endian; where a water model
// keeps marks, those likewise.
#include "server/sim/snapshot.h"

#include <array>
#include <atomic>
#include <bit>
#include <string>

#include "server/sim/core_copy.h"
#include "server/sim/fields.h"
#include "server/sim/heat/field.h"
#include "server/sim/models/registry.h"
#include "server/sim/pipes/image.h"
#include "server/sim/steam/field.h"
#include "server/sim/tracers/field.h"
#include "server/sim/waves/field.h"
#include "server/sim/world.h"

namespace sluice::sim {

namespace {

constexpr std::uint32_t kMagic = 0x43574c53;  // "SLWC"
constexpr std::uint16_t kVersion = 7;
constexpr std::uint16_t kVersionWithLimits = 3;
constexpr std::uint16_t kVersionWithHeads = 4;  // of sources
constexpr std::uint16_t kVersionWithWaves = 5;
constexpr std::uint16_t kVersionWithHeat = 6;
constexpr std::uint16_t kVersionWithTracers = 7;
constexpr std::uint16_t kPipesVersionWithTurns = 3;  // of ports
constexpr std::uint16_t kVersionWithoutPipes = 1;
constexpr std::uint16_t kVersionWithSleep = 2;  // and the first version of the pipes' rules

struct CoreHeader {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t model_version = 0;
  std::uint16_t pipes_version = 1;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("magic", self.magic);
    v.field("version", self.version);
    v.field("model_version", self.model_version);
    if (self.version > kVersionWithSleep) v.field("pipes_version", self.pipes_version);
  }
};

/// Reads what there was before worlds had limits.
struct BeforeLimits {
  StateReader& reader;
  template <class T>
  void field(const char* name, T& value) {
    if constexpr (!std::is_same_v<T, WorldLimits>) reader.field(name, value);
  }
};

Status check_header(const CoreHeader& header) {
  if (header.magic != kMagic) return Error{"snapshot: these bytes are not a world's core"};
  if (header.version < kVersionWithoutPipes || header.version > kVersion) {
    return Error{"snapshot: version " + std::to_string(header.version) +
                 ", but this build reads versions " + std::to_string(kVersionWithoutPipes) +
                 " to " + std::to_string(kVersion)};
  }
  return Done{};
}

Status check_springs(const Springs& springs, const char* kind, const Box& world) {
  for (const auto& [at, spring] : springs) {
    if (!world.contains(at) || spring.rate < 1 || spring.rate > kMaxPourUnits) {
      return Error{"snapshot: the " + std::string(kind) + " at " + to_string(at) + " with rate " +
                   std::to_string(spring.rate) + " cannot be"};
    }
  }
  return Done{};
}

Status check_core(const CoreState& state, const PipesImage& pipes, const CoreHeader& header) {
  if (Status s = validate(state.config); !s) return Error{"snapshot: " + s.error()};
  if (Status s = validate(state.limits); !s) return Error{"snapshot: " + s.error()};
  const WaterModelRow* model = find_water_model(state.config.water);
  if (model->version != header.model_version) {
    return Error{std::string(kMadeByOtherRules) + std::to_string(header.model_version) +
                 " of water model '" + model->name + "', but this build has version " +
                 std::to_string(model->version)};
  }
  // As with a water model: other rules would go on differently, and that is worse than not at all.
  if (!pipes.nodes.empty() && header.pipes_version != kPipesVersion) {
    return Error{std::string(kMadeByOtherRules) + std::to_string(header.pipes_version) +
                 " of the rules of pipes, but this build has version " +
                 std::to_string(kPipesVersion)};
  }
  for (const auto& [at, head] : state.source_heads) {
    if (state.sources.contains(at) && head >= 0) continue;
    return Error{"snapshot: the head of a source at " + to_string(at) + " cannot be"};
  }
  const Box world = state.config.box();
  if (Status s = state.water.check(state.config); !s) return s;
  if (Status s = validate(state.waves, state.config); !s) return s;
  if (Status s = validate(state.heat, state.config); !s) return s;
  if (Status s = validate(state.tracers, state.config); !s) return s;
  if (Status s = validate(state.heat.steam, state.config, state.totals.evaporated); !s) return s;
  if (Status s = check_springs(state.sources, "source", world); !s) return s;
  return check_springs(state.drains, "drain", world);
}

std::vector<std::byte> core_bytes(const CoreState& core, const PipesImage& pipes) {
  std::vector<std::byte> bytes;
  StateWriter writer(bytes);
  CoreHeader header;
  header.model_version = find_water_model(core.config.water)->version;
  header.pipes_version = kPipesVersion;
  CoreHeader::visit_state(header, writer);
  CoreState::visit_state(core, writer);
  PipesImage::visit_state(pipes, writer);
  writer.field("digest", digest_bytes(bytes));
  return bytes;
}

}  // namespace

void CoreCopier::prepare(const PipeNetwork& pipes) {
  built_ = std::make_shared<PipeGraph>(pipes.graph());
  spare_ = std::make_shared<PipeGraph>(pipes.graph());
  version_ = pipes.version();
}

std::shared_ptr<const CoreCopy> CoreCopier::copy(const CoreState& core, const PipeNetwork& pipes) {
  if (built_ == nullptr || version_ != pipes.version()) {
    std::swap(built_, spare_);
    if (built_ != nullptr && built_.use_count() == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);  // who let it go has done with it
      *built_ = pipes.graph();
    } else {
      built_ = std::make_shared<PipeGraph>(pipes.graph());
    }
    version_ = pipes.version();
  }
  auto copy = std::make_shared<CoreCopy>();
  copy->core_ = core;
  copy->built_ = built_;
  copy->contents_ = PipesContents::of(pipes.graph());
  return copy;
}

std::vector<std::byte> CoreCopy::bytes() const {
  return core_bytes(core_, image_of(*built_, contents_));
}

std::vector<std::byte> World::snapshot_core() const {
  return core_bytes(core_, pipes_.image());
}

namespace {

std::vector<std::byte> bytes_of(const Cell* cells) {
  if constexpr (std::endian::native == std::endian::little) {
    const auto* const begin = reinterpret_cast<const std::byte*>(cells);
    return {begin, begin + kChunkCells * sizeof(Cell)};
  }
  std::vector<std::byte> bytes;
  bytes.reserve(kChunkCells * sizeof(Cell));
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const auto value = static_cast<std::uint32_t>(cells[i]);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::byte>(value >> shift & 0xff));
    }
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> World::chunk_bytes(const Chunk& chunk) {
  return bytes_of(chunk.cells.data());
}

std::vector<std::byte> World::mark_bytes(const Chunk& chunk) {
  // Stored or not, marks that say nothing are no part of the state.
  if (digest_marks(chunk.marks.get()) == 0) return {};
  return bytes_of(chunk.marks->cells.data());
}

Result<std::unique_ptr<World>> World::restore(std::span<const std::byte> core,
                                              std::span<const ChunkImage> chunks) {
  constexpr std::size_t kDigestBytes = sizeof(Digest);
  StateReader reader(core.first(core.size() < kDigestBytes ? 0 : core.size() - kDigestBytes));
  CoreHeader header;
  CoreHeader::visit_state(header, reader);
  if (!reader.ok()) return Error{"snapshot: cut short in its header"};
  if (Status s = check_header(header); !s) return Error{s.error()};
  StateReader tail(core.last(kDigestBytes));
  Digest expected = 0;
  tail.field("digest", expected);
  if (digest_bytes(core.first(core.size() - kDigestBytes)) != expected) {
    return Error{"snapshot: the core's bytes were changed: its digest does not match"};
  }

  if (header.version < kVersionWithHeads) reader.without("source_heads");
  if (header.version < kVersionWithWaves) reader.without("waves");
  if (header.version < kVersionWithHeat) {
    reader.without("heat");
    reader.without("most_pipes");
  }
  if (header.version < kVersionWithTracers) reader.without("tracers");
  if (header.pipes_version < kPipesVersionWithTurns) reader.without("waited");
  CoreState state;
  if (header.version >= kVersionWithLimits) {
    CoreState::visit_state(state, reader);
  } else {
    BeforeLimits before{reader};
    CoreState::visit_state(state, before);
  }
  PipesImage pipes;
  if (header.version != kVersionWithoutPipes) PipesImage::visit_state(pipes, reader);
  if (header.version == kVersionWithSleep) {
    bool asleep = false;
    reader.field("asleep", asleep);
  }
  if (!reader.ok() || !reader.rest().empty()) {
    return Error{std::string("snapshot: the core ends in the wrong place, at field '") +
                 reader.failed_field() + "'"};
  }
  if (Status s = check_core(state, pipes, header); !s) return Error{s.error()};
  // Those that are awake and hold nothing come on top of the limit; each lies beside one that does.
  constexpr std::int64_t kNeighbours = 6;
  if (chunks.size() > static_cast<std::size_t>((kNeighbours + 1) * kMaxChunks)) {
    return Error{"snapshot: more chunks than a world can hold"};
  }
  std::unique_ptr<World> world(
      new World(state.config, state.limits, state.waves, state.heat, state.tracers));
  world->core_ = std::move(state);
  world->springs_known_ = false;
  if (Status s = world->pipes_.load(pipes); !s) return Error{"snapshot: " + s.error()};
  if (world->pipes_.units() != world->core_.totals.pipes) {
    return Error{"snapshot: its pipes hold " + std::to_string(world->pipes_.units()) +
                 " units, but its totals say " + std::to_string(world->core_.totals.pipes)};
  }
  if (Status s = world->load_chunks(chunks); !s) return Error{s.error()};
  world->water_->attach(world->grid_, world->core_.water);
  if (world->waves_) world->waves_->attach(world->core_.waves, world->grid_);
  if (world->carried_) world->carried_->begin(world->grid_);
  if (world->heat_) {
    if (Status s = world->heat_->attach(world->core_.heat, world->grid_); !s)
      return Error{s.error()};
  }
  if (world->tracers_) {
    if (Status s = world->tracers_->attach(world->core_.tracers, world->grid_); !s)
      return Error{s.error()};
  }
  if (world->steam_) world->steam_->attach(world->core_.heat);
  return world;
}

namespace {

Status read_cells(std::span<const std::byte> bytes, const std::string& name,
                  std::span<Cell, kChunkCells> cells) {
  StateReader reader(bytes);
  reader.cells("cells", cells);
  if (reader.ok() && reader.rest().empty()) return Done{};
  return Error{name + " has " + std::to_string(bytes.size()) + " bytes instead of " +
               std::to_string(cells.size_bytes())};
}

}  // namespace

Status World::load_marks(Chunk& chunk, std::span<const std::byte> bytes,
                         const std::string& name) const {
  if (bytes.empty()) return Done{};
  chunk.marks = std::make_unique<Marks>();
  const auto marks = std::span(chunk.marks->cells).first<kChunkCells>();
  if (Status s = read_cells(bytes, name + ", its marks", marks); !s) return s;
  std::uint32_t allowed = 0;
  for (const MarkField& field : find_water_model(core_.config.water)->marks) {
    allowed |= field.mask();
  }
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const Cell mark = marks[i];
    if ((static_cast<std::uint32_t>(mark) & ~allowed) != 0) {
      return Error{name + ", cell " +
                   to_string(grid_.shape().cell_at(chunk.coord, static_cast<int>(i))) + ": " +
                   std::to_string(mark) + " is not a mark of this world's water"};
    }
  }
  return Done{};
}

Status World::load_chunks(std::span<const ChunkImage> images) {
  std::int64_t water = 0;
  for (const ChunkImage& image : images) {
    const ChunkCoord c = image.coord;
    const std::string name = "snapshot: chunk (" + std::to_string(c.x) + ", " +
                             std::to_string(c.y) + ", " + std::to_string(c.z) + ")";
    if (!grid_.reaches(c)) return Error{name + " lies outside the world"};
    if (grid_.find(c) != nullptr) return Error{name + " comes twice"};
    std::array<Cell, kChunkCells> read{};
    if (Status s = read_cells(image.bytes, name, read); !s) return s;
    Chunk& chunk = grid_.obtain(c);
    Cell* const cells = chunk.cells.edit();
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const Cell value = read[i];
      const bool outside = cells[i] == kOutside;
      const std::int32_t units = held_in(value);
      const bool frozen = is_ice(value) && core_.heat.on && units <= kMostIce;
      if ((value < kTrappedAir && !frozen) || value > measure_.cell_max ||
          (units != 0 && units % measure_.quantum != 0) || outside != (value == kOutside)) {
        return Error{name + ", cell " + to_string(grid_.shape().cell_at(c, static_cast<int>(i))) +
                     ": " + std::to_string(value) + " is not a cell's value"};
      }
      cells[i] = value;
      water += units;
      if (value == kTrappedAir) trapped_air_.note(c);
    }
    chunk.cells.share_if_uniform();
    if (Status s = load_marks(chunk, image.marks, name); !s) return s;
    grid_.note_change(chunk, kChangedAll);
  }
  if (water != core_.totals.water || !core_.totals.balanced()) {
    return Error{"snapshot: its chunks hold " + std::to_string(water) +
                 " units of water, but its totals say " + std::to_string(core_.totals.water)};
  }
  SerialExecutor serial;
  (void)update_digest(serial);
  if (grid_.holding_count() > core_.limits.chunks) {
    return Error{"snapshot: " + std::to_string(grid_.holding_count()) +
                 " of its chunks hold something, but its world holds at most " +
                 std::to_string(core_.limits.chunks)};
  }
  changed_.clear();
  grid_.for_each([](Chunk& chunk) {
    chunk.wake = 0;
    chunk.regions = {};
  });
  for (const ChunkImage& image : images) grid_.wake(*grid_.find(image.coord), image.wake);
  return Done{};
}

}  // namespace sluice::sim
