// Bundles the viewer and writes it as a C++ source: node build.mjs SOURCE_DIR BUNDLE_DIR OUTPUT.cpp
// BUNDLE_DIR holds node_modules (npm ci) and generated/ (flatc). esbuild is found there, because the
// source tree holds no packages.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

const [sourceDir, bundleDir, output] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(bundleDir, "package.json"))("esbuild");

/** What flatc makes can read and write every message, and bundlers keep a class whole: methods that nothing calls are
 *  left out, of its classes and of FlatBuffers' own. Of each message the page reads what a server sends, or writes what a
 *  client sends; the other half falls away with that. */
const scripts = readdirSync(join(sourceDir, "src")).map((name) => readFileSync(join(sourceDir, "src", name), "utf8"));
const writes = (name) => scripts.some((text) => new RegExp(`\\b${name}\\.(?:start|add|create|end|finish)\\w*\\(`).test(text));
const without = (contents, pattern, isCalled) => contents.replace(pattern, (method, isStatic, name) =>
  /^(?:constructor|__init)$/.test(name) || isCalled(name, isStatic) ? method : "");
/** The page makes those classes itself that it names, and hands them over to be filled. */
const isNamed = (name) => scripts.some((text) => new RegExp(`^import (?:type )?\\{ ${name} \\} from "@wire/`, "m").test(text));
/** One class: its static methods are called by its name, within it, too. Or a union, whose functions would bring in
 *  the classes of all messages with the first. */
function lean(contents) {
  const name = /^export class (\w+)/m.exec(contents)?.[1];
  if (!name) return contents.replace(/^export function [^]*?^}\n/gm, "");
  contents = contents.replace(/\(obj \|\| new (\w+)\(\)\)/g, (made, type) => (type !== name && isNamed(type) ? "obj!" : made));
  const own = writes(name) ? [...scripts, contents] : scripts;
  return without(contents, /^(static )?(\w+)\([^]*?^}\n/gm, (method, isStatic) =>
    (isStatic ? own : scripts).some((text) => new RegExp(`${isStatic ? `\\b${name}` : ""}\\.${method}\\(`).test(text)));
}
const wire = join(bundleDir, "generated/sluice/protocol/wire");
const messages = readdirSync(wire).map((name) => lean(readFileSync(join(wire, name), "utf8")));
const library = ["builder.js", "byte-buffer.js"].map(
  (name) => readFileSync(join(bundleDir, "node_modules/flatbuffers/mjs", name), "utf8"),
);
const callers = [...messages, ...scripts, ...library].join("\n");
const leanLibrary = (contents) =>
  without(contents, /^ {4}(static )?(\w+)\([^]*?^ {4}}$/gm, (method) => callers.includes(`.${method}(`));
/** The programs of a graphics card are texts within scripts, which no bundler makes smaller. */
const leanShaders = (contents) => contents.replace(/^ +/gm, "").replace(/^\/\*\*[^]*?\*\/\n/gm, "").replace(/ *\/\/ .*$/gm, "")
  .replace(/ ?([=<>*?:,;&|{}()]) ?/g, "$1");
const leaner = {
  name: "lean",
  setup(build) {
    const load = (filter, loader, change) => build.onLoad({ filter }, ({ path }) =>
      ({ contents: change(readFileSync(path, "utf8")), loader }));
    load(/generated\/sluice\/protocol\/wire\/.*\.ts$/, "ts", lean);
    load(/_shader\.ts$/, "ts", leanShaders);
    load(/flatbuffers\/mjs\/(?:builder|byte-buffer)\.js$/, "js", leanLibrary);
  },
};

const result = await esbuild.build({
  entryPoints: [join(sourceDir, "src/main.ts")],
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  plugins: [leaner],
  format: "esm",
  // What the page imports later is a file of its own, fetched when it is wanted.
  splitting: true,
  entryNames: "viewer",
  chunkNames: "part-[hash]",
  target: "es2022",
  nodePaths: [join(bundleDir, "node_modules")],
  alias: { "@wire": join(bundleDir, "generated/sluice/protocol/wire") },
  outdir: bundleDir,
  logLevel: "warning",
});
const styleOf = async (name) => (await esbuild.transform(readFileSync(join(sourceDir, name), "utf8"), {
  loader: "css", minify: true,
})).code;

const nameOf = (path) => `/${basename(path)}`;
/** Files that the page's script cannot begin without: they are fetched beside it, and not after it. */
const needed = Object.entries(result.metafile.outputs)
  .find(([path]) => nameOf(path) === "/viewer.js")[1].imports.filter(({ kind }) => kind === "import-statement");
const links = needed.map(({ path }) => `<link rel="modulepreload" href="${nameOf(path)}">\n`).join("");
const page = readFileSync(join(sourceDir, "index.html"), "utf8").replace(/^ +/gm, "").replace("</head>", `${links}</head>`);

const worker = await esbuild.transform(readFileSync(join(sourceDir, "worker.js"), "utf8"), { minify: true });
const plain = (name) => readFileSync(join(sourceDir, name));

const files = [
  ["/", "text/html; charset=utf-8", Buffer.from(page)],
  ...result.outputFiles.map(({ path, contents }) =>
    [nameOf(path), "text/javascript; charset=utf-8", Buffer.from(contents)]),
  ["/viewer.css", "text/css; charset=utf-8", Buffer.from(await styleOf("style.css"))],
  ["/late.css", "text/css; charset=utf-8", Buffer.from(await styleOf("late.css"))],
  ["/worker.js", "text/javascript; charset=utf-8", Buffer.from(worker.code)],
  ["/offline.html", "text/html; charset=utf-8", plain("offline.html")],
  ["/offline.js", "text/javascript; charset=utf-8", plain("offline.js")],
  ["/manifest.webmanifest", "application/manifest+json", plain("manifest.webmanifest")],
  ["/icon.svg", "image/svg+xml", plain("icon.svg")],
];

function bytesOf(buffer) {
  const lines = [];
  for (let at = 0; at < buffer.length; at += 24) {
    lines.push([...buffer.subarray(at, at + 24)].join(","));
  }
  return lines.join(",\n");
}

let source = `// Written by client_stub/web/build.mjs.
#include "server/net/viewer_assets.h"

namespace sluice::net {

namespace {

`;
files.forEach(([, , bytes], i) => {
  source += `constexpr unsigned char kFile${i}[] = {\n${bytesOf(bytes)}};\n\n`;
});
source += `std::string text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::vector<Asset> viewer_assets() {
  return {
`;
files.forEach(([path, type], i) => {
  source += `      {"${path}", "${type}", text(kFile${i}, sizeof(kFile${i}))},\n`;
});
source += `  };
}

}  // namespace sluice::net
`;
writeFileSync(output, source);
