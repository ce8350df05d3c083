/** Which part of a timeline is shown: the address has it. */
import { html } from '../lib/html.js';
import { go } from '../lib/location.js';

/** Of a run of a month it is some seconds. */
const SMALLEST_PART = 0.000_002;

/**
 * @param {import('../lib/location.js').Place} place
 * @returns {{from: number, to: number}} from 0 to 1
 */
export function partOf(place) {
  const [from, to] = (place.query.get('zoom') ?? '').split('-').map(Number);
  return from >= 0 && to <= 1 && to > from ? { from, to } : { from: 0, to: 1 };
}

/** Shows this part of the page's timeline, as far as there is one. */
export function showPart(/** @type {number} */ from, /** @type {number} */ to) {
  const length = Math.max(to - from, SMALLEST_PART);
  const start = Math.min(Math.max(from, 0), 1 - Math.min(length, 1));
  go(length >= 1 ? location.pathname : `${location.pathname}?zoom=${start.toFixed(7)}-${(start + length).toFixed(7)}`, { replace: true });
}

/** @param {import('../lib/location.js').Place} place */
export function zoomBar(place) {
  const { from, to } = partOf(place);
  const size = to - from;
  const at = (/** @type {number} */ begin, /** @type {number} */ length) => showPart(begin, begin + length);
  return html`<p class="zoom" role="group" aria-label="Part of the timeline">
    <button class="quiet" aria-label="Zoom in" @click=${() => at(from + size / 4, size / 2)}>+</button>
    <button class="quiet" aria-label="Zoom out" ?disabled=${size === 1} @click=${() => at(from - size / 2, size * 2)}>−</button>
    <button class="quiet" aria-label="Earlier" ?disabled=${from === 0} @click=${() => at(from - size / 2, size)}>←</button>
    <button class="quiet" aria-label="Later" ?disabled=${to === 1} @click=${() => at(from + size / 2, size)}>→</button>
    <button class="quiet" ?disabled=${size === 1} @click=${() => at(0, 1)}>All</button></p>`;
}
