// The messages as bytes; messages_decode.cpp is the way back.
#include "protocol/messages.h"

#include <algorithm>
#include <type_traits>

#include "client_message_generated.h"
#include "server_message_generated.h"
#include <flatbuffers/flatbuffers.h>

#include "protocol/message_text.h"

namespace sluice::protocol {

namespace {

using flatbuffers::FlatBufferBuilder;

flatbuffers::Offset<flatbuffers::String> text_of(FlatBufferBuilder& builder, std::string_view text,
                                                 std::size_t limit) {
  const std::string_view kept = cut_text(text, limit);
  return builder.CreateString(kept.data(), kept.size());
}

// Places of cells and of chunks.
template <class Place>
wire::Vec3 vec3_of(const Place& p) {
  return {p.x, p.y, p.z};
}
template <class Place>
wire::ClientVec3 client_vec3_of(const Place& p) {
  return {p.x, p.y, p.z};
}

wire::PipeKey key_of(const PipeKey& key) {
  return {key.coord.x, key.coord.y, key.coord.z, key.part};
}
// Sides of chunks on the wire.
std::uint8_t byte_of(std::int32_t log) {
  return static_cast<std::uint8_t>(log);
}

Bytes finished(const FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// Encoding: one function a message, chosen by overload.

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Hello& m) {
  const auto name = text_of(b, m.client_name, kMaxClientNameBytes);
  if (!m.resume) return wire::CreateHello(b, m.protocol_version, name).Union();
  const auto token = b.CreateVector(m.resume->token.data(), m.resume->token.size());
  return wire::CreateHello(b, m.protocol_version, name, token, m.resume->last_seq,
                           m.resume->since_tick)
      .Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const SetView& m) {
  const wire::ClientVec3 from = client_vec3_of(m.box.from);
  const wire::ClientVec3 size = client_vec3_of(m.box.size);
  return wire::CreateSetView(b, &from, &size, m.level_of_detail, m.layers, m.coarse_layers).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Command& m) {
  return wire::CreateCommand(b, m.seq, text_of(b, m.json, kMaxCommandBytes + 1)).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const AskResults& m) {
  return wire::CreateAskResults(b, b.CreateVector(m.seqs)).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Ping& m) {
  return wire::CreatePing(b, m.nonce).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Resync& m) {
  const wire::ClientVec3 coord = client_vec3_of(m.coord);
  return wire::CreateResync(b, &coord, m.layer).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const ResyncPipes& m) {
  const wire::ClientVec3 coord = client_vec3_of(m.key.coord);
  return wire::CreateResyncPipes(b, &coord, m.key.part).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Pointer& m) {
  const wire::ClientVec3 at = client_vec3_of(m.at);
  const auto name = text_of(b, m.name, kMaxClientNameBytes);
  if (!m.sees) return wire::CreatePointer(b, &at, m.pointing, name).Union();
  const wire::ClientVec3 from = client_vec3_of(m.sees->from);
  const wire::ClientVec3 to = client_vec3_of(m.sees->to);
  return wire::CreatePointer(b, &at, m.pointing, name, &from, &to).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Welcome& m) {
  const wire::Vec3 size = vec3_of(m.size);
  const auto version = text_of(b, m.server_version, kMaxNameBytes);
  const auto world = text_of(b, m.world, kMaxNameBytes);
  const auto water = text_of(b, m.water, kMaxNameBytes);
  const auto account = text_of(b, m.account, kMaxNameBytes);
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>> layers;
  if (!m.layers.empty()) layers = b.CreateVectorOfStrings(m.layers);
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>> kinds;
  if (!m.tracer_kinds.empty()) kinds = b.CreateVectorOfStrings(m.tracer_kinds);
  return wire::CreateWelcome(b, m.protocol_version, version, world, &size, byte_of(m.sides.log_x),
                             byte_of(m.sides.log_y), byte_of(m.sides.log_z), m.tick, m.tick_rate,
                             water, account, m.watch_only, m.results_kept, m.knows_client, m.person,
                             layers, static_cast<std::uint8_t>(m.levels_of_detail), kinds,
                             m.coarse_layers)
      .Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Refused& m) {
  return wire::CreateRefused(b, static_cast<std::uint16_t>(m.code),
                             text_of(b, m.reason, kMaxReasonBytes))
      .Union();
}

/// The payloads of chunks or of sections, end to end.
template <class Update>
flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> payloads_of(
    FlatBufferBuilder& b, const std::vector<Update>& updates) {
  std::size_t bytes = 0;
  for (const Update& update : updates) bytes += update.payload.size();
  std::uint8_t* next = nullptr;
  const auto payloads = b.CreateUninitializedVector(bytes, &next);
  for (const Update& update : updates) {
    next = std::copy(update.payload.begin(), update.payload.end(), next);
  }
  return payloads;
}

/// What a tick says of pipes; most worlds have none, and then it takes no bytes.
struct PipeLists {
  flatbuffers::Offset<flatbuffers::Vector<const wire::PipeSpan*>> spans;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> payloads;
  flatbuffers::Offset<flatbuffers::Vector<const wire::PipeKey*>> dropped;
  flatbuffers::Offset<flatbuffers::Vector<const wire::PipeDigest*>> digests;

  PipeLists(FlatBufferBuilder& b, const Tick& m) {
    if (!m.pipes.empty()) {
      std::vector<wire::PipeSpan> list;
      for (const PipeUpdate& pipes : m.pipes) {
        list.emplace_back(key_of(pipes.key), static_cast<std::uint32_t>(pipes.payload.size()));
      }
      payloads = payloads_of(b, m.pipes);
      spans = b.CreateVectorOfStructs(list);
    }
    if (!m.pipes_dropped.empty()) {
      std::vector<wire::PipeKey> list;
      for (const PipeKey& key : m.pipes_dropped) list.push_back(key_of(key));
      dropped = b.CreateVectorOfStructs(list);
    }
    if (!m.pipe_digests.empty()) {
      std::vector<wire::PipeDigest> list;
      for (const PipeDigest& d : m.pipe_digests) list.emplace_back(key_of(d.key), d.digest);
      digests = b.CreateVectorOfStructs(list);
    }
  }
};

flatbuffers::Offset<wire::Playback> playback_of(FlatBufferBuilder& b,
                                                const std::optional<Playback>& playback) {
  if (!playback) return {};
  const auto trouble = text_of(b, playback->trouble, kMaxReasonBytes);
  return wire::CreatePlayback(b, playback->first_tick, playback->last_tick, playback->playing,
                              playback->speed, playback->differing_cells, trouble);
}

/// What a tick says of the chunks of its cells, or of one of its layers.
struct ChunkLists {
  flatbuffers::Offset<flatbuffers::Vector<const wire::ChunkSpan*>> spans;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> payloads;
  flatbuffers::Offset<flatbuffers::Vector<const wire::Vec3*>> dropped;
  flatbuffers::Offset<flatbuffers::Vector<const wire::ChunkDigest*>> digests;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> lesson;

  template <class Lists>  // Tick or LayerChanges
  ChunkLists(FlatBufferBuilder& b, const Lists& m) {
    std::vector<wire::ChunkSpan> chunk_list;
    std::vector<wire::Vec3> dropped_list;
    std::vector<wire::ChunkDigest> digest_list;
    for (const ChunkUpdate& chunk : m.chunks) {
      chunk_list.emplace_back(chunk.coord.x, chunk.coord.y, chunk.coord.z,
                              static_cast<std::uint32_t>(chunk.payload.size()));
    }
    for (const ChunkCoord& coord : m.dropped) dropped_list.push_back(vec3_of(coord));
    for (const ChunkDigest& d : m.digests) {
      digest_list.emplace_back(d.coord.x, d.coord.y, d.coord.z, d.digest);
    }
    payloads = payloads_of(b, m.chunks);
    spans = b.CreateVectorOfStructs(chunk_list);
    dropped = b.CreateVectorOfStructs(dropped_list);
    digests = b.CreateVectorOfStructs(digest_list);
    if (!m.lesson.empty()) lesson = b.CreateVector(m.lesson.data(), m.lesson.size());
  }
};

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<wire::LayerChanges>>> layers_of(
    FlatBufferBuilder& b, const std::vector<LayerChanges>& layers) {
  if (layers.empty()) return {};
  std::vector<flatbuffers::Offset<wire::LayerChanges>> list;
  for (const LayerChanges& layer : layers) {
    const ChunkLists chunks(b, layer);
    list.push_back(wire::CreateLayerChanges(b, layer.layer, chunks.spans, chunks.payloads,
                                            chunks.dropped, chunks.digests, chunks.lesson));
  }
  return b.CreateVector(list);
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Tick& m) {
  const PipeLists pipes(b, m);
  const auto playback = playback_of(b, m.playback);
  const auto layers = layers_of(b, m.layers);
  const ChunkLists chunks(b, m);
  const Counters& c = m.counters;
  return wire::CreateTick(b, m.tick, c.water, c.pipes, c.sourced, c.drained, c.evaporated,
                          c.active_chunks, chunks.spans, chunks.payloads, chunks.dropped,
                          chunks.digests, pipes.spans, pipes.payloads, pipes.dropped, pipes.digests,
                          playback, layers, chunks.lesson)
      .Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const CommandResult& m) {
  return wire::CreateCommandResult(b, m.seq, m.applied, m.tick,
                                   text_of(b, m.reason, kMaxReasonBytes),
                                   static_cast<std::uint8_t>(m.kind))
      .Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Pong& m) {
  return wire::CreatePong(b, m.nonce).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const People& m) {
  std::vector<flatbuffers::Offset<wire::Person>> list;
  for (const Person& person : m.people) {
    if (list.size() == kMaxPeople) break;
    const wire::Vec3 at = vec3_of(person.at);
    const auto name = text_of(b, person.name, kMaxClientNameBytes);
    const Sight sight = person.sees.value_or(Sight{});
    const wire::Vec3 from = vec3_of(sight.from);
    const wire::Vec3 to = vec3_of(sight.to);
    list.push_back(wire::CreatePerson(b, person.number, name, person.known, &at, person.pointing,
                                      person.sees ? &from : nullptr, person.sees ? &to : nullptr));
  }
  return wire::CreatePeople(b, b.CreateVector(list)).Union();
}

template <class Names, class Message>
std::string_view name_at(const Names& names, const Message& message) {
  return names[message.index()];
}

}  // namespace

Bytes encode(const ClientMessage& message) {
  FlatBufferBuilder builder(256);
  const auto body = std::visit([&](const auto& m) { return build(builder, m); }, message);
  // The union's values follow the variant's order, 0 being "none".
  const auto type = static_cast<wire::ClientBody>(message.index() + 1);
  wire::FinishClientMessageBuffer(builder, wire::CreateClientMessage(builder, type, body));
  return finished(builder);
}

Bytes encode(const ServerMessage& message) {
  FlatBufferBuilder builder(1024);
  const auto body = std::visit([&](const auto& m) { return build(builder, m); }, message);
  const auto type = static_cast<wire::ServerBody>(message.index() + 1);
  wire::FinishServerMessageBuffer(builder, wire::CreateServerMessage(builder, type, body));
  return finished(builder);
}

std::string_view name_of(const ClientMessage& message) {
  static constexpr std::string_view kNames[] = {"hello",  "set_view",     "command",     "ping",
                                                "resync", "resync_pipes", "ask_results", "pointer"};
  return name_at(kNames, message);
}

std::string_view name_of(const ServerMessage& message) {
  static constexpr std::string_view kNames[] = {"welcome",        "refused", "tick",
                                                "command_result", "pong",    "people"};
  return name_at(kNames, message);
}

}  // namespace sluice::protocol
