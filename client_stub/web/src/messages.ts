// The messages of the wire as plain data. The classes that flatc generates stay in this file.
import { Builder, ByteBuffer } from "flatbuffers";
import { AskResults } from "@wire/ask-results";
import { ClientBody } from "@wire/client-body";
import { ClientMessage } from "@wire/client-message";
import { ClientVec3 } from "@wire/client-vec3";
import { Command } from "@wire/command";
import { CommandResult } from "@wire/command-result";
import { Hello } from "@wire/hello";
import type { LayerChanges } from "@wire/layer-changes";
import { Ping } from "@wire/ping";
import { Refused } from "@wire/refused";
import { Resync } from "@wire/resync";
import { ResyncPipes } from "@wire/resync-pipes";
import { ServerBody } from "@wire/server-body";
import { ServerMessage } from "@wire/server-message";
import { SetView } from "@wire/set-view";
import { Tick } from "@wire/tick";
import { Welcome } from "@wire/welcome";
import type { Box, ChunkSides, Vec3 } from "./geometry";
import type { PipeKey } from "./pipes";

export const PROTOCOL_VERSION = 4;

export interface WelcomeMessage {
  kind: "welcome";
  protocolVersion: number;
  serverVersion: string;
  world: string;
  size: Vec3;
  sides: ChunkSides;
  tick: number;
  tickRate: number;
  water: string;
  /** How many of this page's results the server keeps; 0: none. */
  resultsKept: number;
  /** This page's number among those who are here; 0: the server tells of nobody. */
  person: number;
  /** What the world has beside its cells, by name: a view may ask for them. */
  layers: string[];
  /** Of each of them that is a tracer, what it is; of the others nothing. */
  tracerKinds: string[];
  /** Above 0 that a view may ask for. */
  levelsOfDetail: number;
  /** A view from afar may ask for coarse cells of layers, too. */
  coarseLayers: boolean;
}

/** What makes this page the same client on its next connection. */
export interface Resume {
  token: Uint8Array;
  lastSeq: number;
  sinceTick: number;
}

export interface RefusedMessage {
  kind: "refused";
  code: number;
  reason: string;
}

export interface Counters {
  water: number;
  pipes: number;
  sourced: number;
  drained: number;
  evaporated: number;
  activeChunks: number;
}

/** Where a replay stands. */
export interface Playback {
  firstTick: number;
  lastTick: number;
  playing: boolean;
  /** Thousandths of the recorded speed; 0: as fast as it goes. */
  speed: number;
  /** Between the two recordings that are shown; -1: there is but one. */
  differingCells: number;
  /** Why the ticks that follow cannot be shown; mostly empty. */
  trouble: string;
}

/** Of chunks: those of the cells, or those of a layer. */
export interface Changes {
  chunks: { coord: Vec3; payload: Uint8Array }[];
  dropped: Vec3[];
  digests: { coord: Vec3; digest: bigint }[];
  /** With which chances deltas begin from here on (columns.ts); null: as before. */
  lesson: Uint8Array | null;
}

export interface TickMessage extends Changes {
  kind: "tick";
  tick: number;
  counters: Counters;
  pipes: { key: PipeKey; payload: Uint8Array }[];
  pipesDropped: PipeKey[];
  pipeDigests: { key: PipeKey; digest: bigint }[];
  /** Null: the world is a live one. */
  playback: Playback | null;
  /** Has the layers' changes: read by the part that asked for them (layers.ts). */
  wire: Tick;
}

export interface ResultMessage {
  kind: "result";
  seq: number;
  applied: boolean;
  tick: number;
  reason: string;
  /** 0 new, 1 told again, 2 nobody knows, 3 the command never came. */
  told: number;
}

export interface PongMessage {
  kind: "pong";
  nonce: number;
}

/** Read by the part that asked for it (people_wire.ts). */
export interface PeopleMessage {
  kind: "people";
  message: ServerMessage;
}

export type FromServer = WelcomeMessage | RefusedMessage | TickMessage | ResultMessage | PongMessage | PeopleMessage;

export function envelope(type: ClientBody, build: (builder: Builder) => number): Uint8Array {
  const builder = new Builder(256);
  const body = build(builder);
  ClientMessage.startClientMessage(builder);
  ClientMessage.addBodyType(builder, type);
  ClientMessage.addBody(builder, body);
  ClientMessage.finishClientMessageBuffer(builder, ClientMessage.endClientMessage(builder));
  return builder.asUint8Array();
}

export function encodeHello(clientName: string, resume: Resume): Uint8Array {
  return envelope(ClientBody.Hello, (builder) => {
    const name = builder.createString(clientName);
    const token = Hello.createResumeTokenVector(builder, resume.token);
    return Hello.createHello(builder, PROTOCOL_VERSION, name, token, BigInt(resume.lastSeq), BigInt(resume.sinceTick));
  });
}

export function encodeAskResults(seqs: number[]): Uint8Array {
  return envelope(ClientBody.AskResults, (builder) =>
    AskResults.createAskResults(builder, AskResults.createSeqsVector(builder, seqs.map(BigInt))));
}

/** `layers`: bit i asks for the i-th of the welcome. `level` of detail; 0: the cells. `coarse`: layers of coarse cells. */
export function encodeSetView(box: Box, layers: number, level: number, coarse: number): Uint8Array {
  return envelope(ClientBody.SetView, (builder) => {
    SetView.startSetView(builder);
    const { from, size } = box;
    SetView.addFrom(builder, ClientVec3.createClientVec3(builder, from.x, from.y, from.z));
    SetView.addSize(builder, ClientVec3.createClientVec3(builder, size.x, size.y, size.z));
    SetView.addLayers(builder, layers);
    SetView.addLevelOfDetail(builder, level);
    SetView.addCoarseLayers(builder, coarse);
    return SetView.endSetView(builder);
  });
}

export function encodeCommand(seq: number, command: object): Uint8Array {
  return envelope(ClientBody.Command, (builder) => {
    const json = builder.createString(JSON.stringify(command));
    return Command.createCommand(builder, BigInt(seq), json);
  });
}

export function encodePing(nonce: number): Uint8Array {
  return envelope(ClientBody.Ping, (builder) => Ping.createPing(builder, BigInt(nonce)));
}

/** `layer`: 0 for the cells, else its place in the welcome, counted from 1, and after those the levels of detail. */
export function encodeResync(coord: Vec3, layer: number): Uint8Array {
  return envelope(ClientBody.Resync, (builder) => {
    Resync.startResync(builder);
    Resync.addCoord(builder, ClientVec3.createClientVec3(builder, coord.x, coord.y, coord.z));
    Resync.addLayer(builder, layer);
    return Resync.endResync(builder);
  });
}

export function encodeResyncPipes(key: PipeKey): Uint8Array {
  return envelope(ClientBody.ResyncPipes, (builder) => {
    const { x, y, z } = key.coord;
    ResyncPipes.startResyncPipes(builder);
    ResyncPipes.addCoord(builder, ClientVec3.createClientVec3(builder, x, y, z));
    ResyncPipes.addPart(builder, key.part);
    return ResyncPipes.endResyncPipes(builder);
  });
}

/** Throws when the bytes are no message of this protocol. */
export function decodeServerMessage(bytes: Uint8Array): FromServer {
  const buffer = new ByteBuffer(bytes);
  if (bytes.length < 8 || !ServerMessage.bufferHasIdentifier(buffer)) {
    throw new Error("the server sent something else than its messages");
  }
  const message = ServerMessage.getRootAsServerMessage(buffer);
  switch (message.bodyType()) {
    case ServerBody.Welcome: return readWelcome(message.body(new Welcome()) as Welcome);
    case ServerBody.Refused: return readRefused(message.body(new Refused()) as Refused);
    case ServerBody.Tick: return readTick(message.body(new Tick()) as Tick);
    case ServerBody.CommandResult:
      return readResult(message.body(new CommandResult()) as CommandResult);
    case ServerBody.People: return { kind: "people", message };
    case ServerBody.Pong: return { kind: "pong", nonce: 0 };
    default: throw new Error(`the server sent a message of the unknown kind ${message.bodyType()}`);
  }
}

function plain(vec: Vec3Like): Vec3 {
  return { x: vec.x(), y: vec.y(), z: vec.z() };
}
interface Vec3Like {
  x(): number;
  y(): number;
  z(): number;
}

function readWelcome(welcome: Welcome): WelcomeMessage {
  const size = welcome.size();
  if (!size) throw new Error("the server's welcome lacks the world's size");
  return {
    kind: "welcome",
    protocolVersion: welcome.protocolVersion(),
    serverVersion: welcome.serverVersion() ?? "",
    world: welcome.world() ?? "",
    size: plain(size),
    sides: { logX: welcome.chunkLogX(), logY: welcome.chunkLogY(), logZ: welcome.chunkLogZ() },
    tick: Number(welcome.tick()),
    tickRate: welcome.tickRate(),
    water: welcome.water() ?? "",
    resultsKept: welcome.resultsKept(),
    person: Number(welcome.person()),
    layers: Array.from({ length: welcome.layersLength() }, (_, i) => welcome.layers(i)),
    tracerKinds: Array.from({ length: welcome.tracerKindsLength() }, (_, i) => welcome.tracerKinds(i)),
    levelsOfDetail: welcome.levelsOfDetail(),
    coarseLayers: welcome.coarseLayers(),
  };
}

function readRefused(refused: Refused): RefusedMessage {
  return { kind: "refused", code: refused.code(), reason: refused.reason() ?? "" };
}

function readResult(result: CommandResult): ResultMessage {
  return {
    kind: "result",
    seq: Number(result.seq()),
    applied: result.applied(),
    tick: Number(result.tick()),
    reason: result.reason() ?? "",
    told: result.kind(),
  };
}

/** Throws where payloads are missing. */
export function readChanges(wire: Tick | LayerChanges): Changes {
  const payloads = wire.payloadsArray() ?? new Uint8Array(0);
  const changes: Changes = { chunks: [], dropped: [], digests: [], lesson: wire.lessonArray() };
  let offset = 0;
  for (let i = 0; i < wire.chunksLength(); ++i) {
    const span = wire.chunks(i)!;
    const end = offset + span.bytes();
    if (end > payloads.length) throw new Error("a tick's chunks are longer than their payloads");
    changes.chunks.push({ coord: plain(span), payload: payloads.subarray(offset, end) });
    offset = end;
  }
  for (let i = 0; i < wire.droppedLength(); ++i) changes.dropped.push(plain(wire.dropped(i)!));
  for (let i = 0; i < wire.digestsLength(); ++i) {
    const digest = wire.digests(i)!;
    changes.digests.push({ coord: plain(digest), digest: digest.digest() });
  }
  return changes;
}

function readTick(tick: Tick): TickMessage {
  const message: TickMessage = {
    kind: "tick",
    tick: Number(tick.tick()),
    counters: {
      water: Number(tick.water()),
      pipes: Number(tick.pipes()),
      sourced: Number(tick.sourced()),
      drained: Number(tick.drained()),
      evaporated: Number(tick.evaporated()),
      activeChunks: Number(tick.activeChunks()),
    },
    ...readChanges(tick),
    pipes: [],
    pipesDropped: [],
    pipeDigests: [],
    playback: readPlayback(tick),
    wire: tick,
  };
  readPipes(tick, message);
  return message;
}

function readPlayback(tick: Tick): Playback | null {
  const playback = tick.playback();
  return playback && {
    firstTick: Number(playback.firstTick()),
    lastTick: Number(playback.lastTick()),
    playing: playback.playing(),
    speed: playback.speed(),
    differingCells: Number(playback.differingCells()),
    trouble: playback.trouble() ?? "",
  };
}

function plainKey(key: Vec3Like & { part(): number }): PipeKey {
  return { coord: plain(key), part: key.part() };
}

function readPipes(tick: Tick, message: TickMessage): void {
  const payloads = tick.sectionPayloadsArray() ?? new Uint8Array(0);
  let offset = 0;
  for (let i = 0; i < tick.sectionsLength(); ++i) {
    const span = tick.sections(i)!;
    const end = offset + span.bytes();
    if (end > payloads.length) throw new Error("a tick's pipes are longer than their payloads");
    message.pipes.push({ key: plainKey(span.key()!), payload: payloads.subarray(offset, end) });
    offset = end;
  }
  for (let i = 0; i < tick.sectionsDroppedLength(); ++i) {
    message.pipesDropped.push(plainKey(tick.sectionsDropped(i)!));
  }
  for (let i = 0; i < tick.sectionDigestsLength(); ++i) {
    const digest = tick.sectionDigests(i)!;
    message.pipeDigests.push({ key: plainKey(digest.key()!), digest: digest.digest() });
  }
}
