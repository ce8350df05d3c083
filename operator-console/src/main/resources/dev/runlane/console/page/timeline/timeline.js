/** Draws a layout of bars to scale. */
import { html, nothing, svg } from '../lib/html.js';
import { counted, duration, plain } from '../lib/format.js';
import { ticks, withRoom } from './layout.js';

const WIDTH = 1000;
const ROW = 30;
const TOP = 24;
const SMALLEST_BAR = 2;
/** Pixels; what is cut shorter than so many letters says nothing. */
const WIDTH_OF_A_LETTER = 6.6;
const LEAST_LETTERS = 10;
const PADDING = 17;
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
    .map((bar, turn, all) => ({ bar, top: TOP + place * ROW, row, before: all[turn - 1], next: all[turn + 1] })));
  const pixels = pixelsOfScale() / WIDTH;
  const texts = withRoom(
    lines.map((line) => ({ at: line / span, text: line === 0 && offset === 0 ? '0' : `+${duration(offset + line)}` })), pixelsOfScale() / WIDTH_OF_A_LETTER);
  return html`<div class="timeline">
    <div class="names" aria-hidden="true">${whole.rows.map((row) => html`<span class="depth${row.depth}" title=${plain(row.label, 200)}><bdi>${plain(row.label, 60)}</bdi></span>`)}</div>
    <div class="scale" role="group" aria-label="Timeline; the arrow keys go from bar to bar" @wheel=${{ handleEvent: (wheel) => zoomAt(wheel, window, show), passive: false }}
      @pointerdown=${(down) => drag(down, window, show)} @dblclick=${() => show(0, 1)} @keydown=${rove}>
      <svg viewBox="0 0 ${WIDTH} ${height}" height=${height} preserveAspectRatio="none" role="group" aria-label="History to scale, ${duration(length)} in all">
        ${lines.map((line) => svg`<line class="grid" x1=${(line / span) * WIDTH} x2=${(line / span) * WIDTH} y1=${TOP} y2=${height}></line>`)}
        ${bars.map(({ bar, top }, place) => rectangle(bar, x, top, choose, place === 0))}
      </svg>
      <div class="ticks" aria-hidden="true">${texts.map(({ at, text, isLast }) => html`<span class=${isLast ? 'last' : ''} .style=${`left:${at * 100}%`}>${text}</span>`)}</div>
      <div class="words" aria-hidden="true">${bars.map((each) => label(each, x, pixels))}</div>
      <div class="chosen" hidden aria-hidden="true"></div>
    </div></div>
    <p class="faint">${duration(length)} in all${whole.heartbeats > 0 ? `, ${counted(whole.heartbeats, 'heartbeat')} folded` : ''}${
      whole.stepsLeftOut > 0 ? `; ${counted(whole.stepsLeftOut, 'further step')} only in the list of events` : nothing}. <span class="pointing">Drag over a part to see it larger, or turn the wheel with Ctrl.</span></p>`;
}

/**
 * Opens an event of the list that belongs to a timeline, and gives it the focus.
 * @param {ParentNode} page
 * @param {number | string} sequence
 * @returns {boolean} whether it is listed
 */
export function openEvent(page, sequence) {
  const event = /** @type {HTMLDetailsElement | null} */ (page.querySelector(`#event-${sequence}`));
  if (event === null) {
    return false;
  }
  event.open = true;
  event.scrollIntoView({ block: 'center' });
  event.querySelector('summary')?.focus({ preventScroll: true });
  return true;
}

/** Says above a list that what was chosen is not there. */
export const unlistedNote = (/** @type {boolean} */ isUnlisted) => (isUnlisted
  ? html`<p class="notice unlisted" role="status">What was chosen in the timeline is not listed: it came before the earliest of these events.</p>` : nothing);

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

/** How wide the scale is, or will be once it is drawn. */
function pixelsOfScale() {
  const drawn = document.querySelector('.scale')?.clientWidth;
  const [around, names] = innerWidth <= 800 ? [58, 84] : [innerWidth <= 1100 ? 224 : 268, 150];
  return drawn || innerWidth - around - names;
}

/** The text of a bar and how long it is: within it where there is room, else behind or ahead of it up to the next bar, else what fits. */
function label({ bar, top, row, before, next }, x, pixels) {
  if (bar.kind === 'cancelling' || bar.kind === 'branches') {
    return nothing;
  }
  const from = Math.max(0, x(bar.from));
  const to = Math.max(from + SMALLEST_BAR, Math.min(WIDTH, x(bar.to)));
  const behind = Math.min(WIDTH, next === undefined ? WIDTH : x(next.from)) - to;
  const ahead = before === undefined ? from : 0; // behind a bar stands that one's text
  const took = bar.to > bar.from ? duration(bar.to - bar.from) : '';
  const told = (/** @type {string} */ what) => (took === '' ? what : `${what} · ${took}`);
  const whole = plain(bar.text, 120);
  const texts = bar.text === row.label ? [took || whole] : [told(whole), whole, ...(bar.kind === 'attempt' ? [told(whole.replace(/ by .*$/, ''))] : [])];
  const fits = (/** @type {string} */ text, /** @type {number} */ width) => text.length * WIDTH_OF_A_LETTER + PADDING <= width * pixels;
  const at = (/** @type {number} */ left, /** @type {number} */ width) => `left:${left / WIDTH * 100}%;top:${top + 4}px;width:${width / WIDTH * 100}%`;
  for (const text of texts) {
    if (fits(text, to - from)) {
      return html`<span class=${bar.kind} .style=${at(from, to - from)}><bdi>${text}</bdi></span>`;
    }
    if (fits(text, behind)) {
      return html`<span class="behind" .style=${at(to, behind)}><bdi>${text}</bdi></span>`;
    }
    if (fits(text, ahead)) {
      return html`<span class="behind ahead" .style=${at(from - ahead, ahead)}><bdi>${text}</bdi></span>`;
    }
  }
  return (to - from) * pixels < LEAST_LETTERS * WIDTH_OF_A_LETTER + PADDING ? nothing
    : html`<span class=${bar.kind} .style=${at(from, to - from)}><bdi>${texts[0]}</bdi></span>`;
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
export function drag(down, { from, to }, show) {
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
    removeEventListener('pointercancel', ended);
    frame.hidden = true;
    if (up.type === 'pointercancel' || !scale.isConnected) {
      return; // taken away by the browser, or the page was left meanwhile
    }
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
  addEventListener('pointercancel', ended);
}
