// What a recording that is being watched is told (server/playback/control.h).
export type PlaybackCommand =
  | { cmd: "play" }
  | { cmd: "pause" }
  | { cmd: "seek"; to: number }
  | { cmd: "step"; by: number }
  | { cmd: "speed"; times: number | "max" }
  | { cmd: "alone"; as: string; to: number };
