#include "protocol/messages.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "client_message_generated.h"
#include "server_message_generated.h"
#include <flatbuffers/flatbuffers.h>

namespace sluice::protocol {

namespace {

using flatbuffers::FlatBufferBuilder;

// FlatBuffers reads through typed pointers; every allocation is aligned enough, and a caller that
// passes the middle of one has a program error.
void require_alignment(ByteView bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) std::abort();
}

// At the end of a character: a byte that goes on one is 10xxxxxx.
std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

flatbuffers::Offset<flatbuffers::String> text_of(FlatBufferBuilder& builder, std::string_view text,
                                                 std::size_t limit) {
  const std::string_view kept = cut(text, limit);
  return builder.CreateString(kept.data(), kept.size());
}

std::string string_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
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
PipeKey key_of(const wire::PipeKey& key) {
  return {{key.x(), key.y(), key.z()}, key.part()};
}

template <class V>
Vec3 position_of(const V* v) {
  return v == nullptr ? Vec3{} : Vec3{v->x(), v->y(), v->z()};
}
template <class V>
ChunkCoord coord_of(const V* v) {
  return v == nullptr ? ChunkCoord{} : ChunkCoord{v->x(), v->y(), v->z()};
}
// Sides of chunks on the wire.
std::uint8_t byte_of(std::int32_t log) {
  return static_cast<std::uint8_t>(log);
}

Bytes finished(const FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

Error too_long(std::string_view what, std::size_t bytes, std::size_t limit) {
  return Error{std::string(what) + " has " + std::to_string(bytes) + " bytes, at most " +
               std::to_string(limit) + " are allowed"};
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
  return wire::CreateSetView(b, &from, &size, m.level_of_detail).Union();
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
  return wire::CreateResync(b, &coord).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const ResyncPipes& m) {
  const wire::ClientVec3 coord = client_vec3_of(m.key.coord);
  return wire::CreateResyncPipes(b, &coord, m.key.part).Union();
}

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Welcome& m) {
  const wire::Vec3 size = vec3_of(m.size);
  const auto version = text_of(b, m.server_version, kMaxNameBytes);
  const auto world = text_of(b, m.world, kMaxNameBytes);
  const auto water = text_of(b, m.water, kMaxNameBytes);
  const auto account = text_of(b, m.account, kMaxNameBytes);
  return wire::CreateWelcome(b, m.protocol_version, version, world, &size, byte_of(m.sides.log_x),
                             byte_of(m.sides.log_y), byte_of(m.sides.log_z), m.tick, m.tick_rate,
                             water, account, m.watch_only, m.results_kept, m.knows_client)
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

flatbuffers::Offset<void> build(FlatBufferBuilder& b, const Tick& m) {
  std::vector<wire::ChunkSpan> chunks;
  std::vector<wire::Vec3> dropped;
  std::vector<wire::ChunkDigest> digests;
  for (const ChunkUpdate& chunk : m.chunks) {
    chunks.emplace_back(chunk.coord.x, chunk.coord.y, chunk.coord.z,
                        static_cast<std::uint32_t>(chunk.payload.size()));
  }
  for (const ChunkCoord& coord : m.dropped) dropped.push_back(vec3_of(coord));
  for (const ChunkDigest& d : m.digests) {
    digests.emplace_back(d.coord.x, d.coord.y, d.coord.z, d.digest);
  }
  const auto payloads = payloads_of(b, m.chunks);
  const PipeLists pipes(b, m);
  const auto playback = playback_of(b, m.playback);
  const auto chunk_list = b.CreateVectorOfStructs(chunks);
  const auto dropped_list = b.CreateVectorOfStructs(dropped);
  const auto digest_list = b.CreateVectorOfStructs(digests);
  const Counters& c = m.counters;
  return wire::CreateTick(b, m.tick, c.water, c.pipes, c.sourced, c.drained, c.evaporated,
                          c.active_chunks, chunk_list, payloads, dropped_list, digest_list,
                          pipes.spans, pipes.payloads, pipes.dropped, pipes.digests, playback)
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

// Decoding: one function a message, from the verified table to plain data or an error.

Result<ClientMessage> plain(const wire::Hello& m) {
  // Checked before the name, so that a client of another version learns that and nothing else.
  Hello hello{m.protocol_version(), string_of(m.client_name()), {}};
  if (hello.protocol_version != kProtocolVersion) return ClientMessage{std::move(hello)};
  if (hello.client_name.size() > kMaxClientNameBytes) {
    return too_long("hello.client_name", hello.client_name.size(), kMaxClientNameBytes);
  }
  for (const char c : hello.client_name) {
    if (c < ' ' || c > '~') return Error{"hello.client_name must be printable ASCII"};
  }
  if (const auto* token = m.resume_token(); token != nullptr && token->size() > 0) {
    if (token->size() != kResumeTokenBytes) {
      return Error{"hello.resume_token has " + std::to_string(token->size()) +
                   " bytes, allowed: " + std::to_string(kResumeTokenBytes)};
    }
    hello.resume = Resume{{}, m.last_seq(), m.since_tick()};
    std::copy(token->begin(), token->end(), hello.resume->token.begin());
  }
  return ClientMessage{std::move(hello)};
}

Result<ClientMessage> plain(const wire::SetView& m) {
  const SetView view{{position_of(m.from()), position_of(m.size())}, m.level_of_detail()};
  const Vec3 size = view.box.size;
  if (size.x < 0 || size.y < 0 || size.z < 0) return Error{"set_view.size must not be negative"};
  if (view.level_of_detail != 0) {
    return Error{"set_view.level_of_detail is " + std::to_string(view.level_of_detail) +
                 ", allowed: 0"};
  }
  return ClientMessage{view};
}

Result<ClientMessage> plain(const wire::Command& m) {
  Command command{m.seq(), string_of(m.json())};
  if (command.json.size() > kMaxCommandBytes) {
    return too_long("command.json", command.json.size(), kMaxCommandBytes);
  }
  return ClientMessage{std::move(command)};
}

Result<ClientMessage> plain(const wire::AskResults& m) {
  AskResults ask;
  if (m.seqs() == nullptr) return ClientMessage{std::move(ask)};
  if (m.seqs()->size() > kResultsKept) {
    return Error{"ask_results names " + std::to_string(m.seqs()->size()) + " commands, at most " +
                 std::to_string(kResultsKept) + " are allowed"};
  }
  // The library's verifier looks at the alignment of a list's length, not of its elements.
  if (reinterpret_cast<std::uintptr_t>(m.seqs()->Data()) % alignof(std::uint64_t) != 0) {
    return Error{"ask_results: its numbers are not aligned"};
  }
  ask.seqs.assign(m.seqs()->begin(), m.seqs()->end());
  return ClientMessage{std::move(ask)};
}

Result<ClientMessage> plain(const wire::Ping& m) {
  return ClientMessage{Ping{m.nonce()}};
}

Result<ClientMessage> plain(const wire::Resync& m) {
  return ClientMessage{Resync{coord_of(m.coord())}};
}

Result<ClientMessage> plain(const wire::ResyncPipes& m) {
  return ClientMessage{ResyncPipes{{coord_of(m.coord()), m.part()}}};
}

Result<ServerMessage> plain(const wire::Welcome& m) {
  Welcome welcome;
  welcome.protocol_version = m.protocol_version();
  welcome.server_version = cut(string_of(m.server_version()), kMaxNameBytes);
  welcome.world = cut(string_of(m.world()), kMaxNameBytes);
  welcome.size = position_of(m.size());
  welcome.sides = {m.chunk_log_x(), m.chunk_log_y(), m.chunk_log_z()};
  welcome.tick = m.tick();
  welcome.tick_rate = m.tick_rate();
  welcome.water = cut(string_of(m.water()), kMaxNameBytes);
  welcome.account = cut(string_of(m.account()), kMaxNameBytes);
  welcome.watch_only = m.watch_only();
  welcome.results_kept = m.results_kept();
  welcome.knows_client = m.knows_client();
  const Vec3 size = welcome.size;
  if (std::min({size.x, size.y, size.z}) < 1 || std::max({size.x, size.y, size.z}) > kMaxSide) {
    return Error{"welcome.size is outside 1 to " + std::to_string(kMaxSide)};
  }
  if (!welcome.sides.valid()) return Error{"welcome: the chunk's sides do not make 4096 cells"};
  return ServerMessage{std::move(welcome)};
}

Result<ServerMessage> plain(const wire::Refused& m) {
  return ServerMessage{Refused{static_cast<RefusalCode>(m.code()),
                               std::string(cut(string_of(m.reason()), kMaxReasonBytes))}};
}

// Splits the payloads among their chunks.
Status split_payloads(const wire::Tick& m, Tick& tick) {
  ByteView rest;
  if (m.payloads() != nullptr) rest = {m.payloads()->data(), m.payloads()->size()};
  if (m.chunks() != nullptr) {
    for (const wire::ChunkSpan* span : *m.chunks()) {
      if (span->bytes() > rest.size()) return Error{"tick: a chunk's payload is cut off"};
      tick.chunks.push_back({coord_of(span), rest.first(span->bytes())});
      rest = rest.subspan(span->bytes());
    }
  }
  if (!rest.empty()) return Error{"tick: payload bytes without a chunk"};
  return Done{};
}

Status split_pipe_payloads(const wire::Tick& m, Tick& tick) {
  ByteView rest;
  if (m.section_payloads() != nullptr)
    rest = {m.section_payloads()->data(), m.section_payloads()->size()};
  if (m.sections() != nullptr) {
    for (const wire::PipeSpan* span : *m.sections()) {
      if (span->bytes() > rest.size()) return Error{"tick: a pipe section's payload is cut off"};
      tick.pipes.push_back({key_of(span->key()), rest.first(span->bytes())});
      rest = rest.subspan(span->bytes());
    }
  }
  if (!rest.empty()) return Error{"tick: pipe payload bytes without a section"};
  return Done{};
}

/// The library's verifier looks at the alignment of a list's length, not of its elements.
template <class Struct>
bool misaligned(const flatbuffers::Vector<const Struct*>* list) {
  return list != nullptr && list->size() > 0 &&
         reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(Struct) != 0;
}

Result<ServerMessage> plain(const wire::Tick& m) {
  Tick tick;
  if (misaligned(m.digests()) || misaligned(m.section_digests())) {
    return Error{"tick: its digests are not aligned"};
  }
  tick.tick = m.tick();
  tick.counters = {m.water(),   m.pipes(),      m.sourced(),
                   m.drained(), m.evaporated(), m.active_chunks()};
  if (const Status status = split_payloads(m, tick); !status.ok()) return Error{status.error()};
  if (m.dropped() != nullptr) {
    for (const wire::Vec3* coord : *m.dropped()) tick.dropped.push_back(coord_of(coord));
  }
  if (m.digests() != nullptr) {
    for (const wire::ChunkDigest* d : *m.digests()) {
      tick.digests.push_back({coord_of(d), d->digest()});
    }
  }
  if (const Status s = split_pipe_payloads(m, tick); !s.ok()) return Error{s.error()};
  if (m.sections_dropped() != nullptr) {
    for (const wire::PipeKey* key : *m.sections_dropped())
      tick.pipes_dropped.push_back(key_of(*key));
  }
  if (m.section_digests() != nullptr) {
    for (const wire::PipeDigest* d : *m.section_digests()) {
      tick.pipe_digests.push_back({key_of(d->key()), d->digest()});
    }
  }
  if (const wire::Playback* p = m.playback(); p != nullptr) {
    tick.playback = Playback{p->first_tick(), p->last_tick(),       p->playing(),
                             p->speed(),      p->differing_cells(), string_of(p->trouble())};
    tick.playback->trouble = cut(tick.playback->trouble, kMaxReasonBytes);
  }
  return ServerMessage{std::move(tick)};
}

Result<ServerMessage> plain(const wire::CommandResult& m) {
  // A kind of a later server's is no answer to rely on.
  const auto kind = m.kind() > static_cast<std::uint8_t>(ResultKind::kNeverCame)
                        ? ResultKind::kUnknown
                        : static_cast<ResultKind>(m.kind());
  return ServerMessage{CommandResult{m.seq(), m.applied(), m.tick(),
                                     std::string(cut(string_of(m.reason()), kMaxReasonBytes)),
                                     kind}};
}

Result<ServerMessage> plain(const wire::Pong& m) {
  return ServerMessage{Pong{m.nonce()}};
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

Result<ClientMessage> decode_client_message(ByteView bytes) {
  require_alignment(bytes);
  if (bytes.size() > kMaxClientMessageBytes) {
    return too_long("the message", bytes.size(), kMaxClientMessageBytes);
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!wire::VerifyClientMessageBuffer(verifier)) return Error{"not a client message"};
  const wire::ClientMessage& message = *wire::GetClientMessage(bytes.data());
  if (message.body() == nullptr) return Error{"a client message without a body"};
  switch (message.body_type()) {
    case wire::ClientBody::Hello:
      return plain(*message.body_as_Hello());
    case wire::ClientBody::SetView:
      return plain(*message.body_as_SetView());
    case wire::ClientBody::Command:
      return plain(*message.body_as_Command());
    case wire::ClientBody::Ping:
      return plain(*message.body_as_Ping());
    case wire::ClientBody::Resync:
      return plain(*message.body_as_Resync());
    case wire::ClientBody::ResyncPipes:
      return plain(*message.body_as_ResyncPipes());
    case wire::ClientBody::AskResults:
      return plain(*message.body_as_AskResults());
    case wire::ClientBody::NONE:
      break;
  }
  return Error{"a client message of unknown kind"};
}

Result<ServerMessage> decode_server_message(ByteView bytes) {
  require_alignment(bytes);
  if (bytes.size() > kMaxServerMessageBytes) {
    return too_long("the message", bytes.size(), kMaxServerMessageBytes);
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!wire::VerifyServerMessageBuffer(verifier)) return Error{"not a server message"};
  const wire::ServerMessage& message = *wire::GetServerMessage(bytes.data());
  if (message.body() == nullptr) return Error{"a server message without a body"};
  switch (message.body_type()) {
    case wire::ServerBody::Welcome:
      return plain(*message.body_as_Welcome());
    case wire::ServerBody::Refused:
      return plain(*message.body_as_Refused());
    case wire::ServerBody::Tick:
      return plain(*message.body_as_Tick());
    case wire::ServerBody::CommandResult:
      return plain(*message.body_as_CommandResult());
    case wire::ServerBody::Pong:
      return plain(*message.body_as_Pong());
    case wire::ServerBody::NONE:
      break;
  }
  return Error{"a server message of unknown kind"};
}

std::string_view name_of(const ClientMessage& message) {
  static constexpr std::string_view kNames[] = {"hello",  "set_view",     "command",    "ping",
                                                "resync", "resync_pipes", "ask_results"};
  return name_at(kNames, message);
}

std::string_view name_of(const ServerMessage& message) {
  static constexpr std::string_view kNames[] = {"welcome", "refused", "tick", "command_result",
                                                "pong"};
  return name_at(kNames, message);
}

}  // namespace sluice::protocol
