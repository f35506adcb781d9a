// A connection that comes back by itself.
//
//   connecting ──► greeting ──► ready ──► waiting ──► connecting ...
//        └────────────┴───────────────────────┘  (any end leads to waiting, with a growing delay)
import {
  decodeServerMessage, encodeAskResults, encodeCommand, encodeHello, encodePing, encodeResync, encodeResyncPipes,
  encodeSetView,
  PROTOCOL_VERSION, type FromServer, type PeopleMessage, type ResultMessage, type TickMessage, type WelcomeMessage,
} from "./messages";
import type { Command } from "@commands";
import type { Box, Vec3 } from "./geometry";
import type { Operation } from "./operators";
import type { PipeKey } from "./pipes";
import type { PlaybackCommand } from "./playback";
import { Recovery, type Recovered } from "./recovery";

export type ConnectionState = "connecting" | "ready" | "waiting" | "stopped";

export interface ConnectionEvents {
  state(state: ConnectionState, detail: string): void;
  welcome(message: WelcomeMessage): void;
  tick(message: TickMessage): void;
  result(message: ResultMessage): void;
  people?(message: PeopleMessage): void;
  /** What came of the commands that were on their way when the connection was lost. */
  recovered?(found: Recovered): void;
  /** Nothing was heard for so many seconds; 0: there was something now. */
  silent(seconds: number): void;
}

const FIRST_DELAY = 400; // milliseconds
const LONGEST_DELAY = 8000;
const PING_INTERVAL = 5000;
/** How often the line is looked at; one that is silent for so long is asked whether it is there. */
const LOOK_INTERVAL = 1000;
/** So much silence is told of. */
const SLOW_SILENCE = 3000;
/** The server ticks many times a second: this much silence means a dead line. */
const SILENCE_LIMIT = 15000;
/** What the reader of a refusal can do nothing about by waiting. */
const FINAL_REFUSALS = new Set([1]);
/** Another connection of this very page took this one's place: there is nothing to come back for. */
const REPLACED = 7;
/** The refusal that says good-bye to everybody. */
const SHUTDOWN = 5;

export class Connection {
  bytes = 0;
  /** Of the address: another position in the world's history; empty: the world itself. */
  query = "";
  private socket: WebSocket | null = null;
  private isReady = false;
  private stopped = false;
  private delay = FIRST_DELAY;
  private retry: number | undefined;
  private reason = "";
  private lastHeard = 0;
  private lastPing = 0;
  private wasSilent = false;
  private recovery = new Recovery();
  /** Of the other position: what was sent here is not asked for there. */
  private aside = new Recovery();
  private readonly pings: number;
  private readonly wake = () => {
    if (this.retry !== undefined && !document.hidden) this.open();
  };

  constructor(private readonly url: string, private readonly events: ConnectionEvents) {
    this.pings = window.setInterval(() => this.keepAlive(), LOOK_INTERVAL);
    window.addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.open();
  }

  /** For good. */
  stop(): void {
    this.stopped = true;
    window.clearInterval(this.pings);
    window.clearTimeout(this.retry);
    window.removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.socket?.close();
  }

  get ready(): boolean {
    return this.isReady;
  }

  /** Whether nothing was heard for long. */
  get silent(): boolean {
    return this.wasSilent;
  }

  setView(box: Box, layers = 0, level = 0, coarse = 0): void {
    if (this.isReady) this.socket!.send(encodeSetView(box, layers, level, coarse));
  }

  send(bytes: Uint8Array): void {
    if (this.isReady) this.socket!.send(bytes);
  }

  resync(coord: Vec3, layer = 0): void {
    if (this.isReady) this.socket!.send(encodeResync(coord, layer));
  }

  resyncPipes(key: PipeKey): void {
    if (this.isReady) this.socket!.send(encodeResyncPipes(key));
  }

  /** The number that its result will carry, or 0 when there is no connection. */
  command(command: Command | Operation | PlaybackCommand): number {
    if (!this.isReady) return 0;
    const seq = this.recovery.next();
    this.socket!.send(encodeCommand(seq, command));
    return seq;
  }

  /** To another position, at once. */
  move(query: string): void {
    this.query = query;
    [this.recovery, this.aside] = [this.aside, this.recovery];
    this.isReady = false;
    this.socket?.close();
    this.open();
  }

  /** Now, and not when it is due. */
  retryNow(): void {
    if (this.retry !== undefined) this.open();
  }

  private giveUp(why: string): void {
    this.stopped = true;
    this.isReady = false;
    this.events.state("stopped", why);
    this.socket?.close();
  }

  private open(): void {
    window.clearTimeout(this.retry);
    this.retry = undefined;
    this.reason = "";
    this.events.state("connecting", "");
    const socket = new WebSocket(this.url + this.query);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(encodeHello("browser", this.recovery.resume));
    socket.onmessage = (event) => {
      if (this.socket === socket) this.receive(new Uint8Array(event.data as ArrayBuffer));
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.ended(event.reason);
    };
    this.lastHeard = performance.now();
  }

  private receive(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.lastHeard = performance.now();
    let message: FromServer;
    try {
      message = decodeServerMessage(bytes);
      this.handle(message);
    } catch (error) {
      this.reason = error instanceof Error ? error.message : String(error);
      this.socket?.close();
    }
  }

  private handle(message: FromServer): void {
    switch (message.kind) {
      case "welcome":
        if (message.protocolVersion !== PROTOCOL_VERSION) {
          return this.giveUp(`It speaks version ${message.protocolVersion}, this page version ${PROTOCOL_VERSION}`);
        }
        this.isReady = true;
        this.delay = FIRST_DELAY;
        this.events.welcome(message);
        this.events.state("ready", "");
        this.ask(message);
        break;
      case "refused":
        if (message.code === REPLACED) return this.giveUp("This page is connected elsewhere");
        if (FINAL_REFUSALS.has(message.code)) return this.giveUp(`It refuses this page's version: ${message.reason}`);
        this.reason = message.code === SHUTDOWN ? "the server stops" : `refused: ${message.reason}`;
        break;
      case "tick": this.events.tick(message); break;
      case "result":
        if (!this.recovery.answered(message)) this.events.result(message);
        this.tellOfRecovered();
        break;
      case "people": this.events.people?.(message); break;
      case "pong": break;
    }
  }

  private ask(welcome: WelcomeMessage): void {
    const seqs = this.recovery.welcomed(welcome.tick, welcome.resultsKept);
    if (seqs.length > 0) this.socket!.send(encodeAskResults(seqs));
    this.tellOfRecovered();
  }

  private tellOfRecovered(): void {
    const found = this.recovery.take();
    if (found) this.events.recovered?.(found);
  }

  private ended(reason: string): void {
    this.isReady = false;
    this.socket = null;
    if (this.stopped) return;
    // Spread out, so that a thousand pages do not return in the same moment.
    const wait = this.delay * (0.75 + Math.random() / 2);
    this.delay = Math.min(this.delay * 1.7, LONGEST_DELAY);
    this.retry = window.setTimeout(() => this.open(), wait);
    this.events.state("waiting", this.reason || reason || "no answer");
  }

  private keepAlive(): void {
    if (!this.socket) return;
    if (performance.now() - this.lastHeard > SILENCE_LIMIT) {
      const socket = this.socket;
      socket.onclose = null;
      socket.close();
      this.ended("the server fell silent");
      return;
    }
    if (!this.isReady) return;
    const silence = performance.now() - this.lastHeard;
    if (silence > LOOK_INTERVAL || performance.now() - this.lastPing > PING_INTERVAL) {
      this.lastPing = performance.now();
      this.socket.send(encodePing(0));
    }
    if (silence < SLOW_SILENCE && !this.wasSilent) return;
    this.wasSilent = silence >= SLOW_SILENCE;
    this.events.silent(this.wasSilent ? Math.round(silence / 1000) : 0);
  }
}
