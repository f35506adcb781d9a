// The messages as plain data, and their byte form (FlatBuffers; the schemas stand beside this
// file). Callers never see the generated code. Decoders accept any bytes: the answer is a message
// that keeps every limit, or an error that says what is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/chunk.h"
#include "protocol/limits.h"
#include "protocol/pipes.h"

namespace sluice::protocol {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// From a client.

/// Random, and the client's own secret: who has it may ask what became of the client's commands.
using ResumeToken = std::array<std::uint8_t, kResumeTokenBytes>;

/// What makes a client the same one on its next connection.
struct Resume {
  ResumeToken token{};
  std::uint64_t last_seq = 0;    // the highest number that was sent with the token
  std::uint64_t since_tick = 0;  // of the welcome with which the token was first used

  friend bool operator==(const Resume&, const Resume&) = default;
};

struct Hello {
  std::uint32_t protocol_version = kProtocolVersion;
  std::string client_name;            // printable ASCII
  std::optional<Resume> resume = {};  // none: no results are kept for it
};

struct SetView {
  Box box;  // cells; the server cuts it to the world
  std::uint8_t level_of_detail = 0;
  std::uint32_t layers = 0;         // wanted ones: bit i is the i-th of Welcome::layers
  std::uint32_t coarse_layers = 0;  // likewise, of coarse cells of the level; none at level 0
};

struct Command {
  std::uint64_t seq = 0;
  std::string json;  // one line of a command script
};

struct AskResults {
  std::vector<std::uint64_t> seqs;  // at most kResultsKept
};

struct Ping {
  std::uint64_t nonce = 0;
};

struct Resync {
  ChunkCoord coord;        // in chunks
  std::uint8_t layer = 0;  // 0: of the cells; n: of the n-th layer, counted from 1

  friend bool operator==(const Resync&, const Resync&) = default;
};

struct ResyncPipes {
  PipeKey key;
};

/// The cells that somebody sees: two opposite corners, both included.
struct Sight {
  Vec3 from;
  Vec3 to;

  friend bool operator==(const Sight&, const Sight&) = default;
};

/// What the client points at, or the middle of what it looks at.
struct Pointer {
  Vec3 at;
  bool pointing = false;
  std::string name;  // printable ASCII
  std::optional<Sight> sees = std::nullopt;
};

using ClientMessage =
    std::variant<Hello, SetView, Command, Ping, Resync, ResyncPipes, AskResults, Pointer>;

// From the server.

struct Welcome {
  std::uint32_t protocol_version = kProtocolVersion;
  std::string server_version;
  std::string world;
  Vec3 size;  // cells
  ChunkShape sides;
  std::uint64_t tick = 0;
  std::uint32_t tick_rate = 0;  // ticks a second
  std::string water;
  std::string account = {};        // that the client was let in as; empty: nobody that is known
  bool watch_only = false;         // its commands are refused as things are
  std::uint32_t results_kept = 0;  // for this client; 0: none, and a number twice is two commands
  bool knows_client = false;       // what became of all its numbers is known, or can be asked for
  std::uint64_t person = 0;        // its number among People; 0: the server tells of nobody
  std::vector<std::string> layers = {};  // beside the cells (layers.h); at most kMaxLayers
  std::vector<std::string> tracer_kinds =
      {};                      // of each layer of a tracer, what it is; of others ""
  int levels_of_detail = 0;    // above 0 that a view may ask for; at most kLevelsOfDetail
  bool coarse_layers = false;  // SetView::coarse_layers means something
};

/// Why a server ends a connection; never reused.
enum class RefusalCode : std::uint16_t {
  kWrongVersion = 1,
  kBadMessage = 2,
  kTooManyClients = 3,
  kTooSlow = 4,
  kShutdown = 5,
  kNotAllowed = 6,
  kReplaced = 7,   // the same client (resume_token) came on another connection
  kWorldGone = 8,  // an admin unloaded, removed or reset the world; the server goes on
};

struct Refused {
  RefusalCode code = RefusalCode::kBadMessage;
  std::string reason;
};

/// A chunk's change. `payload` (codec.h) is not owned: when decoded it lies in the message's bytes.
struct ChunkUpdate {
  ChunkCoord coord;
  ByteView payload;
};

struct ChunkDigest {
  ChunkCoord coord;
  std::uint64_t digest = 0;  // chunk_checksum of the chunk after this message
};

/// What changed in one layer (layers.h), as Tick has it for cells.
struct LayerChanges {
  /// Its place in Welcome::layers; after the last: levels of detail 1, 2, ..., and after those,
  /// where Welcome::coarse_layers, all layers of level 1, of level 2, ...
  std::uint8_t layer = 0;
  std::vector<ChunkUpdate> chunks;
  std::vector<ChunkCoord> dropped;  // handled before `chunks`
  std::vector<ChunkDigest> digests;
  ByteView lesson = {};  // as Tick::lesson, of this layer
};

/// A section's change. `payload` (pipe_codec.h) is not owned, as that of a chunk.
struct PipeUpdate {
  PipeKey key;
  ByteView payload;
};

struct PipeDigest {
  PipeKey key;
  std::uint64_t digest = 0;  // pipe_checksum of the section after this message
};

/// Amounts in units of water.
struct Counters {
  std::int64_t water = 0;
  std::int64_t pipes = 0;
  std::int64_t sourced = 0;
  std::int64_t drained = 0;
  std::int64_t evaporated = 0;
  std::int64_t active_chunks = 0;

  friend bool operator==(const Counters&, const Counters&) = default;
};

/// Where a replay stands: what every viewer of it sees and can steer (server/replay/README.md).
struct Playback {
  std::uint64_t first_tick = 0;  // that can be shown
  std::uint64_t last_tick = 0;
  bool playing = false;
  std::uint32_t speed = 1000;         // thousandths of the recorded speed; 0: as fast as it goes
  std::int64_t differing_cells = -1;  // between the two recordings shown; -1: there is but one
  std::string trouble;                // why the ticks that follow cannot be shown; mostly empty

  friend bool operator==(const Playback&, const Playback&) = default;
};

/// The state of the view after tick `tick`. Several messages may carry the same tick (keyframes
/// follow a new view at once), and a slow client misses ticks, never changes.
struct Tick {
  std::uint64_t tick = 0;
  Counters counters;
  std::vector<ChunkUpdate> chunks;
  std::vector<ChunkCoord> dropped;  // chunks to forget; handled before `chunks`
  std::vector<ChunkDigest> digests;
  std::vector<PipeUpdate> pipes;
  std::vector<PipeKey> pipes_dropped;  // sections to forget; handled before `pipes`
  std::vector<PipeDigest> pipe_digests;
  std::optional<Playback> playback;  // in replays, whose ticks may fall; live worlds have none
  std::vector<LayerChanges> layers;  // each once at most; of those that the view asks for
  /// With which chances deltas of columns begin from this message on (column_lessons.h); empty: as
  /// before. Not owned, as a chunk's payload.
  ByteView lesson = {};
};

enum class ResultKind : std::uint8_t {
  kNew = 0,
  kAgain = 1,      // stored before: the number was sent again, or asked for
  kUnknown = 2,    // what became of it cannot be told; not applied again
  kNeverCame = 3,  // asked for: it was not applied, and will not be unless it is sent again
};

struct CommandResult {
  std::uint64_t seq = 0;
  bool applied = false;
  std::uint64_t tick = 0;  // 0 when the command never reached the world
  std::string reason;      // empty when it applied
  ResultKind kind = ResultKind::kNew;
};

struct Pong {
  std::uint64_t nonce = 0;
};

/// Somebody who sent a Pointer.
struct Person {
  std::uint64_t number = 0;
  std::string name;    // printable ASCII
  bool known = false;  // an account: the name is its own
  Vec3 at;
  bool pointing = false;
  std::optional<Sight> sees = std::nullopt;

  friend bool operator==(const Person&, const Person&) = default;
};

/// All who are here, those first who came first.
struct People {
  std::vector<Person> people;  // at most kMaxPeople
};

using ServerMessage = std::variant<Welcome, Refused, Tick, CommandResult, Pong, People>;

/// Texts longer than their limit are cut. A tick's payloads must stay below kMaxServerMessageBytes
/// (kTickBudgetBytes is the sender's guide).
[[nodiscard]] Bytes encode(const ClientMessage& message);
[[nodiscard]] Bytes encode(const ServerMessage& message);

[[nodiscard]] Result<ClientMessage> decode_client_message(ByteView bytes);
/// A tick's payloads point into `bytes`, which must outlive it.
[[nodiscard]] Result<ServerMessage> decode_server_message(ByteView bytes);

/// "hello", "set_view", ... for logs and errors.
[[nodiscard]] std::string_view name_of(const ClientMessage& message);
[[nodiscard]] std::string_view name_of(const ServerMessage& message);

}  // namespace sluice::protocol
