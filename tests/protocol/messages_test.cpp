// Goal: every message survives the way over the wire; every limit is kept by the decoders; damaged
// bytes are an error or another valid message, never a crash.
#include "protocol/messages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/protocol/payloads.h"

namespace sluice::protocol::messages_test {
namespace {

template <class M>
M over_the_wire(const ClientMessage& message) {
  const Result<ClientMessage> decoded = decode_client_message(encode(message));
  if (!decoded.ok()) throw std::runtime_error(decoded.error());
  return std::get<M>(decoded.value());
}

template <class M>
M over_the_wire(const ServerMessage& message, Bytes& bytes) {
  bytes = encode(message);
  const Result<ServerMessage> decoded = decode_server_message(bytes);
  if (!decoded.ok()) throw std::runtime_error(decoded.error());
  return std::get<M>(decoded.value());
}

TEST(Messages, ClientMessagesComeBack) {
  const auto hello = over_the_wire<Hello>(Hello{1, "bot 7"});
  EXPECT_EQ(hello.protocol_version, 1U);
  EXPECT_EQ(hello.client_name, "bot 7");
  const Box box{{-1, 2, 3}, {64, 32, 1}};
  EXPECT_EQ(over_the_wire<SetView>(SetView{box, 0}).box, box);
  EXPECT_EQ(over_the_wire<SetView>(SetView{box, 0, 0x80000001}).layers, 0x80000001U);
  EXPECT_EQ(over_the_wire<SetView>(SetView{box, kLevelsOfDetail}).level_of_detail, kLevelsOfDetail);
  EXPECT_EQ(over_the_wire<SetView>(SetView{box, 1, 0, 0x80000001}).coarse_layers, 0x80000001U);
  const auto command = over_the_wire<Command>(Command{UINT64_MAX, R"({"cmd":"pour"})"});
  EXPECT_EQ(command.seq, UINT64_MAX);
  EXPECT_EQ(command.json, R"({"cmd":"pour"})");
  EXPECT_EQ(over_the_wire<Ping>(Ping{9}).nonce, 9U);
  const auto pointer = over_the_wire<Pointer>(Pointer{{-1, 2, 1 << 30}, true, "ada"});
  EXPECT_EQ(pointer.at, (Vec3{-1, 2, 1 << 30}));
  EXPECT_TRUE(pointer.pointing);
  EXPECT_EQ(pointer.name, "ada");
  EXPECT_FALSE(pointer.sees);
  const Sight sight{{-5, 1 << 30, 0}, {9, 8, 7}};
  EXPECT_EQ(over_the_wire<Pointer>(Pointer{{}, true, "ada", sight}).sees, sight);
  const Resync resync{{1, 2, 3}, 255};
  EXPECT_EQ(over_the_wire<Resync>(resync), resync);
  const PipeKey key{{1, 2, 3}, 65537};
  EXPECT_EQ(over_the_wire<ResyncPipes>(ResyncPipes{key}).key, key);
}

TEST(Messages, LayersComeBackAndThereAreOnlySoMany) {
  Bytes bytes;
  Welcome welcome;
  welcome.size = {1, 1, 1};
  EXPECT_TRUE(over_the_wire<Welcome>(welcome, bytes).layers.empty());
  welcome.layers.assign(kMaxLayers, "temperature");
  EXPECT_EQ(over_the_wire<Welcome>(welcome, bytes).layers, welcome.layers);
  welcome.layers.emplace_back("one more");
  EXPECT_EQ(decode_server_message(encode(ServerMessage{welcome})).error(),
            "welcome: 9 layers, at most 8 are allowed");

  welcome.layers = {"temperature", "tracer:froth"};
  EXPECT_EQ(over_the_wire<Welcome>(welcome, bytes).tracer_kinds,
            (std::vector<std::string>{"", ""}));
  welcome.tracer_kinds = {"", "foam"};
  EXPECT_EQ(over_the_wire<Welcome>(welcome, bytes).tracer_kinds, welcome.tracer_kinds);
  welcome.levels_of_detail = kLevelsOfDetail;
  EXPECT_EQ(over_the_wire<Welcome>(welcome, bytes).levels_of_detail, kLevelsOfDetail);
  EXPECT_FALSE(over_the_wire<Welcome>(welcome, bytes).coarse_layers);
  welcome.coarse_layers = true;
  EXPECT_TRUE(over_the_wire<Welcome>(welcome, bytes).coarse_layers);
  ++welcome.levels_of_detail;
  EXPECT_EQ(decode_server_message(encode(ServerMessage{welcome})).error(),
            "welcome: 4 levels of detail, at most 3 are allowed");

  const Bytes payload = {1, 0, 1, 1};
  Tick tick;
  const Bytes lesson = {9, 8, 7};
  LayerChanges changes{3, {{{4, 5, 6}, payload}}, {{7, 8, 9}}, {{{4, 5, 6}, UINT64_MAX}}, lesson};
  tick.layers.assign(kMaxTickLayers, changes);
  const auto back = over_the_wire<Tick>(tick, bytes);
  ASSERT_EQ(back.layers.size(), kMaxTickLayers);
  const LayerChanges& read = back.layers.back();
  EXPECT_EQ(read.layer, 3);
  EXPECT_EQ(read.dropped, changes.dropped);
  ASSERT_EQ(read.chunks.size(), 1U);
  EXPECT_EQ(read.chunks[0].coord, (ChunkCoord{4, 5, 6}));
  EXPECT_EQ(Bytes(read.chunks[0].payload.begin(), read.chunks[0].payload.end()), payload);
  ASSERT_EQ(read.digests.size(), 1U);
  EXPECT_EQ(read.digests[0].digest, UINT64_MAX);
  EXPECT_EQ(Bytes(read.lesson.begin(), read.lesson.end()), lesson);
  EXPECT_TRUE(back.lesson.empty());
  tick.layers.clear();
  tick.lesson = lesson;
  const auto taught = over_the_wire<Tick>(tick, bytes);
  EXPECT_EQ(Bytes(taught.lesson.begin(), taught.lesson.end()), lesson);
  tick.layers.assign(kMaxTickLayers + 1, changes);
  EXPECT_EQ(decode_server_message(encode(ServerMessage{tick})).error(),
            "tick: 36 layers, at most 35 are allowed");
}

TEST(Messages, TheDocumentNamesTheVersion) {
  const std::string version =
      "The protocol's version, now " + std::to_string(kProtocolVersion) + ",";
  EXPECT_NE(document().find(version), std::string::npos);
}

TEST(Messages, PeopleComeBackAndThereAreOnlySoMany) {
  Bytes bytes;
  People people;
  people.people.push_back({UINT64_MAX, "ada", true, {1, -2, 3}, true});
  people.people.push_back({2, std::string(2 * kMaxClientNameBytes, 'x'), false, {}, false});
  const auto back = over_the_wire<People>(people, bytes);
  ASSERT_EQ(back.people.size(), 2U);
  EXPECT_EQ(back.people[0], people.people[0]);
  EXPECT_EQ(back.people[1].name.size(), kMaxClientNameBytes);
  people.people.assign(3 * kMaxPeople, people.people[0]);
  EXPECT_EQ(over_the_wire<People>(people, bytes).people.size(), kMaxPeople);
  EXPECT_LT(bytes.size(), 8U << 10) << "what limits.h says that it costs";
  EXPECT_EQ(decode_client_message(encode(ClientMessage{Pointer{{}, true, "a\nb"}})).error(),
            "pointer.name must be printable ASCII");
}

TEST(Messages, PipesComeBack) {
  Bytes bytes;
  const Bytes first = {1, 2, 3};
  const Bytes second = {};
  Tick tick;
  tick.tick = 9;
  tick.pipes = {{{{1, 2, 3}, 4}, first}, {PipeKey{}, second}};
  tick.pipes_dropped = {{{5, 6, 7}, 8}};
  tick.pipe_digests = {{PipeKey{}, UINT64_MAX}};
  const auto back = over_the_wire<Tick>(tick, bytes);
  ASSERT_EQ(back.pipes.size(), 2U);
  EXPECT_EQ(back.pipes[0].key, (PipeKey{{1, 2, 3}, 4}));
  EXPECT_EQ(Bytes(back.pipes[0].payload.begin(), back.pipes[0].payload.end()), first);
  EXPECT_EQ(back.pipes[1].key, PipeKey{});
  EXPECT_TRUE(back.pipes[1].payload.empty());
  EXPECT_EQ(back.pipes_dropped, tick.pipes_dropped);
  ASSERT_EQ(back.pipe_digests.size(), 1U);
  EXPECT_EQ(back.pipe_digests[0].digest, UINT64_MAX);
}

TEST(Messages, AReplaysPlaceComesBack) {
  Bytes bytes;
  Tick tick;
  EXPECT_FALSE(over_the_wire<Tick>(tick, bytes).playback.has_value());
  const std::size_t live = bytes.size();
  tick.playback = Playback{3, UINT64_MAX, true, 125, 1234567890123, "why not"};
  EXPECT_EQ(over_the_wire<Tick>(tick, bytes).playback, tick.playback);
  EXPECT_GT(bytes.size(), live);  // so live worlds pay nothing for it
  tick.playback->trouble.assign(2 * kMaxReasonBytes, 'x');
  EXPECT_EQ(over_the_wire<Tick>(tick, bytes).playback->trouble.size(), kMaxReasonBytes);
}

TEST(Messages, ServerMessagesComeBack) {
  Bytes bytes;
  Welcome welcome{kProtocolVersion, "0.1.0", "cave", {64, 32, 64}, {4, 4, 4}, 77, 20, "cellular"};
  welcome.account = "ada";
  welcome.watch_only = true;
  const auto w = over_the_wire<Welcome>(welcome, bytes);
  EXPECT_EQ(w.account, "ada");
  EXPECT_TRUE(w.watch_only);
  EXPECT_EQ(w.server_version, "0.1.0");
  EXPECT_EQ(w.world, "cave");
  EXPECT_EQ(w.size, welcome.size);
  EXPECT_EQ(w.sides, welcome.sides);
  EXPECT_EQ(w.tick, 77U);
  EXPECT_EQ(w.tick_rate, 20U);
  EXPECT_EQ(w.water, "cellular");
  const auto refused = over_the_wire<Refused>(Refused{RefusalCode::kTooSlow, "slow"}, bytes);
  EXPECT_EQ(refused.code, RefusalCode::kTooSlow);
  EXPECT_EQ(refused.reason, "slow");
  const auto result = over_the_wire<CommandResult>(CommandResult{5, false, 9, "no"}, bytes);
  EXPECT_EQ(result.seq, 5U);
  EXPECT_FALSE(result.applied);
  EXPECT_EQ(result.tick, 9U);
  EXPECT_EQ(result.reason, "no");
  EXPECT_EQ(over_the_wire<Pong>(Pong{3}, bytes).nonce, 3U);
}

TEST(Messages, TicksComeBackWithTheirPayloads) {
  const Bytes first = {1, 0, 1, 1};
  const Bytes second = {2};
  Tick tick;
  tick.tick = 12;
  tick.counters = {1, 2, 3, 4, 5, 6};
  tick.chunks = {{{0, 1, 2}, first}, {{3, 4, 5}, second}, {{6, 6, 6}, {}}};
  tick.dropped = {{7, 8, 9}};
  tick.digests = {{{1, 1, 1}, 0x123456789abcdef0U}};
  Bytes bytes;
  const auto t = over_the_wire<Tick>(tick, bytes);
  EXPECT_EQ(t.tick, 12U);
  EXPECT_EQ(t.counters, tick.counters);
  ASSERT_EQ(t.chunks.size(), 3U);
  EXPECT_EQ(t.chunks[0].coord, (ChunkCoord{0, 1, 2}));
  EXPECT_EQ(Bytes(t.chunks[0].payload.begin(), t.chunks[0].payload.end()), first);
  EXPECT_EQ(Bytes(t.chunks[1].payload.begin(), t.chunks[1].payload.end()), second);
  EXPECT_TRUE(t.chunks[2].payload.empty());
  ASSERT_EQ(t.dropped.size(), 1U);
  EXPECT_EQ(t.dropped[0], (ChunkCoord{7, 8, 9}));
  ASSERT_EQ(t.digests.size(), 1U);
  EXPECT_EQ(t.digests[0].digest, 0x123456789abcdef0U);
}

TEST(Messages, EachEndRefusesTheOthersMessages) {
  EXPECT_FALSE(decode_client_message(encode(ServerMessage{Pong{1}})).ok());
  EXPECT_FALSE(decode_server_message(encode(ClientMessage{Ping{1}})).ok());
  EXPECT_FALSE(decode_client_message({}).ok());
  EXPECT_FALSE(decode_server_message({}).ok());
}

TEST(Messages, LimitsAreKept) {
  const auto error = [](const ClientMessage& message) {
    const auto decoded = decode_client_message(encode(message));
    return decoded.ok() ? std::string() : decoded.error();
  };
  EXPECT_EQ(error(Command{1, std::string(kMaxCommandBytes, ' ')}), "");
  EXPECT_EQ(error(Command{1, std::string(kMaxCommandBytes + 1, ' ')}),
            "command.json has 4097 bytes, at most 4096 are allowed");
  EXPECT_EQ(error(Hello{kProtocolVersion, "tab\t"}), "hello.client_name must be printable ASCII");
  EXPECT_EQ(error(SetView{{{0, 0, 0}, {-1, 1, 1}}, 0}), "set_view.size must not be negative");
  EXPECT_EQ(error(SetView{{{0, 0, 0}, {1, 1, 1}}, kLevelsOfDetail + 1}),
            "set_view.level_of_detail is 4, allowed: 0 to 3");
  const auto huge = decode_client_message(Bytes(kMaxClientMessageBytes + 1));
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error(), "the message has 65537 bytes, at most 65536 are allowed");
  Welcome welcome;
  welcome.size = {64, 64, 0};
  EXPECT_FALSE(decode_server_message(encode(ServerMessage{welcome})).ok());
  welcome.size = {64, 64, 1};
  welcome.sides = {6, 6, 1};
  EXPECT_FALSE(decode_server_message(encode(ServerMessage{welcome})).ok());
}

TEST(Messages, AHelloOfAnotherVersionIsStillAHello) {
  const auto decoded = decode_client_message(encode(ClientMessage{Hello{99, "new"}}));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<Hello>(decoded.value()).protocol_version, 99U);
}

Bytes damaged(Bytes bytes) {
  for (int flips = *rc::gen::inRange(1, 5); flips > 0; --flips) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = *rc::gen::arbitrary<std::uint8_t>();
  }
  bytes.resize(*rc::gen::weightedOneOf<std::size_t>(
      {{3, rc::gen::just(bytes.size())}, {1, rc::gen::inRange<std::size_t>(0, bytes.size() + 1)}}));
  return bytes;
}

RC_GTEST_PROP(Messages, DamagedBytesAreAMessageOrAnError, ()) {
  const ClientMessage client = *rc::gen::elementOf(std::vector<ClientMessage>{
      Hello{kProtocolVersion, "somebody"}, SetView{{{1, 2, 3}, {4, 5, 6}}, 0},
      Command{3, "{\"cmd\":\"pour\"}"}, Ping{4}, Resync{{1, 1, 1}}});
  (void)decode_client_message(damaged(encode(client)));
  const Bytes payload = {1, 0, 1, 1};
  Tick tick;
  tick.chunks = {{{0, 0, 0}, payload}, {{1, 0, 0}, payload}};
  tick.dropped = {{2, 0, 0}};
  tick.digests = {{{0, 0, 0}, 5}};
  tick.layers = {{1, tick.chunks, tick.dropped, tick.digests}};
  const Bytes bytes = damaged(encode(ServerMessage{tick}));
  const auto decoded = decode_server_message(bytes);
  if (!decoded.ok()) RC_ASSERT(!decoded.error().empty());
}

}  // namespace
}  // namespace sluice::protocol::messages_test
