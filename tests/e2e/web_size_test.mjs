// Goal: water is seen soon over a slow line: what the page fetches before its first picture is small, and so is
// all of it.
// Method: the page is bundled as the build does it, and its files are compressed as the server does.
//
//   node web_size_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild and the generated code)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const [sourceDir, packagePath] = process.argv.slice(2);
const MOST_BEFORE_WATER = 60_000;
const MOST = 150_000;

/** The files of the C++ source that the build compiles in, by their paths. */
function bundled() {
  const folder = mkdtempSync(join(tmpdir(), "sluice-size-"));
  try {
    const web = join(sourceDir, "client_stub/web");
    const output = join(folder, "assets.cpp");
    execFileSync(process.execPath, [join(web, "build.mjs"), web, dirname(packagePath), output]);
    const text = readFileSync(output, "utf8");
    const bytes = [...text.matchAll(/kFile\d+\[\] = \{\n([\d,\n]*)\}/g)].map(([, list]) => Buffer.from(list.split(",").map(Number)));
    return new Map([...text.matchAll(/\{"([^"]+)", "[^"]+", text\(kFile(\d+),/g)].map(([, path, i]) => [path, bytes[i]]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the page is small, and most of all what it begins with", () => {
  const files = bundled();
  const page = files.get("/").toString();
  const preloaded = [...page.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, path]) => path);
  const sizeOf = (paths) => paths.reduce((sum, path) => sum + gzipSync(files.get(path), { level: 9 }).length, 0);
  const first = sizeOf(["/", "/viewer.js", "/viewer.css", ...preloaded]);
  const all = sizeOf([...files.keys()]);
  console.log(`${first} bytes before the first water, ${all} in all`);
  assert.ok(first > 20_000 && first <= MOST_BEFORE_WATER, `${first} bytes before the first water`);
  assert.ok(all <= MOST, `${all} bytes in all`);
  assert.ok(preloaded.length < [...files.keys()].filter((path) => path.startsWith("/part-")).length, "nothing is fetched later");
  // What the first files import at once is among them: nothing is found out about only on arrival.
  for (const path of ["/viewer.js", ...preloaded]) {
    for (const [, needed] of files.get(path).toString().matchAll(/(?:from|import)\s*"\.(\/part-[^"]+)"/g)) {
      assert.ok(preloaded.includes(needed), `${path} waits for ${needed}`);
    }
  }
});
