// Bytes as messages: any bytes, from anybody. messages.cpp is the way there.
#include <algorithm>
#include <cstdlib>

#include "client_message_generated.h"
#include "server_message_generated.h"
#include <flatbuffers/flatbuffers.h>

#include "protocol/message_text.h"
#include "protocol/messages.h"

namespace sluice::protocol {

namespace {

// FlatBuffers reads through typed pointers; every allocation is aligned enough, and a caller that
// passes the middle of one has a program error.
void require_alignment(ByteView bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) std::abort();
}

std::string string_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
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
Error too_long(std::string_view what, std::size_t bytes, std::size_t limit) {
  return Error{std::string(what) + " has " + std::to_string(bytes) + " bytes, at most " +
               std::to_string(limit) + " are allowed"};
}

/// Why the text is no name of a client; empty: it is one.
std::string name_problem(const char* what, const std::string& name) {
  if (name.size() > kMaxClientNameBytes)
    return too_long(what, name.size(), kMaxClientNameBytes).message;
  for (const char c : name) {
    if (c < ' ' || c > '~') return std::string(what) + " must be printable ASCII";
  }
  return "";
}

// Decoding: one function a message, from the verified table to plain data or an error.

Result<ClientMessage> plain(const wire::Hello& m) {
  // Checked before the name, so that a client of another version learns that and nothing else.
  Hello hello{m.protocol_version(), string_of(m.client_name()), {}};
  if (hello.protocol_version != kProtocolVersion) return ClientMessage{std::move(hello)};
  const std::string problem = name_problem("hello.client_name", hello.client_name);
  if (!problem.empty()) return Error{problem};
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
  const SetView view{{position_of(m.from()), position_of(m.size())},
                     m.level_of_detail(),
                     m.layers(),
                     m.coarse_layers()};
  const Vec3 size = view.box.size;
  if (size.x < 0 || size.y < 0 || size.z < 0) return Error{"set_view.size must not be negative"};
  if (view.level_of_detail > kLevelsOfDetail) {
    return Error{"set_view.level_of_detail is " + std::to_string(view.level_of_detail) +
                 ", allowed: 0 to " + std::to_string(kLevelsOfDetail)};
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
  return ClientMessage{Resync{coord_of(m.coord()), m.layer()}};
}

Result<ClientMessage> plain(const wire::ResyncPipes& m) {
  return ClientMessage{ResyncPipes{{coord_of(m.coord()), m.part()}}};
}

// Of Pointer and Person.
template <class Message>
std::optional<Sight> sight_of(const Message& m) {
  if (m.sees_from() == nullptr || m.sees_to() == nullptr) return std::nullopt;
  return Sight{position_of(m.sees_from()), position_of(m.sees_to())};
}

Result<ClientMessage> plain(const wire::Pointer& m) {
  Pointer pointer{position_of(m.at()), m.pointing(), string_of(m.name()), sight_of(m)};
  const std::string problem = name_problem("pointer.name", pointer.name);
  if (!problem.empty()) return Error{problem};
  return ClientMessage{std::move(pointer)};
}

Result<ServerMessage> plain(const wire::Welcome& m) {
  Welcome welcome;
  welcome.protocol_version = m.protocol_version();
  welcome.server_version = cut_text(string_of(m.server_version()), kMaxNameBytes);
  welcome.world = cut_text(string_of(m.world()), kMaxNameBytes);
  welcome.size = position_of(m.size());
  welcome.sides = {m.chunk_log_x(), m.chunk_log_y(), m.chunk_log_z()};
  welcome.tick = m.tick();
  welcome.tick_rate = m.tick_rate();
  welcome.water = cut_text(string_of(m.water()), kMaxNameBytes);
  welcome.account = cut_text(string_of(m.account()), kMaxNameBytes);
  welcome.watch_only = m.watch_only();
  welcome.results_kept = m.results_kept();
  welcome.knows_client = m.knows_client();
  welcome.person = m.person();
  welcome.levels_of_detail = m.levels_of_detail();
  welcome.coarse_layers = m.coarse_layers();
  const Vec3 size = welcome.size;
  if (std::min({size.x, size.y, size.z}) < 1 || std::max({size.x, size.y, size.z}) > kMaxSide) {
    return Error{"welcome.size is outside 1 to " + std::to_string(kMaxSide)};
  }
  if (!welcome.sides.valid()) return Error{"welcome: the chunk's sides do not make 4096 cells"};
  if (welcome.levels_of_detail > kLevelsOfDetail) {
    return Error{"welcome: " + std::to_string(welcome.levels_of_detail) +
                 " levels of detail, at most " + std::to_string(kLevelsOfDetail) + " are allowed"};
  }
  for (const auto& [texts, list] : {std::pair(m.layers(), &welcome.layers),
                                    std::pair(m.tracer_kinds(), &welcome.tracer_kinds)}) {
    if (texts == nullptr) continue;
    if (texts->size() > kMaxLayers) {
      return Error{"welcome: " + std::to_string(texts->size()) + " layers, at most " +
                   std::to_string(kMaxLayers) + " are allowed"};
    }
    for (const flatbuffers::String* text : *texts) {
      list->emplace_back(cut_text(string_of(text), kMaxNameBytes));
    }
  }
  // An older server has none.
  welcome.tracer_kinds.resize(welcome.layers.size());
  return ServerMessage{std::move(welcome)};
}

Result<ServerMessage> plain(const wire::Refused& m) {
  return ServerMessage{Refused{static_cast<RefusalCode>(m.code()),
                               std::string(cut_text(string_of(m.reason()), kMaxReasonBytes))}};
}

/// The library's verifier looks at the alignment of a list's length, not of its elements.
template <class Struct>
bool misaligned(const flatbuffers::Vector<const Struct*>* list) {
  return list != nullptr && list->size() > 0 &&
         reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(Struct) != 0;
}

// What is said of the chunks of a tick's cells, or of a layer: each payload goes to its chunk.
template <class Table, class Lists>
Status take_chunks(const Table& m, Lists& to) {
  if (misaligned(m.digests())) return Error{"tick: its digests are not aligned"};
  ByteView rest;
  if (m.payloads() != nullptr) rest = {m.payloads()->data(), m.payloads()->size()};
  if (m.chunks() != nullptr) {
    for (const wire::ChunkSpan* span : *m.chunks()) {
      if (span->bytes() > rest.size()) return Error{"tick: a chunk's payload is cut off"};
      to.chunks.push_back({coord_of(span), rest.first(span->bytes())});
      rest = rest.subspan(span->bytes());
    }
  }
  if (!rest.empty()) return Error{"tick: payload bytes without a chunk"};
  if (m.dropped() != nullptr) {
    for (const wire::Vec3* coord : *m.dropped()) to.dropped.push_back(coord_of(coord));
  }
  if (m.digests() != nullptr) {
    for (const wire::ChunkDigest* d : *m.digests()) {
      to.digests.push_back({coord_of(d), d->digest()});
    }
  }
  if (m.lesson() != nullptr) to.lesson = {m.lesson()->data(), m.lesson()->size()};
  return Done{};
}

Status take_layers(const wire::Tick& m, Tick& tick) {
  if (m.layers() == nullptr) return Done{};
  if (m.layers()->size() > kMaxTickLayers) {
    return Error{"tick: " + std::to_string(m.layers()->size()) + " layers, at most " +
                 std::to_string(kMaxTickLayers) + " are allowed"};
  }
  for (const wire::LayerChanges* layer : *m.layers()) {
    LayerChanges changes;
    changes.layer = layer->layer();
    if (const Status status = take_chunks(*layer, changes); !status.ok()) return status;
    tick.layers.push_back(std::move(changes));
  }
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

Result<ServerMessage> plain(const wire::Tick& m) {
  Tick tick;
  if (misaligned(m.section_digests())) return Error{"tick: its digests are not aligned"};
  tick.tick = m.tick();
  tick.counters = {m.water(),   m.pipes(),      m.sourced(),
                   m.drained(), m.evaporated(), m.active_chunks()};
  if (const Status status = take_chunks(m, tick); !status.ok()) return Error{status.error()};
  if (const Status status = take_layers(m, tick); !status.ok()) return Error{status.error()};
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
    tick.playback->trouble = cut_text(tick.playback->trouble, kMaxReasonBytes);
  }
  return ServerMessage{std::move(tick)};
}

Result<ServerMessage> plain(const wire::CommandResult& m) {
  // A kind of a later server's is no answer to rely on.
  const auto kind = m.kind() > static_cast<std::uint8_t>(ResultKind::kNeverCame)
                        ? ResultKind::kUnknown
                        : static_cast<ResultKind>(m.kind());
  return ServerMessage{CommandResult{m.seq(), m.applied(), m.tick(),
                                     std::string(cut_text(string_of(m.reason()), kMaxReasonBytes)),
                                     kind}};
}

Result<ServerMessage> plain(const wire::Pong& m) {
  return ServerMessage{Pong{m.nonce()}};
}

Result<ServerMessage> plain(const wire::People& m) {
  People people;
  if (m.people() == nullptr) return ServerMessage{std::move(people)};
  if (m.people()->size() > kMaxPeople) {
    return Error{"people: " + std::to_string(m.people()->size()) + " of them, at most " +
                 std::to_string(kMaxPeople) + " are allowed"};
  }
  for (const wire::Person* person : *m.people()) {
    people.people.push_back({person->number(), string_of(person->name()), person->known(),
                             position_of(person->at()), person->pointing(), sight_of(*person)});
    const std::string problem = name_problem("person.name", people.people.back().name);
    if (!problem.empty()) return Error{problem};
  }
  return ServerMessage{std::move(people)};
}

}  // namespace

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
    case wire::ClientBody::Pointer:
      return plain(*message.body_as_Pointer());
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
    case wire::ServerBody::People:
      return plain(*message.body_as_People());
    case wire::ServerBody::NONE:
      break;
  }
  return Error{"a server message of unknown kind"};
}

}  // namespace sluice::protocol
