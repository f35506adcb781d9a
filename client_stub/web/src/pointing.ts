// What the pointer, or the cursor that keys move, points at: told in a line, in the inspector's card, and chosen by clicks.
import { hoverLine, subjectAt } from "./hover";
import type { Cell } from "./sight";
import type { Known, Subject } from "./subjects";
import type { Viewer } from "./viewer";

export class Pointing {
  constructor(private readonly viewer: Viewer) {}

  /** Clicks without a tool choose the node that the pipes' panel shows; with the inspector they pin. */
  clicked(cell: { x: number; y: number }): void {
    const { hand } = this.viewer;
    if (hand.brush.tool === "inspect") return this.pin(cell);
    const subject = this.subjectAt(cell);
    hand.pipes.chosen = subject?.kind === "node" ? subject.name : null;
    this.viewer.moved();
  }

  private subjectAt(cell: { x: number; y: number; z?: number }): Subject | null {
    const known = this.known();
    const at = { z: this.viewer.slice, ...cell };
    return known && (known.isFar ? this.viewer.far!.subjectNear(at) : subjectAt(known, at));
  }

  /** Keeps what lies there in the inspector, or lets it go. */
  pin(cell = this.viewer.hover): void {
    const { hand, inspector, panel } = this.viewer;
    const subject = hand.hasCells && cell && this.subjectAt(cell);
    if (subject && inspector) panel.announce(inspector.pin(subject));
  }

  /** The cell that is seen at a place of the canvas; null: none. */
  cellAt(x: number, y: number): Cell | null {
    const { sight, camera, hand } = this.viewer;
    if (sight?.cellAt) return sight.cellAt(x, y, hand.plane, hand.meansStanding);
    return { x: Math.floor(camera.worldX(x)), y: Math.floor(camera.worldY(y)) };
  }

  /** What the inspector goes by. */
  known(): Known | null {
    const { viewer } = this;
    const { mirror, activity } = viewer;
    return mirror && activity && {
      mirror, fixtures: viewer.fixtures, activity, slice: viewer.sight?.axis === "y" ? null : viewer.slice,
      sees: (z, at) => viewer.sees(z, at), isFar: viewer.isFar, layers: viewer.layers,
      headAt: (x, y) => viewer.painter?.headAt(x, y) ?? null, now: performance.now(),
    };
  }

  /** What lies under the cursor, as one line. */
  text(): string {
    const { viewer } = this;
    const { hover, slice } = viewer;
    if (hover && viewer.isFar) return viewer.far!.text({ ...hover, z: slice });
    const known = this.known();
    if (!known || !hover) return "";
    const { x, y, z = viewer.depth(hover, "in", false) } = hover;
    return hoverLine(known, { x, y, z }, viewer.peer?.mirror?.cell(x, y, z), hover.z ?? slice);
  }

  show(): void {
    const { viewer } = this;
    const { hover, camera, inspector } = viewer;
    viewer.pipePanel.update();
    viewer.panel.showHover(this.text());
    if (!hover) return inspector?.hover(null, null);
    const subject = this.subjectAt(hover);
    const tells = subject && (subject.kind !== "cell" || viewer.hand.brush.tool === "inspect");
    const { left, top } = viewer.canvas.getBoundingClientRect();
    const spot = viewer.sight?.spot ?? { x: camera.screenX(hover.x + 1), y: camera.screenY(hover.y) };
    inspector?.hover(tells ? subject : null, { x: left + spot.x, y: top + spot.y });
  }
}
