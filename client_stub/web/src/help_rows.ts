// The shortcuts, for the list under "?".

type Rows = [keys: string, meaning: string][];

export const EVERYWHERE: Rows = [
  ["drag, Shift+arrows", "move the picture"],
  ["wheel, pinch, + and -", "zoom"],
  ["F", "show the whole world"],
  [", and . (PageDown, PageUp)", "slice of a 3D world"],
  ["V", "a 3D world from its front, its side, from above, in orbit"],
  ["in orbit: drag, arrows (Ctrl: far)", "turn the world (with a tool: Space and drag); with Shift move it"],
  ["5", "pipes"],
  ["6", "inspect: hovering explains, a click pins with a chart"],
  ["P", "pin what lies under the cursor, or let it go"],
  ["O", "next overlay: amount, depth, head, flow, temperature, steam, waves, awake chunks, age, bytes, what others see"],
  ["S", "save a picture"],
  ["M", "record a film, a minute at most; again to end it"],
  ["K", "copy a link to this place, tool and overlay"],
  ["?", "this list"],
];
export const LIVE: Rows = [
  ["1", "move"],
  ["2, 3, 4, 0", "rock, dig, pour, take water"],
  ["right button", "dig, whatever tool you build with"],
  ["Space and drag, middle button", "move the picture, whatever the tool is"],
  ["B, L, R, G", "brush (again: round or square), line, rectangle, fill"],
  ["4, then Tab to the panel", "pour with a dye or another tracer, warm or cold, where the world has them"],
  ["[ and ]", "brush size"],
  ["7 or Ctrl+C", "copy a box of the world, with its pipes"],
  ["8 or Ctrl+V", "paste it, in another world too"],
  ["9", "springs, drains, heat and levels"],
  ["Shift+S, Shift+D", "put a spring, a drain"],
  ["Shift+H, Shift+C", "put a heater, a cooler, in a world with heat"],
  ["Shift+L, Shift+E", "fill up to a level, lower a body of water to one"],
  ["Shift+B", "keep the air of a chamber from a level up"],
  ["Shift+X", "remove springs, drains and heaters: click, or drag over them"],
  ["I", "take up the tool for what lies under the pointer"],
  ["arrows", "move the cursor; with Ctrl ten cells"],
  ["Enter, Space", "use the tool at the cursor; lines, boxes, links: again at the other end"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo your own edits"],
  ["Esc", "put the tool away"],
  ["H", "look back at what was, while the world goes on; again: back to live"],
  ["W", "all worlds of this server, as they are now"],
];
export const REPLAY: Rows = [
  ["Space", "play, pause"],
  ["Ctrl+arrows, Enter", "move the cursor, use the inspector there"],
  ["Left, Right", "one tick back, on; with Shift a second"],
  ["Up, Down", "faster, slower"],
  ["Home, End", "first, last tick"],
  ["C, Shift+C", "next, previous command"],
  ["D", "first difference"],
  ["A", "on your own, or with the others again; in the past of a world that lives: back to live"],
];
