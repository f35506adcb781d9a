// What the tests of parts that read messages share: those parts bundled together with the generated code, and messages
// as a server writes them, with chunks as keyframes of rows.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const [sourceDir, packagePath] = process.argv.slice(2);
const bundle = dirname(packagePath);
const wire = { LayerChanges: "layer-changes", Tick: "tick", Welcome: "welcome", Vec3: "vec3", ChunkSpan: "chunk-span",
  ChunkDigest: "chunk-digest", ServerMessage: "server-message", ServerBody: "server-body", ClientMessage: "client-message",
  SetView: "set-view", Resync: "resync" };

/** What the page's modules export, as one: `exports` are the statements that name it. */
async function loadAll(exports) {
  const { outputFiles } = await createRequire(packagePath)("esbuild").build({
    stdin: {
      contents: `${exports}
        export * from "./messages"; export { chunkChecksum } from "./checksum"; export { Builder, ByteBuffer } from "flatbuffers";
        ${Object.entries(wire).map(([name, file]) => `export { ${name} } from "@wire/${file}";`).join("\n")}`,
      resolveDir: join(sourceDir, "client_stub/web/src"), loader: "ts",
    },
    bundle: true, write: false, format: "esm", nodePaths: [join(bundle, "node_modules")],
    alias: { "@wire": join(bundle, "generated/sluice/protocol/wire") },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

export const CELLS = 4096;
export const cellsOf = (value) => Int32Array.from({ length: CELLS }, (_, i) => value(i));

/** The modules, and what makes messages for them. */
export async function loadWithWire(exports) {
  const page = await loadAll(exports);
  const { Builder, ChunkDigest, ChunkSpan, decodeServerMessage, LayerChanges, ServerBody, ServerMessage, Tick, Vec3, Welcome } = page;

  /** A keyframe of a row. */
  function payloadOf(cells) {
    const bytes = [1, 0];
    const varint = (value) => {
      for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
      bytes.push(value);
    };
    varint(CELLS);
    cells.forEach((cell, i) => {
      const difference = cell - (i === 0 ? 0 : cells[i - 1]);
      varint(((difference << 1) ^ (difference >> 31)) >>> 0);
    });
    return bytes;
  }

  function message(type, build) {
    const builder = new Builder(256);
    const body = build(builder);
    ServerMessage.startServerMessage(builder);
    ServerMessage.addBodyType(builder, type);
    ServerMessage.addBody(builder, body);
    ServerMessage.finishServerMessageBuffer(builder, ServerMessage.endServerMessage(builder));
    return decodeServerMessage(builder.asUint8Array().slice());
  }
  const structs = (builder, list, start, create) => {
    start(builder, list.length);
    for (const each of list.toReversed()) create(builder, each);
    return builder.endVector();
  };

  /** A tick of layers: {layer, chunks: [[coord, cells]], dropped, digests: [[coord, digest]]}; `cut`: bytes that are missing. */
  function tickOf(layers, cells = [], cut = 0) {
    return message(ServerBody.Tick, (builder) => {
      const spans = (type, chunks) => {
        const payloads = chunks.map(([, content]) => payloadOf(content));
        return [
          structs(builder, chunks.map(([coord], i) => [coord, payloads[i].length]), type.startChunksVector,
            (each, [{ x, y, z }, bytes]) => ChunkSpan.createChunkSpan(each, x, y, z, bytes)),
          type.createPayloadsVector(builder, payloads.flat().slice(0, cut === 0 ? undefined : -cut)),
        ];
      };
      const changes = layers.map(({ layer, chunks = [], dropped = [], digests = [] }) => LayerChanges.createLayerChanges(builder, layer,
        ...spans(LayerChanges, chunks),
        structs(builder, dropped, LayerChanges.startDroppedVector, (each, { x, y, z }) => Vec3.createVec3(each, x, y, z)),
        structs(builder, digests, LayerChanges.startDigestsVector, (each, [{ x, y, z }, sum]) => ChunkDigest.createChunkDigest(each, x, y, z, sum))));
      const list = Tick.createLayersVector(builder, changes);
      const [chunks, payloads] = spans(Tick, cells);
      Tick.startTick(builder);
      Tick.addTick(builder, 5n);
      Tick.addLayers(builder, list);
      Tick.addChunks(builder, chunks);
      Tick.addPayloads(builder, payloads);
      return Tick.endTick(builder);
    });
  }

  function welcomeOf(layers, size, sides, levelsOfDetail = 0, coarseLayers = false) {
    return message(ServerBody.Welcome, (builder) => {
      const names = Welcome.createLayersVector(builder, layers.map((name) => builder.createString(name)));
      Welcome.startWelcome(builder);
      Welcome.addLayers(builder, names);
      Welcome.addLevelsOfDetail(builder, levelsOfDetail);
      Welcome.addCoarseLayers(builder, coarseLayers);
      Welcome.addSize(builder, Vec3.createVec3(builder, size.x, size.y, size.z));
      Welcome.addChunkLogX(builder, sides.logX);
      Welcome.addChunkLogY(builder, sides.logY);
      Welcome.addChunkLogZ(builder, sides.logZ);
      return Welcome.endWelcome(builder);
    });
  }

  return { ...page, message, tickOf, welcomeOf };
}
