// Links into a world: "#cave", or with a place "#cave@120.5,40,0,4x" (x, y, slice, pixels a cell), and
// after that, in any order, a side, a recording's tick, a tool and an overlay: "#cave@120.5,40,0,4x,t1500,inspect,depth".
import { SIGHTS, type SightName } from "./sight";
import { OVERLAYS, type OverlayName } from "./overlay_kinds";
import { linkedTool, type Tool } from "./tools";

export interface Place {
  x: number;
  y: number;
  z: number;
  /** Pixels a cell. */
  scale: number;
}

export interface Link {
  world: string;
  /** Null: the whole world. */
  place: Place | null;
  tool: Tool | null;
  overlay: OverlayName | null;
  /** Of a recording that stands still. */
  tick: number | null;
  /** From where a 3D world is seen. */
  sight: SightName;
}

/** What makes no sense is passed over: a damaged link still leads to its world. */
export function readLink(hash: string): Link {
  const text = decoded(hash.replace(/^#/, ""));
  const at = text.lastIndexOf("@");
  const link: Link = { world: at < 0 ? text : text.slice(0, at), place: null, tool: null, overlay: null, tick: null, sight: "front" };
  if (at < 0) return link;
  const parts = text.slice(at + 1).split(",");
  const [x, y, z] = parts.slice(0, 3).map((part) => (/^-?\d+(\.\d+)?$/.test(part) ? Number(part) : NaN));
  const scale = Number(/^(\d+(?:\.\d+)?)x$/.exec(parts[3] ?? "")?.[1] ?? NaN);
  if ([x, y, z, scale].every(Number.isFinite) && scale > 0) link.place = { x: x!, y: y!, z: Math.round(z!), scale };
  for (const part of parts) {
    if (/^t\d{1,15}$/.test(part)) link.tick = Number(part.slice(1));
    link.tool = linkedTool(part) ?? link.tool;
    link.sight = SIGHTS.find((sight) => sight === part) ?? link.sight;
    link.overlay = OVERLAYS.find((overlay) => overlay === part) ?? link.overlay;
  }
  return link;
}

export function writeLink({ world, place, tool, overlay, tick, sight }: Link): string {
  const parts: string[] = [];
  const short = (value: number, digits: number) => String(Number(value.toFixed(digits)));
  if (place) parts.push(short(place.x, 1), short(place.y, 1), String(place.z), `${short(place.scale, 3)}x`);
  if (sight !== "front") parts.push(sight);
  if (tick !== null) parts.push(`t${tick}`);
  if (tool && tool !== "pan" && linkedTool(tool)) parts.push(tool);
  if (overlay && overlay !== "none") parts.push(overlay);
  return `#${encodeURIComponent(world)}${parts.length > 0 ? `@${parts.join(",")}` : ""}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a "%" that means itself
  }
}
