// Every maximum of the protocol. Both ends refuse what is larger.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/limits.h"

namespace sluice::protocol {

/// Raised with every change of the messages that an older end would misread.
inline constexpr std::uint32_t kProtocolVersion = 4;

/// One message from a client to the server.
inline constexpr std::size_t kMaxClientMessageBytes = std::size_t{64} << 10;
/// One message from the server to a client.
inline constexpr std::size_t kMaxServerMessageBytes = std::size_t{4} << 20;
/// The server puts no further chunk into a message that holds this much.
inline constexpr std::size_t kTickBudgetBytes = std::size_t{1} << 20;

/// A chunk's payload: the tag, one group's two numbers, and five bytes for each cell. Splitting
/// that into more groups leaves out two cells (10 bytes) for each group's at most 4 bytes.
inline constexpr std::size_t kMaxChunkPayloadBytes = 1 + 4 + 5 * kChunkCells;

inline constexpr std::size_t kMaxClientNameBytes = 64;
/// One line of a command script: the longest command, with every text escaped, is under half of it.
inline constexpr std::size_t kMaxCommandBytes = std::size_t{4} << 10;
/// Longer reasons are cut, at the end of a character.
inline constexpr std::size_t kMaxReasonBytes = 512;
/// What a server keeps for a client that comes back (the hello's resume_token): so many of its
/// last results, as long as they take no more than so many bytes; an AskResults names no more.
inline constexpr std::size_t kResultsKept = 512;
inline constexpr std::size_t kResultBytesKept = std::size_t{64} << 10;
inline constexpr std::size_t kResumeTokenBytes = 16;
static_assert(kResultsKept * 8 + 256 < kMaxClientMessageBytes);
/// Of those who point, so many are told of; and of their places so often, in milliseconds: a
/// message is at most some 8 KiB, so 80 KiB a second for each client in the most crowded world.
inline constexpr std::size_t kMaxPeople = 64;
inline constexpr int kPeoplePauseMilliseconds = 100;
/// World and server names in a welcome.
inline constexpr std::size_t kMaxNameBytes = 256;

/// Layers that a world has beside its cells (Welcome::layers).
inline constexpr std::size_t kMaxLayers = 8;

/// Levels of detail that a view may ask for beside the cells themselves (SetView::level_of_detail):
/// a cell of level n stands for a cube of 2^n cells a side.
inline constexpr int kLevelsOfDetail = 3;
/// Of which one tick tells: the layers, behind them the levels of detail, and then the layers of
/// each of those levels.
inline constexpr std::size_t kMaxTickLayers =
    kMaxLayers + kLevelsOfDetail + kLevelsOfDetail * kMaxLayers;

/// Chunks that a mirror keeps, of cells and of each layer: as many as a server's world can hold.
inline constexpr std::size_t kMaxMirrorChunks = kMaxChunks;

/// One section of a pipe network (pipes.h).
inline constexpr std::size_t kMaxSectionNodes = 256;
inline constexpr std::size_t kMaxSectionLinks = 4096;
inline constexpr std::size_t kMaxSectionPorts = 4096;

/// A section's payload: the tag and four counts; a fluid and a node for each node (two texts, nine
/// numbers), a link (eight numbers), a port (six); and the row, a value of five bytes for each of
/// them. A number has at most five bytes.
inline constexpr std::size_t kMaxPipePayloadBytes =
    1 + 4 * 5 + kMaxSectionNodes * (2 * (kMaxPipeNameBytes + 1) + 9 * 5 + 5) +
    kMaxSectionLinks * (8 * 5 + 5) + kMaxSectionPorts * (6 * 5 + 5) + 10;

/// Pipe sections that a mirror keeps: as many as a server's world can hold.
inline constexpr std::size_t kMaxMirrorSections = kMaxPipes;

/// What a chunk or a section adds to a tick message besides its payload, at the most.
inline constexpr std::size_t kChunkOverheadBytes = 64;
static_assert(kTickBudgetBytes + kMaxChunkPayloadBytes + kChunkOverheadBytes <
              kMaxServerMessageBytes);
static_assert(kTickBudgetBytes + kMaxPipePayloadBytes + kChunkOverheadBytes <
              kMaxServerMessageBytes);
static_assert(kMaxCommandBytes + 256 < kMaxClientMessageBytes);

}  // namespace sluice::protocol
