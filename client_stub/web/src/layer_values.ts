// What the numbers of the layers mean (protocol/layers.h), and how they are told.

/** Temperatures come in quarters of a degree, 1 for the coldest. */
const [IN_DEGREE, COLDEST, HOTTEST] = [4, -100, 200];
/** Heights of waves come in parts of a cell, up to four cells either way. */
const [IN_CELL, HIGHEST] = [64, 4];
/** Degrees; null: the cell has no temperature, or none that there can be. */
export function degreesOf(told: number): number | null {
  const degrees = (told - 1) / IN_DEGREE + COLDEST;
  return told > 0 && degrees <= HOTTEST ? degrees : null;
}

/** Cells above the surface at rest; null: there can be no such wave. */
export function waveOf(told: number): number | null {
  const cells = told === 0 ? 0 : (told - 1) / IN_CELL - HIGHEST;
  return told >= 0 && Math.abs(cells) <= HIGHEST ? cells : null;
}

export function degreesText(degrees: number): string {
  return `${degrees.toLocaleString("en", { maximumFractionDigits: 2 })} °C`;
}

export function waveText(cells: number): string {
  if (cells === 0) return "none";
  return `${Math.abs(cells).toLocaleString("en", { maximumFractionDigits: 2 })} cells ${cells > 0 ? "high" : "deep"}`;
}
