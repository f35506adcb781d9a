// Goal: the page reads who is here as the server writes it, bounds it as protocol/limits.h does, and is harmed by no
// bytes; what it says of itself is a message with its place and its name.
//
//   node web_people_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild and the generated code)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const [sourceDir, packagePath] = process.argv.slice(2);
const esbuild = createRequire(packagePath)("esbuild");
const bundle = dirname(packagePath);
const names = { People: "people", Person: "person", Vec3: "vec3", ServerMessage: "server-message", ClientMessage: "client-message",
  Pointer: "pointer", ServerBody: "server-body" };
const { outputFiles } = await esbuild.build({
  stdin: {
    contents: `export * from "./people_wire"; export { decodeServerMessage } from "./messages";
      export { Builder, ByteBuffer } from "flatbuffers";
      ${Object.entries(names).map(([name, file]) => `export { ${name} } from "@wire/${file}";`).join("\n")}`,
    resolveDir: join(sourceDir, "client_stub/web/src"), loader: "ts",
  },
  bundle: true, write: false, format: "esm", nodePaths: [join(bundle, "node_modules")],
  alias: { "@wire": join(bundle, "generated/sluice/protocol/wire") },
});
const page = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
const { Builder, ByteBuffer, ClientMessage, decodeServerMessage, encodePointer, MOST_PEOPLE, nameOf, People, Person, Pointer, readPeople,
  ServerBody, ServerMessage, Vec3 } = page;

/** As the server writes it. */
function bytesOf(people) {
  const builder = new Builder(256);
  const list = people.map(({ number, name, known, at, pointing, sees }) => {
    const text = builder.createString(name);
    Person.startPerson(builder);
    Person.addNumber(builder, BigInt(number));
    Person.addName(builder, text);
    Person.addKnown(builder, known);
    Person.addAt(builder, Vec3.createVec3(builder, at.x, at.y, at.z));
    Person.addPointing(builder, pointing);
    if (sees) Person.addSeesFrom(builder, Vec3.createVec3(builder, sees.from.x, sees.from.y, sees.from.z));
    if (sees) Person.addSeesTo(builder, Vec3.createVec3(builder, sees.to.x, sees.to.y, sees.to.z));
    return Person.endPerson(builder);
  });
  const vector = People.createPeopleVector(builder, list);
  const body = People.createPeople(builder, vector);
  ServerMessage.startServerMessage(builder);
  ServerMessage.addBodyType(builder, ServerBody.People);
  ServerMessage.addBody(builder, body);
  ServerMessage.finishServerMessageBuffer(builder, ServerMessage.endServerMessage(builder));
  return builder.asUint8Array().slice();
}
const ADA = { number: 7, name: "ada", known: true, at: { x: 1, y: -2, z: 3 }, pointing: true,
  sees: { from: { x: 0, y: 5, z: 3 }, to: { x: 70, y: 9, z: 3 } } };
const GUEST = { number: 9, name: "guest", known: false, at: { x: 0, y: 0, z: 0 }, pointing: false, sees: null };

test("people are read as they were written", () => {
  for (const people of [[], [ADA], [ADA, GUEST]]) {
    const message = decodeServerMessage(bytesOf(people));
    assert.equal(message.kind, "people");
    assert.deepEqual(readPeople(message), people);
  }
});

test("there are as many as the server's limit says, and names are what can be printed", () => {
  const limits = readFileSync(join(sourceDir, "protocol/limits.h"), "utf8");
  assert.equal(Number(/kMaxPeople = (\d+)/.exec(limits)[1]), MOST_PEOPLE);
  assert.equal(Number(/kMaxClientNameBytes = (\d+)/.exec(limits)[1]), page.LONGEST_NAME);
  assert.equal(readPeople(decodeServerMessage(bytesOf(Array(MOST_PEOPLE).fill(ADA)))).length, MOST_PEOPLE);
  assert.throws(() => readPeople(decodeServerMessage(bytesOf(Array(MOST_PEOPLE + 1).fill(ADA)))), /65 people/);
  assert.equal(nameOf(" Ada \u2603\n\u0000 B "), "Ada  B");
  assert.equal(nameOf("x".repeat(500)).length, page.LONGEST_NAME);
  assert.equal(readPeople(decodeServerMessage(bytesOf([{ ...ADA, name: "a\u0007b" }])))[0].name, "ab");
});

test("damaged bytes are refused or read within the limits", () => {
  const whole = bytesOf([ADA, GUEST, ADA]);
  let [refused, read] = [0, 0];
  for (let at = 8; at < whole.length; ++at) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const damaged = whole.slice();
      damaged[at] = value;
      try {
        const message = decodeServerMessage(damaged);
        if (message.kind !== "people") continue;
        const people = readPeople(message);
        assert.ok(people.length <= MOST_PEOPLE && people.every(({ name }) => /^[ -~]*$/.test(name)));
        ++read;
      } catch {
        ++refused; // the connection ends, and comes back
      }
    }
  }
  assert.ok(refused > 10 && read > 10, `${refused} refused, ${read} read`);
});

test("a pointer says where and who", () => {
  const message = ClientMessage.getRootAsClientMessage(new ByteBuffer(encodePointer({ x: 4, y: 5, z: 6 }, true, " Ada\u2603 ",
    { from: { x: 1, y: 2, z: 3 }, to: { x: 7, y: 8, z: 9 } })));
  const pointer = message.body(new Pointer());
  assert.deepEqual([pointer.at().x(), pointer.at().y(), pointer.at().z(), pointer.pointing(), pointer.name()], [4, 5, 6, true, "Ada"]);
  assert.deepEqual([pointer.seesFrom().x(), pointer.seesFrom().z(), pointer.seesTo().y(), pointer.seesTo().z()], [1, 3, 8, 9]);
});
