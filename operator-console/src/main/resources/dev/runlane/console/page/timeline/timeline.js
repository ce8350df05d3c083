/** Draws a layout of bars to scale. */
import { html, nothing, svg } from '../lib/html.js';
import { counted, duration, plain } from '../lib/format.js';
import { ticks } from './layout.js';

const WIDTH = 1000;
const ROW = 30;
const TOP = 24;
const SMALLEST_BAR = 2;
const WIDTH_OF_A_LETTER = 7;
/** A drag of less is a click. */
const LEAST_DRAG = 0.02;

/**
 * @param {import('./layout.js').Layout} whole
 * @param {{from: number, to: number}} window the part that is shown, from 0 to 1
 * @param {(sequence: number) => void} choose
 * @param {(from: number, to: number) => void} show another part
 */
export function timeline(whole, window, choose, show) {
  const length = whole.to - whole.from;
  const shown = { from: whole.from + length * window.from, to: whole.from + length * window.to };
  const span = shown.to - shown.from;
  const x = (/** @type {number} */ instant) => ((instant - shown.from) / span) * WIDTH;
  const offset = shown.from - whole.from;
  const lines = ticks(span, 8);
  const height = TOP + whole.rows.length * ROW;
  const bars = whole.rows.flatMap((row, place) => row.bars
    .filter((bar) => bar.to >= shown.from && bar.from <= shown.to)
    .map((bar) => ({ bar, top: TOP + place * ROW })));
  return html`<div class="timeline">
    <div class="names" aria-hidden="true">${whole.rows.map((row) => html`<span class="depth${row.depth}" title=${plain(row.label, 200)}><bdi>${plain(row.label, 60)}</bdi></span>`)}</div>
    <div class="scale" role="group" aria-label="Timeline; the arrow keys go from bar to bar" @wheel=${{ handleEvent: (wheel) => zoomAt(wheel, window, show), passive: false }}
      @pointerdown=${(down) => drag(down, window, show)} @dblclick=${() => show(0, 1)} @keydown=${rove}>
      <svg viewBox="0 0 ${WIDTH} ${height}" height=${height} preserveAspectRatio="none" role="group" aria-label="History to scale, ${duration(length)} in all">
        ${lines.map((line) => svg`<line class="grid" x1=${(line / span) * WIDTH} x2=${(line / span) * WIDTH} y1=${TOP} y2=${height}></line>`)}
        ${bars.map(({ bar, top }, place) => rectangle(bar, x, top, choose, place === 0))}
      </svg>
      <div class="ticks" aria-hidden="true">${lines.map((line) => html`<span .style=${`left:${(line / span) * 100}%`}>${line === 0 && offset === 0 ? '0' : `+${duration(offset + line)}`}</span>`)}</div>
      <div class="words" aria-hidden="true">${bars.map(({ bar, top }) => label(bar, x, top))}</div>
      <div class="chosen" hidden aria-hidden="true"></div>
    </div></div>
    <p class="faint">${duration(length)} in all${whole.heartbeats > 0 ? `, ${counted(whole.heartbeats, 'heartbeat')} folded` : ''}${
      whole.stepsLeftOut > 0 ? `; ${counted(whole.stepsLeftOut, 'further step')} only in the list of events` : nothing}. <span class="wide">Drag over a part to see it larger, or turn the wheel with Ctrl.</span></p>`;
}

function rectangle(bar, x, top, choose, isFirst) {
  const from = Math.max(0, x(bar.from));
  const name = `${plain(bar.text, 200)}, ${duration(bar.to - bar.from)}${bar.outcome ? `, ${bar.outcome}` : ''}`;
  const chosen = () => choose(bar.sequence);
  const [drop, height] = bar.kind === 'cancelling' ? [20, 6] : bar.kind === 'branches' ? [12, 6] : [4, 22];
  return svg`<rect class="bar ${bar.kind} ${bar.outcome ?? ''}" x=${from} y=${top + drop}
    width=${Math.max(SMALLEST_BAR, Math.min(WIDTH, x(bar.to)) - from)} height=${height} rx="2"
    tabindex=${isFirst ? 0 : -1} role="button" aria-label=${name} @click=${chosen}
    @keydown=${(key) => { if (key.key === 'Enter' || key.key === ' ') { key.preventDefault(); chosen(); } }}><title>${name}</title></rect>`;
}

/** The text within a bar, where it has room on a page of common width. */
function label(bar, x, top) {
  const from = Math.max(0, x(bar.from));
  const width = Math.min(WIDTH, x(bar.to)) - from;
  if (bar.kind === 'cancelling' || bar.kind === 'branches' || width < 5 * WIDTH_OF_A_LETTER) {
    return nothing;
  }
  return html`<span class=${bar.kind} .style=${`left:${from / WIDTH * 100}%;top:${top + 4}px;width:${width / WIDTH * 100}%`}><bdi>${plain(bar.text, 120)}</bdi></span>`;
}

/** The arrow keys go from one bar to the next; one alone is reached by the tabulator. */
function rove(key) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key.key];
  const bars = [...key.currentTarget.querySelectorAll('.bar')];
  const next = bars[bars.indexOf(document.activeElement) + (step ?? 0)];
  if (step !== undefined && next !== undefined) {
    key.preventDefault();
    bars.forEach((bar) => bar.setAttribute('tabindex', bar === next ? '0' : '-1'));
    next.focus();
  }
}

function zoomAt(wheel, { from, to }, show) {
  if (!wheel.ctrlKey && !wheel.metaKey) {
    return;
  }
  wheel.preventDefault();
  const box = wheel.currentTarget.getBoundingClientRect();
  const share = (wheel.clientX - box.left) / box.width;
  const size = Math.min(1, (to - from) * (wheel.deltaY > 0 ? 1.4 : 1 / 1.4));
  show(from + (to - from) * share - size * share, from + (to - from) * share + size * (1 - share));
}

/** What is drawn over with the pointer is shown larger. */
function drag(down, { from, to }, show) {
  if (down.button !== 0 || down.pointerType === 'touch') {
    return;
  }
  const scale = down.currentTarget;
  const box = scale.getBoundingClientRect();
  const share = (move) => Math.min(1, Math.max(0, (move.clientX - box.left) / box.width));
  const begun = share(down);
  const frame = scale.querySelector('.chosen');
  const moved = (move) => {
    const [left, right] = [Math.min(begun, share(move)), Math.max(begun, share(move))];
    frame.hidden = right - left < LEAST_DRAG;
    frame.style.left = `${left * 100}%`;
    frame.style.width = `${(right - left) * 100}%`;
  };
  const ended = (up) => {
    removeEventListener('pointermove', moved);
    removeEventListener('pointerup', ended);
    frame.hidden = true;
    const [left, right] = [Math.min(begun, share(up)), Math.max(begun, share(up))];
    if (right - left >= LEAST_DRAG) {
      const swallow = (click) => click.stopPropagation(); // the click that ends a drag chooses no bar
      addEventListener('click', swallow, { capture: true });
      setTimeout(() => {
        removeEventListener('click', swallow, { capture: true });
        show(from + (to - from) * left, from + (to - from) * right);
      });
    }
  };
  addEventListener('pointermove', moved);
  addEventListener('pointerup', ended);
}
