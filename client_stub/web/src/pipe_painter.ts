// Paints pipe networks over the picture of the cells: nodes with their fill, links with arrows that
// move as the fluid does, ports between nodes and cells.
import type { Vec3 } from "./geometry";
import { fade, type Lens } from "./lens";
import { nodeRadius, type LinkView, type Networks, type NodeView, type PipeMirror, type PortView } from "./pipe_mirror";

const CASING = "#9aa7b8";
const CASING_DARK = "#2a3342";
const CHOSEN = "#ffd666";
const STATE_COLOURS = { idle: "#c3cedd", running: "#7fe0a8", blocked: "#ff9090", outside: "#ff9090" };
/** Below this many pixels a cell, nodes are dots and arrows are left out. */
const DETAIL_SCALE = 5;

/** Fluids other than water get a colour of their own, the same on every page. */
export function fluidColour(fluid: string, alpha = 1): string {
  if (fluid === "water") return `rgba(79, 176, 230, ${alpha})`;
  let hash = 7;
  for (let i = 0; i < fluid.length; ++i) hash = (Math.imul(hash, 31) + fluid.charCodeAt(i)) >>> 0;
  return `hsla(${20 + (hash % 11) * 16}, 75%, 58%, ${alpha})`;
}

export interface PipeScene {
  camera: Lens;
  /** Whether what stands at that depth is seen. */
  sees(z: number): boolean;
  chosen: string | null;
  /** A link or port in the making: from a node to where the pointer is, in cells. */
  rubber: { from: Vec3; to: Vec3 } | null;
}

export class PipePainter {
  constructor(private readonly pipes: PipeMirror) {}

  /** Returns whether something moves, and the next frame will look different. */
  paint(context: CanvasRenderingContext2D, scene: PipeScene, seconds: number): boolean {
    const { networks } = this.pipes;
    let moves = false;
    context.save();
    context.lineCap = "round";
    context.lineJoin = "round";
    for (const link of networks.links) moves = this.link(context, scene, link, seconds) || moves;
    for (const port of networks.ports) moves = this.port(context, scene, port, seconds) || moves;
    for (const view of networks.nodes) {
      if (this.shown(scene, view)) this.node(context, scene, view, seconds);
    }
    this.rubber(context, scene);
    context.restore();
    return moves || this.pumpsTurn(networks);
  }

  private pumpsTurn({ nodes }: Networks): boolean {
    return nodes.some(({ node }) => node.kind === "pump" && node.rate > 0 && node.at !== null);
  }

  private shown(scene: PipeScene, view: NodeView): boolean {
    return view.node.at !== null && scene.sees(view.node.at.z);
  }

  private link(
    context: CanvasRenderingContext2D, scene: PipeScene, link: LinkView, seconds: number,
  ): boolean {
    if (!this.shown(scene, link.from) || !this.shown(scene, link.to)) return false;
    const { camera } = scene;
    const [x1, y1] = camera.spot(link.from.node.at!);
    const [x2, y2] = camera.spot(link.to.node.at!);
    if (outOfSight(camera, Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))) {
      return false;
    }
    fade(context, camera, link.from.node.at!, link.to.node.at!);
    const width = Math.max(1.5, camera.scale * 0.42);
    const shut = !link.from.node.open || !link.to.node.open;
    stroke(context, x1, y1, x2, y2, width + Math.max(1, camera.scale * 0.12), CASING_DARK);
    stroke(context, x1, y1, x2, y2, width, shut ? "#5b6472" : CASING);
    const fill = (link.from.fill + link.to.fill) / 2;
    if (fill > 0) {
      const inner = width * (0.25 + 0.5 * fill);
      stroke(context, x1, y1, x2, y2, inner, fluidColour(link.from.node.fluid));
    }
    if (camera.scale < DETAIL_SCALE) return false;
    const pump = link.to.node.kind === "pump" || link.from.node.kind === "pump";
    if (link.oneWay && !pump) checkValve(context, x1, y1, x2, y2, camera.scale);
    const flow = link.flow;
    if (flow === 0) return false;
    if (flow > 0) arrows(context, x1, y1, x2, y2, flow, camera.scale, seconds);
    else arrows(context, x2, y2, x1, y1, -flow, camera.scale, seconds);
    return true;
  }

  private port(
    context: CanvasRenderingContext2D, scene: PipeScene, view: PortView, seconds: number,
  ): boolean {
    const { camera } = scene;
    const { port } = view;
    const from = view.owner.node.at;
    if (!scene.sees(port.cell.z)) return false;
    const { state, moved } = view.shows;
    const [x, y] = camera.spot(port.cell);
    const half = Math.max(4, camera.scale * 0.44);
    fade(context, camera, port.cell);
    // On a dark frame, so that it is seen on rock and water alike.
    context.strokeStyle = CASING_DARK;
    context.lineWidth = Math.max(3, camera.scale * 0.18);
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    context.strokeStyle = STATE_COLOURS[state];
    context.lineWidth = Math.max(1.5, camera.scale * 0.09);
    context.setLineDash([half * 0.5, half * 0.35]);
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    if (from && scene.sees(from.z)) {
      const [nodeX, nodeY] = camera.spot(from);
      if (nodeX !== x || nodeY !== y) {
        context.beginPath();
        context.moveTo(nodeX, nodeY);
        context.lineTo(x, y);
        context.stroke();
      }
    }
    context.setLineDash([]);
    if (camera.scale < DETAIL_SCALE) return false;
    // Chevrons in the cell: down into the grid, up into the pipe.
    const beat = moved === 0 ? 0.5 : (seconds * 1.6) % 1;
    if (port.kind !== "outlet") this.chevron(context, x, y, half, moved > 0 ? beat : 0.5, -1, state);
    if (port.kind !== "inlet") this.chevron(context, x, y, half, moved < 0 ? beat : 0.5, 1, state);
    return moved !== 0;
  }

  private chevron(
    context: CanvasRenderingContext2D, x: number, y: number, half: number, beat: number,
    down: number, state: keyof typeof STATE_COLOURS,
  ): void {
    const top = y + down * half * (beat - 0.5) * 1.2 + (down * half) / 4;
    context.strokeStyle = STATE_COLOURS[state];
    context.lineWidth = Math.max(1.2, half * 0.24);
    context.beginPath();
    context.moveTo(x - half * 0.5, top - (down * half) / 2);
    context.lineTo(x, top);
    context.lineTo(x + half * 0.5, top - (down * half) / 2);
    context.stroke();
  }

  private node(
    context: CanvasRenderingContext2D, scene: PipeScene, view: NodeView, seconds: number,
  ): void {
    const { camera } = scene;
    const { node } = view;
    const [x, y] = camera.spot(node.at!);
    if (outOfSight(camera, x, y, x, y)) return;
    fade(context, camera, node.at!);
    const half = Math.max(2, camera.scale * nodeRadius(view));
    const border = Math.max(1, camera.scale * 0.1);
    const round = node.kind === "pump" ? half : Math.max(1, camera.scale * 0.22);
    const outline = () => {
      context.beginPath();
      context.roundRect(x - half, y - half, 2 * half, 2 * half, round);
    };
    outline();
    context.fillStyle = "rgba(16, 22, 33, 0.88)";
    context.fill();
    context.save();
    context.clip();
    context.fillStyle = fluidColour(node.fluid, 0.92);
    context.fillRect(x - half, y + half - 2 * half * view.fill, 2 * half, 2 * half * view.fill);
    context.restore();
    outline();
    context.lineWidth = border;
    context.strokeStyle = scene.chosen === node.name ? CHOSEN : CASING;
    context.stroke();
    if (scene.chosen === node.name) {
      context.strokeStyle = CHOSEN;
      context.strokeRect(x - half - 3, y - half - 3, 2 * half + 6, 2 * half + 6);
    }
    if (camera.scale < DETAIL_SCALE) return;
    if (node.kind === "pump") impeller(context, x, y, half * 0.62, node.rate > 0 ? seconds : 0);
    if (node.kind === "valve") bowTie(context, x, y, half, node.open);
  }

  private rubber(context: CanvasRenderingContext2D, scene: PipeScene): void {
    if (!scene.rubber) return;
    context.globalAlpha = 1;
    const [x, y] = scene.camera.spot(scene.rubber.from);
    context.setLineDash([6, 5]);
    stroke(context, x, y, ...scene.camera.spot(scene.rubber.to), 2, CHOSEN);
    context.setLineDash([]);
  }
}

/** With room for what is drawn around a place. */
function outOfSight(
  camera: Lens, left: number, top: number, right: number, bottom: number,
): boolean {
  const margin = 2 * camera.scale + 4;
  return right < -margin || bottom < -margin || left > camera.width + margin ||
    top > camera.height + margin;
}

export function stroke(
  context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number, width: number,
  style: string,
): void {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** Chevrons that run along the link, faster and brighter with the flow. */
function arrows(
  context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number, flow: number,
  scale: number, seconds: number,
): void {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 2) return;
  const strength = Math.min(1, Math.log2(1 + flow) / 12);
  const spacing = scale * 1.5;
  const speed = scale * (0.6 + 4 * strength);
  const size = scale * 0.2;
  context.save();
  context.translate(x1, y1);
  context.rotate(Math.atan2(y2 - y1, x2 - x1));
  context.strokeStyle = `rgba(240, 250, 255, ${0.45 + 0.55 * strength})`;
  context.lineWidth = Math.max(1.2, scale * 0.11);
  for (let at = (seconds * speed) % spacing; at < length; at += spacing) {
    context.beginPath();
    context.moveTo(at - size, -size);
    context.lineTo(at, 0);
    context.lineTo(at - size, size);
    context.stroke();
  }
  context.restore();
}

/** A triangle against a bar, in the middle of the link. */
function checkValve(
  context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number, scale: number,
): void {
  const size = scale * 0.42;
  context.save();
  context.translate((x1 + x2) / 2, (y1 + y2) / 2);
  context.rotate(Math.atan2(y2 - y1, x2 - x1));
  context.fillStyle = "#e6edf7";
  context.strokeStyle = CASING_DARK;
  context.lineWidth = Math.max(1, scale * 0.06);
  context.beginPath();
  context.moveTo(-size, -size);
  context.lineTo(size * 0.7, 0);
  context.lineTo(-size, size);
  context.closePath();
  context.fill();
  context.stroke();
  stroke(context, size * 0.85, -size, size * 0.85, size, Math.max(1.5, scale * 0.14), "#e6edf7");
  context.restore();
}

/** Three blades; they turn while the pump has a rate. */
function impeller(
  context: CanvasRenderingContext2D, x: number, y: number, radius: number, seconds: number,
): void {
  context.save();
  context.translate(x, y);
  context.rotate(seconds * 4);
  context.fillStyle = "#ffffff";
  for (let blade = 0; blade < 3; ++blade) {
    context.rotate((2 * Math.PI) / 3);
    context.beginPath();
    context.moveTo(0, 0);
    context.quadraticCurveTo(radius * 0.7, -radius * 0.75, radius, 0);
    context.closePath();
    context.fill();
  }
  context.restore();
}

function bowTie(
  context: CanvasRenderingContext2D, x: number, y: number, half: number, open: boolean,
): void {
  const size = half * 0.72;
  context.fillStyle = open ? "#53d08a" : "#ef6a6a";
  context.strokeStyle = "#10161f";
  context.lineWidth = Math.max(0.8, half * 0.08);
  context.beginPath();
  context.moveTo(x - size, y - size * 0.75);
  context.lineTo(x + size, y + size * 0.75);
  context.lineTo(x + size, y - size * 0.75);
  context.lineTo(x - size, y + size * 0.75);
  context.closePath();
  context.fill();
  context.stroke();
  if (!open) stroke(context, x, y - size, x, y + size, Math.max(1.5, half * 0.18), "#ffffff");
}
