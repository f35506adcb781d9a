// Goal: a film ends when somebody ends it, after its time, at its size, or where the encoder fails, and what there is of
// it is saved once; a browser that records none says so.
// Method: the module by itself, with an encoder that the test drives.
//
//   node web_pictures_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "./web_support.mjs";

let saved;
let said;
let encoder;
let timers;
let attributes;

class Encoder extends EventTarget {
  static kinds = ["video/webm"];
  static isTypeSupported = (kind) => Encoder.kinds.includes(kind);
  static hangs = false;
  state = "inactive";

  constructor(stream, options) {
    super();
    encoder = Object.assign(this, { stream, options });
  }
  start() {
    this.state = "recording";
  }
  stop() {
    this.state = "inactive";
    if (!Encoder.hangs) this.dispatchEvent(new Event("stop"));
  }
  gives(size) {
    this.dispatchEvent(Object.assign(new Event("dataavailable"), { data: new Blob(["x".repeat(size)]) }));
  }
}

function element(tag) {
  return {
    tag, click() { saved.push(this.download); }, classList: { toggle: () => undefined },
    setAttribute: (name, value) => (attributes[name] = value),
    getContext: () => ({ drawImage: () => undefined }),
    captureStream: (rate) => ({ rate }),
  };
}

const record = element("button");
globalThis.document = { createElement: element, getElementById: () => record };
globalThis.window = {
  MediaRecorder: Encoder,
  setInterval: (act, every) => timers.push({ act, every }),
  setTimeout: (act, after) => timers.push({ act, after }),
  clearTimeout: (number) => (timers[number - 1].cleared = true),
};
globalThis.MediaRecorder = Encoder;
URL.createObjectURL = () => "blob:";
const { MOST, toggleFilm } = await load("pictures.ts");

const viewer = {
  canvas: { width: 4001, height: 300 }, mirror: { tick: 7, welcome: { world: "cave" } },
  paint: () => undefined, screen: { flatten: () => undefined },
};
const toggle = () => toggleFilm(() => viewer, { tell: (text) => said.push(text), warn: (text) => said.push(`! ${text}`) });

beforeEach(() => {
  [saved, said, timers, attributes, encoder] = [[], [], [], {}, null];
  Object.assign(window, { MediaRecorder: Encoder });
});

function expectSavedOnce() {
  assert.deepEqual(saved, ["cave-7.webm"]);
  assert.equal(attributes["aria-pressed"], "false");
  assert.equal(encoder.state, "inactive");
  assert.ok(timers.filter(({ every, after }) => every || after === MOST.milliseconds).every(({ cleared }) => cleared));
}

test("it ends when it is asked for once more", () => {
  toggle();
  assert.equal(attributes["aria-pressed"], "true");
  encoder.gives(100);
  toggle();
  expectSavedOnce();
  assert.deepEqual(said, ["Recording, for a minute at most; once more to end it", "Saved cave-7.webm"]);
});

test("it ends after its time", () => {
  toggle();
  encoder.gives(100);
  timers.find(({ after }) => after === MOST.milliseconds).act();
  expectSavedOnce();
});

test("it ends at its size", () => {
  const most = MOST.bytes;
  MOST.bytes = 1000;
  toggle();
  encoder.gives(999);
  assert.equal(encoder.state, "recording");
  encoder.gives(1);
  expectSavedOnce();
  MOST.bytes = most;
});

test("where the encoder fails, what there is of it is saved; nothing, where there is nothing", () => {
  toggle();
  encoder.gives(10);
  encoder.stop(); // by itself
  expectSavedOnce();
  saved = [];
  toggle();
  encoder.stop();
  assert.deepEqual(saved, []);
  assert.equal(said.at(-1), "! The browser recorded nothing; the next film uses another encoder, where there is one");
  assert.equal(attributes["aria-pressed"], "false");
});

test("an encoder that gave nothing is left for the next, and tried again after the last", () => {
  Encoder.kinds = ["video/webm;codecs=vp9", "video/webm;codecs=vp8"];
  const used = [];
  for (let film = 0; film < 3; ++film) {
    toggle();
    used.push(encoder.options.mimeType.slice(-3));
    encoder.stop();
  }
  assert.deepEqual(used, ["vp9", "vp8", "vp9"]);
  Encoder.kinds = ["video/webm"];
});

test("an encoder that never ends is waited for so long, and what it gave until then is saved", () => {
  toggle();
  encoder.gives(10);
  Encoder.hangs = true;
  toggle();
  Encoder.hangs = false;
  assert.deepEqual(saved, []);
  timers.find(({ after }) => after === MOST.ending).act();
  expectSavedOnce();
  encoder.dispatchEvent(new Event("stop")); // after all
  assert.deepEqual(saved, ["cave-7.webm"]);
});

test("a browser that records none, or refuses to, says so", () => {
  delete window.MediaRecorder;
  toggle();
  window.MediaRecorder = Encoder;
  const { start } = Encoder.prototype;
  Encoder.prototype.start = () => { throw new Error("no codec"); };
  toggle();
  Encoder.prototype.start = start;
  assert.deepEqual(said, ["! This browser records no films", "! This browser records no films"]);
  assert.deepEqual(saved, []);
  toggle(); // and may be asked again
  encoder.gives(1);
  toggle();
  expectSavedOnce();
});
