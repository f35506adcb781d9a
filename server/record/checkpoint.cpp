#include "server/record/checkpoint.h"

#include "server/record/format.h"
#include "server/record/packing.h"

namespace sluice::record {

namespace {

constexpr int kListLevel = 9;

// The highest bit of a wake byte, which no pass uses.
constexpr std::uint8_t kHasMarks = 0x80;
static_assert(sim::kWakeAll < kHasMarks);

// Three coordinates, a wake byte and an id take at least this much.
constexpr std::size_t kSmallestListedBytes = 5;

}  // namespace

CheckpointImage CheckpointImage::of(const sim::World& world) {
  std::set<ChunkCoord> all;
  world.grid().for_each([&all](const sim::Chunk& chunk) { all.insert(chunk.coord); });
  sim::CoreCopier copier;
  CheckpointImage image = changes(world, all, copier);
  image.complete = true;
  image.make_core();
  return image;
}

void CheckpointImage::make_core() {
  if (core_copy == nullptr) return;
  core = core_copy->bytes();
  core_copy.reset();
}

CheckpointImage CheckpointImage::changes(const sim::World& world,
                                         const std::set<ChunkCoord>& changed,
                                         sim::CoreCopier& copier) {
  CheckpointImage image;
  image.tick = world.tick_number();
  image.digest = world.digest();
  image.core_copy = copier.copy(world.core(), world.pipes());
  image.complete = false;
  image.chunks.reserve(static_cast<std::size_t>(world.grid().chunk_count()));
  world.grid().for_each([&](const sim::Chunk& chunk) {
    image.chunks.push_back({chunk.coord, chunk.wake, {}, {}});
    if (!changed.contains(chunk.coord)) return;
    image.chunks.back().bytes = sim::World::chunk_bytes(chunk);
    image.chunks.back().marks = sim::World::mark_bytes(chunk);
  });
  return image;
}

Result<std::unique_ptr<sim::World>> CheckpointImage::restore() const {
  std::vector<sim::World::ChunkImage> images;
  images.reserve(chunks.size());
  for (const Chunk& chunk : chunks)
    images.push_back({chunk.coord, chunk.wake, chunk.bytes, chunk.marks});
  return sim::World::restore(core_copy == nullptr ? core : core_copy->bytes(), images);
}

void encode_chunk_list(std::span<const ListedChunk> chunks, Bytes& out) {
  Bytes list;
  append_varint(chunks.size(), list);
  ChunkCoord before;
  for (const ListedChunk& chunk : chunks) {
    append_varint(zigzag(std::int64_t{chunk.coord.x} - before.x), list);
    append_varint(zigzag(std::int64_t{chunk.coord.y} - before.y), list);
    append_varint(zigzag(std::int64_t{chunk.coord.z} - before.z), list);
    before = chunk.coord;
  }
  for (const ListedChunk& chunk : chunks) {
    const int marked = chunk.marks_row_id != 0 ? kHasMarks : 0;
    list.push_back(static_cast<std::byte>(chunk.wake | marked));
  }
  std::uint64_t id = 0;
  const auto put_id = [&](std::int64_t row_id) {
    const std::uint64_t expected = id + 1;
    id = static_cast<std::uint64_t>(row_id);
    append_varint(zigzag(static_cast<std::int64_t>(id - expected)), list);
  };
  for (const ListedChunk& chunk : chunks) put_id(chunk.row_id);
  for (const ListedChunk& chunk : chunks) {
    if (chunk.marks_row_id != 0) put_id(chunk.marks_row_id);
  }
  pack(list, kListLevel, out);
}

Result<std::vector<ListedChunk>> decode_chunk_list(std::span<const std::byte> blob,
                                                   std::size_t most_bytes) {
  const Result<Bytes> list = unpack(blob, most_bytes);
  if (!list) return Error{"its list of chunks " + list.error()};
  ByteReader reader(*list);
  const std::size_t count = reader.count();
  if (reader.failed() || count > reader.rest().size() / kSmallestListedBytes) {
    return Error{"its list of chunks states more than it has room for"};
  }
  std::vector<ListedChunk> chunks(count);
  // Sums wrap around in 32 bits: damage may name any place, and restoring the world checks it.
  const auto moved = [&reader](std::int32_t from) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(from) +
                                     static_cast<std::uint32_t>(unzigzag(reader.varint())));
  };
  ChunkCoord coord;
  for (ListedChunk& chunk : chunks) {
    coord.x = moved(coord.x);
    coord.y = moved(coord.y);
    coord.z = moved(coord.z);
    chunk.coord = coord;
  }
  const std::span<const std::byte> wakes = reader.rest();
  if (wakes.size() < count) return Error{"its list of chunks ends too early"};
  reader.set_rest(wakes.subspan(count));
  std::uint64_t id = 0;
  const auto next_id = [&] {
    id += 1 + static_cast<std::uint64_t>(unzigzag(reader.varint()));
    return static_cast<std::int64_t>(id);
  };
  for (ListedChunk& chunk : chunks) chunk.row_id = next_id();
  for (std::size_t i = 0; i < count; ++i) {
    const auto wake = std::to_integer<std::uint8_t>(wakes[i]);
    chunks[i].wake = wake & static_cast<std::uint8_t>(~kHasMarks);
    if ((wake & kHasMarks) == 0) continue;
    chunks[i].marks_row_id = next_id();
    if (chunks[i].marks_row_id == 0) return Error{"its list of chunks names no marks"};
  }
  if (reader.failed() || !reader.rest().empty()) {
    return Error{"its list of chunks has the wrong length"};
  }
  return chunks;
}

}  // namespace sluice::record
