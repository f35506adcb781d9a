// What the pointer, or the cursor that keys move, points at: told in a line, in the inspector's card, and chosen by clicks.
import { hoverLine, subjectAt } from "./hover";
import type { Cell } from "./sight";
import type { Known, Subject } from "./subjects";
import type { Viewer } from "./viewer";
import type { ViewerInspector, ViewerPanel, ViewerPipePanel } from "./viewer_parts";

export class Pointing {
  constructor(
    private readonly viewer: Viewer, private readonly panel: ViewerPanel, private readonly pipePanel: ViewerPipePanel,
    private readonly inspector: ViewerInspector | null,
  ) {}

  /** Clicks without a tool choose the node that the pipes' panel shows; with the inspector they pin. */
  clicked(cell: { x: number; y: number }): void {
    if (this.viewer.hand.brush.tool === "inspect") return this.pin(cell);
    const subject = this.subjectAt(cell);
    this.viewer.hand.pipes.chosen = subject?.kind === "node" ? subject.name : null;
    this.viewer.moved();
  }

  private subjectAt(cell: { x: number; y: number; z?: number }): Subject | null {
    const known = this.known();
    const at = { z: this.viewer.slice, ...cell };
    return known && (known.isFar ? this.viewer.far!.subjectNear(at) : subjectAt(known, at));
  }

  /** Keeps what lies there in the inspector, or lets it go. */
  pin(cell = this.viewer.hover): void {
    const subject = this.viewer.hand.hasCells && cell && this.subjectAt(cell);
    if (!subject || !this.inspector) return;
    this.panel.announce(this.inspector.pin(subject));
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
    const { mirror, activity, fixtures, isFar, layers, sight, slice } = viewer;
    if (!mirror || !activity) return null;
    return { mirror, fixtures, activity, slice: sight?.axis === "y" ? null : slice, sees: (z, at) => viewer.sees(z, at), isFar, layers,
      headAt: (x, y) => viewer.painter?.headAt(x, y) ?? null, now: performance.now() };
  }

  /** What lies under the cursor, as one line. */
  text(): string {
    const { hover, isFar, far, slice, peer } = this.viewer;
    if (hover && isFar) return far!.text({ ...hover, z: slice });
    const known = this.known();
    if (!known || !hover) return "";
    const { x, y, z = this.viewer.depth(hover, "in", false) } = hover;
    return hoverLine(known, { x, y, z }, peer?.mirror?.cell(x, y, z), hover.z ?? slice);
  }

  show(): void {
    this.pipePanel.update();
    this.panel.showHover(this.text());
    const { hover, sight, camera, canvas, hand } = this.viewer;
    const subject = hover && this.subjectAt(hover);
    if (!hover) return this.inspector?.hover(null, null);
    const tells = subject !== null && (subject.kind !== "cell" || hand.brush.tool === "inspect");
    const { left, top } = canvas.getBoundingClientRect();
    const spot = sight?.spot ?? { x: camera.screenX(hover.x + 1), y: camera.screenY(hover.y) };
    this.inspector?.hover(tells ? subject : null, { x: left + spot.x, y: top + spot.y });
  }
}
