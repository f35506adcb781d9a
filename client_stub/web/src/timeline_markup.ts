// The timeline's elements: only recordings have one, so they come with the part that shows those.

const MARKUP = `
  <p id="tl-trouble" role="alert" hidden></p>
  <div id="tl-track">
    <canvas id="track" aria-hidden="true"></canvas>
    <input id="seek" type="range" min="0" max="0" value="0" step="1" aria-label="Tick">
    <div class="panel" id="tl-tip" hidden></div>
  </div>
  <div id="tl-controls">
    <div class="left">
      <b id="tl-time">0:00:00.00</b>
      <label>tick <input id="tl-tick" inputmode="numeric" value="0" aria-label="Tick to go to"
        title="Type a tick and press Enter"></label>
      <span id="tl-of"></span>
    </div>
    <div class="middle" role="toolbar" aria-label="Playing">
      <button id="tl-command-before" title="The command before (Shift+C)"><svg viewBox="0 0 24 24"><path d="M6 5v14M19 6l-8 6 8 6z"/><circle cx="6" cy="12" r="2.500"/></svg></button>
      <button id="tl-home" title="First tick (Home)"><svg viewBox="0 0 24 24"><path d="M5 5v14M19 5l-11 7 11 7z"/></svg></button>
      <button id="tl-back" title="One tick back (Left; with Shift a second)"><svg viewBox="0 0 24 24"><path d="M15 6l-8 6 8 6zM18 6v12"/></svg></button>
      <button id="tl-play" title="Play (Space)"><svg viewBox="0 0 24 24"><path class="go" d="M8 5l12 7-12 7z"/><path class="hold" d="M8 5v14M16 5v14"/></svg></button>
      <button id="tl-forward" title="One tick on (Right; with Shift a second)"><svg viewBox="0 0 24 24"><path d="M9 6l8 6-8 6zM6 6v12"/></svg></button>
      <button id="tl-end" title="Last tick (End)"><svg viewBox="0 0 24 24"><path d="M19 5v14M5 5l11 7-11 7z"/></svg></button>
      <button id="tl-command-after" title="The next command (C)"><svg viewBox="0 0 24 24"><path d="M18 5v14M5 6l8 6-8 6z"/><circle cx="18" cy="12" r="2.500"/></svg></button>
      <select id="tl-speed" aria-label="Speed" title="Speed (Up, Down)"></select>
    </div>
    <div class="right">
      <span id="tl-difference" hidden></span>
      <button id="tl-first" title="First difference (D)" hidden>First difference</button>
      <button id="tl-alone">Alone</button>
      <button id="tl-inspect" title="Inspect (6)">Inspect</button>
      <button id="tl-pipes" title="Pipes (5)">Pipes</button>
      <button id="tl-fit" title="Show the whole world (F)">Fit</button>
    </div>
  </div>
`;

/** Puts them into the page. Once. */
export function buildTimeline(): void {
  document.getElementById("timeline")!.innerHTML = MARKUP;
}
