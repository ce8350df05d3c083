/** Draws the layout of a run's history to scale. */
import { html, nothing, svg } from '../lib/html.js';
import { counted, duration, plain } from '../lib/format.js';
import { layout, ticks } from './layout.js';

const WIDTH = 1000;
const ROW = 30;
const TOP = 24;
const SMALLEST_BAR = 2;
const WIDTH_OF_A_LETTER = 7;

/**
 * @param {any[]} events
 * @param {number} now
 * @param {{from: number, to: number}} window the part that is shown, from 0 to 1
 * @param {(sequence: number) => void} choose
 */
export function timeline(events, now, window, choose) {
  const whole = layout(events, now);
  const length = whole.to - whole.from;
  const shown = { from: whole.from + length * window.from, to: whole.from + length * window.to };
  const span = shown.to - shown.from;
  const x = (/** @type {number} */ instant) => ((instant - shown.from) / span) * WIDTH;
  const offset = shown.from - whole.from;
  const lines = ticks(span, 8);
  const height = TOP + whole.rows.length * ROW;
  return html`<div class="timeline">
    <div class="names" aria-hidden="true">${whole.rows.map((row) => html`<span title=${plain(row.label, 200)}><bdi>${plain(row.label, 60)}</bdi></span>`)}</div>
    <div class="scale" tabindex="0" role="region" aria-label="Timeline">
      <svg viewBox="0 0 ${WIDTH} ${height}" height=${height} preserveAspectRatio="none" role="group" aria-label="History to scale, ${duration(length)} in all">
        ${lines.map((line) => svg`<line class="grid" x1=${(line / span) * WIDTH} x2=${(line / span) * WIDTH} y1=${TOP} y2=${height}></line>`)}
        ${whole.rows.map((row, place) => row.bars
          .filter((bar) => bar.to >= shown.from && bar.from <= shown.to)
          .map((bar) => rectangle(bar, x, TOP + place * ROW, choose)))}
      </svg>
      <div class="ticks" aria-hidden="true">${lines.map((line) => html`<span .style=${`left:${(line / span) * 100}%`}>${line === 0 && offset === 0 ? '0' : `+${duration(offset + line)}`}</span>`)}</div>
      <div class="words" aria-hidden="true">${whole.rows.map((row, place) => row.bars
        .filter((bar) => bar.to >= shown.from && bar.from <= shown.to)
        .map((bar) => label(bar, x, TOP + place * ROW)))}</div>
    </div></div>
    <p class="faint">${duration(length)} in all${whole.heartbeats > 0 ? `, ${counted(whole.heartbeats, 'heartbeat')} not drawn` : ''}${
      whole.stepsLeftOut > 0 ? `; ${counted(whole.stepsLeftOut, 'further step')} only in the list of events` : nothing}.</p>`;
}

function rectangle(bar, x, top, choose) {
  const from = Math.max(0, x(bar.from));
  const name = `${plain(bar.text, 200)}, ${duration(bar.to - bar.from)}${bar.outcome ? `, ${bar.outcome}` : ''}`;
  const chosen = () => choose(bar.sequence);
  return svg`<rect class="bar ${bar.kind} ${bar.outcome ?? ''}" x=${from} y=${top + 4 + (bar.kind === 'cancelling' ? 16 : 0)}
    width=${Math.max(SMALLEST_BAR, Math.min(WIDTH, x(bar.to)) - from)} height=${bar.kind === 'cancelling' ? 6 : 22} rx="2"
    tabindex="0" role="button" aria-label=${name} @click=${chosen}
    @keydown=${(key) => { if (key.key === 'Enter') { chosen(); } }}><title>${name}</title></rect>`;
}

/** The text within a bar, where it has room on a page of common width. */
function label(bar, x, top) {
  const from = Math.max(0, x(bar.from));
  const width = Math.min(WIDTH, x(bar.to)) - from;
  if (bar.kind === 'cancelling' || width < 5 * WIDTH_OF_A_LETTER) {
    return nothing;
  }
  return html`<span class=${bar.kind} .style=${`left:${from / WIDTH * 100}%;top:${top + 4}px;width:${width / WIDTH * 100}%`}><bdi>${plain(bar.text, 120)}</bdi></span>`;
}
