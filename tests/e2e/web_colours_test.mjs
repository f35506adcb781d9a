// Goal: the overlays of layers can be read by those who see fewer colours, too: neighbouring colours of a legend differ in
// lightness, whatever is seen of their hue, and the two sides of a middle are told apart.
// Method: the legends' colours as they are, and as protanopes, deuteranopes and tritanopes see them (the matrices of
// Machado, Oliveira and Fernandes, 2009, for severity 1), compared in CIE L*a*b*.
//
//   node web_colours_test.mjs SOURCE_DIR PACKAGE_JSON   (of the folder with esbuild)
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, load } from "./web_support.mjs";

const { LayerShades } = await load("layer_overlay.ts");

const SIGHTS = {
  everything: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
/** Steps of L* (0 to 100), and of all of a colour, between neighbours. */
const [LIGHTER, APART] = [10, 15];
/** Between colours that are as far from the middle of a ramp on either side. */
const SIDES_APART = 30;

/** L*, a*, b* of a colour, seen so. */
function labOf(colour, sight) {
  const linear = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  const [red, green, blue] = sight.map((row) => Math.min(1, Math.max(0, row.reduce((sum, share, i) => sum + share * linear[i], 0))));
  const cube = (part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
  const x = cube((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
  const y = cube(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = cube((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const apart = (a, b) => Math.hypot(...a.map((part, i) => part - b[i]));

/** The colours of a legend, from left to right. */
function rampOf(name) {
  const { legend } = new LayerShades(drawn(["~"]), null, name, false);
  return [...legend.ramp.matchAll(/rgb\((\d+),(\d+),(\d+)\)/g)].map(([, ...parts]) => parts.map(Number));
}

test("the colours are read as they should be", () => {
  assert.ok(apart(labOf([255, 255, 255], SIGHTS.everything), [100, 0, 0]) < 0.5);
  assert.ok(apart(labOf([255, 0, 0], SIGHTS.everything), [53.2, 80.1, 67.2]) < 0.5);
  // Red and green of one lightness, the classic pair, would fail.
  const [red, green] = [[190, 75, 60], [110, 125, 50]].map((colour) => labOf(colour, SIGHTS["no green"]));
  assert.ok(Math.abs(red[0] - green[0]) < LIGHTER && apart(red, green) < APART);
});

for (const name of ["temperature", "waves", "steam", "tracer:dye"]) {
  const isSided = name === "temperature" || name === "waves";
  for (const [sight, matrix] of Object.entries(SIGHTS)) {
    test(`the legend of ${name} is read by who sees ${sight}`, () => {
      const colours = rampOf(name).map((colour) => labOf(colour, matrix));
      assert.ok(colours.length >= 6);
      for (let i = 0; i + 1 < colours.length; ++i) {
        const lighter = colours[i + 1][0] - colours[i][0];
        // Towards the middle lighter, and darker from there; from little to much darker all the way.
        const rises = isSided && i < (colours.length - 1) / 2;
        assert.ok((rises ? lighter : -lighter) >= LIGHTER, `lightness of colour ${i} and the next: ${lighter}`);
        assert.ok(apart(colours[i], colours[i + 1]) >= APART, `colour ${i} and the next`);
      }
      for (let i = 0; isSided && i < Math.floor(colours.length / 2); ++i) {
        const difference = apart(colours[i], colours.at(-1 - i));
        assert.ok(difference >= SIDES_APART, `colour ${i} from either end: ${difference}`);
      }
    });
  }
}
