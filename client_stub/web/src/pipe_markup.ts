// The pipes' panel as elements: it comes with the part that fills it.

const MARKUP = `<section id="pipe-panel" aria-label="Pipes" hidden>
  <button id="pipes-close" title="Close (5)" aria-label="Close the pipes">×</button>
  <div id="pipe-tools" role="toolbar" aria-label="Pipe tools">
    <button data-pipe="pipe" title="Lay pipes: click, or drag a line">Pipe</button>
    <button data-pipe="pump" title="Build a pump: it draws over the links that end in it">Pump</button>
    <button data-pipe="valve" title="Build a valve">Valve</button>
    <button data-pipe="link" title="Drag from one to another, or click both">Link</button>
    <button data-pipe="unlink" title="Click a link, or drag between its ends">Unlink</button>
    <button data-pipe="port" title="Drag from a pipe to a cell, or click the pipe for its own cell">Port</button>
    <button data-pipe="unport" title="Click a port's cell">Unport</button>
    <button data-pipe="switch" title="Click a valve to open or close it, a pump to set its rate">Switch</button>
    <button data-pipe="upgrade" title="Click a pipe to build it into the tier below">Upgrade</button>
    <button data-pipe="remove" title="Click a pipe: what it holds spills">Remove</button>
  </div>
  <form id="pipe-options" autocomplete="off">
    <label data-for="pipe pump valve upgrade" hidden>Tier <select id="pipe-tier">
      <option value="thin">thin</option><option value="standard" selected>standard</option>
      <option value="wide">wide</option><option value="tank">tank</option>
      <option value="own">own numbers</option></select></label>
    <label data-for="pipe pump valve upgrade" hidden>Capacity <input name="capacity" type="number" min="1" max="1073741824"></label>
    <label data-for="pipe pump valve upgrade" hidden>Height <input name="height" type="number" min="1" max="16777216" title="Level units over which the capacity spreads; 4096 to a cell"></label>
    <label data-for="pipe pump valve upgrade" hidden>Throughput <input name="throughput" type="number" min="0" title="Units a tick; 0: no limit"></label>
    <label data-for="pipe pump valve" hidden>Base <input name="base" type="number" placeholder="its cell's level" title="Level of its bottom; empty: that of its cell"></label>
    <label data-for="pipe pump valve" hidden>Fluid <input name="fluid" value="water" maxlength="64"></label>
    <label data-for="pipe pump valve" hidden>Name <input name="name" placeholder="by itself" maxlength="60"></label>
    <label data-for="pump port switch" hidden>Rate <input name="rate" type="number" min="0" value="500" title="Units a tick"></label>
    <label data-for="port" hidden>Kind <select name="kind"><option value="inlet">inlet: cell to pipe</option>
      <option value="outlet">outlet: pipe to cell</option><option value="open" selected>open: by level</option></select></label>
    <label data-for="link" hidden>One way <input name="one_way" type="checkbox"></label>
  </form>
  <div id="pipe-card" hidden></div>
  <h2 id="pipe-list-title"></h2>
  <ul id="pipe-list"></ul>
</section>`;

/** Once for the page. */
export function addPipePanel(): void {
  document.getElementById("side")!.insertAdjacentHTML("beforeend", MARKUP);
}
