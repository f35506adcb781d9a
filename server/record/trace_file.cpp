#include "server/record/trace_file.h"

#include <map>
#include <utility>

#include "server/record/packing.h"
#include "server/sim/fields.h"

namespace sluice::record {

namespace {

constexpr std::uint64_t kMagic = 0x52544c53;  // "SLTR"
constexpr std::uint64_t kVersion = 2;
constexpr std::size_t kMaxTraceBytes = std::size_t{1} << 31;
constexpr int kTraceLevel = 6;

using Contents = std::vector<std::shared_ptr<const StateImage::Cells>>;

void put_phase(const TracedPhase& phase, const std::map<const void*, std::size_t>& contents,
               Bytes& out) {
  put_string(phase.phase, out);
  put_u64(phase.digest, out);
  append_varint(phase.layers.size(), out);
  for (const sim::Digest layer : phase.layers) put_u64(layer, out);
  std::vector<std::byte> core = sim::canonical_bytes(phase.state.core);
  sim::StateWriter writer(core);
  sim::PipesImage::visit_state(phase.state.pipes, writer);
  append_varint(core.size(), out);
  out.insert(out.end(), core.begin(), core.end());
  for (const StateImage::Planes* planes : {&phase.state.chunks, &phase.state.marks}) {
    append_varint(planes->size(), out);
    for (const auto& [coord, cells] : *planes) {
      for (const std::int32_t c : {coord.x, coord.y, coord.z}) append_varint(zigzag(c), out);
      append_varint(contents.at(cells.get()), out);
    }
  }
}

Status read_planes(ByteReader& reader, const Contents& contents, StateImage::Planes& planes) {
  const std::size_t count = reader.count();
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    const auto axis = [&reader] { return static_cast<std::int32_t>(unzigzag(reader.varint())); };
    ChunkCoord coord;
    coord.x = axis();
    coord.y = axis();
    coord.z = axis();
    const std::uint64_t content = reader.varint();
    if (content >= contents.size()) return Error{"names a chunk that it lacks"};
    planes[coord] = contents[content];
  }
  return Done{};
}

Result<TracedPhase> read_phase(ByteReader& reader, const Contents& contents) {
  TracedPhase phase;
  phase.phase = reader.string();
  phase.digest = reader.u64();
  if (reader.varint() != phase.layers.size()) return Error{"has other layers than this program"};
  for (sim::Digest& layer : phase.layers) layer = reader.u64();
  const std::string core = reader.string();
  sim::StateReader fields(std::as_bytes(std::span(core)));
  sim::CoreState::visit_state(phase.state.core, fields);
  sim::PipesImage::visit_state(phase.state.pipes, fields);
  if (!fields.ok() || !fields.rest().empty()) {
    return Error{"holds a state that this program does not know"};
  }
  for (StateImage::Planes* planes : {&phase.state.chunks, &phase.state.marks}) {
    if (const Status read = read_planes(reader, contents, *planes); !read) {
      return Error{read.error()};
    }
  }
  return phase;
}

Contents read_contents(ByteReader& reader) {
  Contents contents;
  const std::size_t count = reader.count();
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    StateImage::Cells cells(kChunkCells);
    for (std::size_t c = 0; c < cells.size(); c += 2) {
      const std::uint64_t pair = reader.u64();
      cells[c] = static_cast<Cell>(static_cast<std::uint32_t>(pair));
      cells[c + 1] = static_cast<Cell>(static_cast<std::uint32_t>(pair >> 32));
    }
    contents.push_back(std::make_shared<const StateImage::Cells>(std::move(cells)));
  }
  return contents;
}

}  // namespace

Bytes encode_trace(const TraceFile& file) {
  Bytes body;
  append_varint(kVersion, body);
  put_string(file.world, body);
  put_string(file.made_by, body);
  append_varint(file.trace.tick, body);
  put_u64(file.trace.digest, body);
  std::map<const void*, std::size_t> index;  // looked up only: no order follows from addresses
  Bytes cells;
  for (const TracedPhase& phase : file.trace.phases) {
    for (const StateImage::Planes* planes : {&phase.state.chunks, &phase.state.marks}) {
      for (const auto& [coord, content] : *planes) {
        if (!index.try_emplace(content.get(), index.size()).second) continue;
        for (std::size_t c = 0; c < content->size(); c += 2) {
          put_u64(static_cast<std::uint32_t>((*content)[c]) |
                      std::uint64_t{static_cast<std::uint32_t>((*content)[c + 1])} << 32,
                  cells);
        }
      }
    }
  }
  append_varint(index.size(), body);
  body.insert(body.end(), cells.begin(), cells.end());
  append_varint(file.trace.phases.size(), body);
  for (const TracedPhase& phase : file.trace.phases) put_phase(phase, index, body);
  Bytes packed;
  pack(body, kTraceLevel, packed);
  Bytes out;
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<std::byte>(kMagic >> shift));
  put_u64(static_cast<std::uint64_t>(row_checksum(kVersion, packed, {})), out);
  out.insert(out.end(), packed.begin(), packed.end());
  return out;
}

Result<TraceFile> decode_trace(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeadBytes = 12;
  std::uint64_t magic = 0;
  for (std::size_t i = 0; i < 4 && i < bytes.size(); ++i) {
    magic |= std::to_integer<std::uint64_t>(bytes[i]) << 8 * i;
  }
  if (bytes.size() < kHeadBytes || magic != kMagic) return Error{"is not a trace"};
  ByteReader head(bytes.subspan(4));
  const std::uint64_t checksum = head.u64();
  const std::span<const std::byte> packed = bytes.subspan(kHeadBytes);
  if (static_cast<std::uint64_t>(row_checksum(kVersion, packed, {})) != checksum) {
    return Error{"is damaged: its checksum does not fit"};
  }
  const Result<Bytes> body = unpack(packed, kMaxTraceBytes);
  if (!body) return Error{"is damaged: it " + body.error()};
  ByteReader reader(*body);
  if (const std::uint64_t version = reader.varint(); version != kVersion) {
    return Error{"is a trace of version " + std::to_string(version) +
                 "; this program reads version " + std::to_string(kVersion)};
  }
  TraceFile file;
  file.world = reader.string();
  file.made_by = reader.string();
  file.trace.tick = reader.varint();
  file.trace.digest = reader.u64();
  const Contents contents = read_contents(reader);
  const std::size_t phases = reader.count();
  for (std::size_t i = 0; i < phases && !reader.failed(); ++i) {
    Result<TracedPhase> phase = read_phase(reader, contents);
    if (!phase) return Error{phase.error()};
    file.trace.phases.push_back(std::move(phase).value());
  }
  if (reader.failed() || !reader.rest().empty()) return Error{"ends in the wrong place"};
  return file;
}

}  // namespace sluice::record
