// A replay on the page: one recording, or two side by side under one camera and one timeline.
import { Camera } from "./camera";
import { Differences } from "./differences";
import { listen } from "./input";
import type { LegendPanel } from "./legend";
import { OwnPosition } from "./own_position";
import type { Panel } from "./panel";
import { Timeline } from "./timeline";
import { buildTimeline } from "./timeline_markup";
import type { TimelineFacts } from "./timeline_track";
import { Viewer } from "./viewer";
import type { ViewerInspector, ViewerPanel, ViewerPipePanel } from "./viewer_parts";

// For look_back.ts, which needs no more of a replay.
export { buildTimeline, Timeline };

const POLL_MILLISECONDS = 500;

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** The second pane: the first one's panels speak for both, but for what goes wrong. */
function quiet(panel: Panel): ViewerPanel {
  const nothing = () => undefined;
  return {
    showState: (state, detail) => {
      if (state !== "ready") panel.showState(state, detail);
    },
    warn: (text) => panel.warn(text),
    tell: (text) => panel.tell(text),
    showZoom: nothing, showSlice: nothing, showTool: nothing, showShape: nothing, showRights: nothing, showWelcome: nothing,
    showNumbers: nothing, showHover: nothing, announce: nothing, showSlow: nothing,
  };
}

const QUIET_PIPES: ViewerPipePanel = {
  showTool: () => undefined, toggle: () => undefined, attach: () => undefined,
  update: () => undefined,
};

export class Replay {
  /** One a recording. */
  readonly viewers: Viewer[] = [];
  readonly timeline: Timeline;
  private readonly own: OwnPosition;
  differences: Differences | null = null;

  private constructor(
    private facts: TimelineFacts, private readonly panel: Panel, pipePanel: ViewerPipePanel,
    inspector: ViewerInspector, legend: LegendPanel,
  ) {
    buildTimeline();
    const pair = facts.recordings.length > 1;
    document.body.classList.add("replay");
    document.body.classList.toggle("pair", pair);
    element("pane-b").hidden = !pair;
    panel.showReplay(facts.recordings.map((recording) => recording.file));
    const camera = new Camera();
    const canvases = [element<HTMLCanvasElement>("view"), element<HTMLCanvasElement>("view-b")];
    facts.recordings.forEach(({ world, file }, index) => {
      const label = element(index === 0 ? "label-a" : "label-b");
      label.hidden = !pair;
      label.lastElementChild!.textContent = file;
      const viewer: Viewer = new Viewer(
        canvases[index]!, index === 0 ? panel : quiet(panel), index === 0 ? pipePanel : QUIET_PIPES,
        world, camera, {
          welcome: () => this.welcomed(index),
          tick: (changed) => this.ticked(index, changed),
          result: (result) => {
            this.timeline?.answered(result);
            if (index === 0) this.own.answered(result);
          },
        }, null, index === 0 ? inspector : null,
        index === 0 ? (...told) => legend.show(...told) : undefined);
      this.viewers.push(viewer);
      viewer.hand.setTool("pan");
      if (index > 0) listen(canvases[index]!, () => viewer);
    });
    const [a, b] = this.viewers;
    if (a && b) {
      a.peer = b;
      b.peer = a;
    }
    this.own = new OwnPosition(this.viewers, {
      moved: (alone) => {
        this.timeline.showAlone(alone);
        panel.tell(alone ? "On your own: the others stay where they are" : "With the others again");
      },
      others: (tick) => this.timeline.showOthers(tick),
    });
    this.timeline = new Timeline(facts, {
      alone: () => this.own.toggle(),
      send: (request) => this.viewers[0]!.command(request),
      fit: () => this.viewers[0]!.fit(),
      pipes: () => this.viewers[0]!.hand.togglePipes(),
      inspect: () => {
        const { hand } = this.viewers[0]!;
        hand.setTool(hand.brush.tool === "inspect" ? "pan" : "inspect");
      },
    });
    if (!facts.complete) window.setTimeout(() => void this.ask(), POLL_MILLISECONDS);
  }

  static async open(
    panel: Panel, pipePanel: ViewerPipePanel, inspector: ViewerInspector, legend: LegendPanel,
  ): Promise<Replay> {
    return new Replay(await fetchFacts(), panel, pipePanel, inspector, legend);
  }

  /** Until the server has read all of the recordings. */
  private async ask(): Promise<void> {
    try {
      this.facts = await fetchFacts();
      this.timeline.setFacts(this.facts);
      if (this.facts.trouble) this.panel.warn(this.facts.trouble);
    } catch {
      // The server is away; the connection tells so, and comes back.
    }
    if (!this.facts.complete) window.setTimeout(() => void this.ask(), POLL_MILLISECONDS);
  }

  private welcomed(index: number): void {
    if (index === 0) {
      this.timeline.reset();
      this.own.welcomed();
    }
    const [a, b] = this.viewers;
    if (!a?.mirror || !b?.mirror) return;
    this.differences = new Differences(a.mirror, b.mirror, a.slice);
    for (const viewer of this.viewers) viewer.differences = this.differences;
    this.panel.showState("ready", "");
  }

  private ticked(index: number, changed: { x: number; y: number; z: number }[]): void {
    const viewer = this.viewers[index]!;
    const { tick, playback } = viewer.mirror!;
    if (index === 0 && playback) this.timeline.update(tick, playback);
    if (!this.differences) return;
    this.differences.changed(changed);
    // The marks are on both panes.
    for (const each of this.viewers) each.repaint();
  }
}

async function fetchFacts(): Promise<TimelineFacts> {
  const response = await fetch("/timeline");
  if (!response.ok) throw new Error(`/timeline: ${response.status}`);
  return (await response.json()) as TimelineFacts;
}
