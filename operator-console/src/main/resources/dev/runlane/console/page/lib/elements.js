/** Small parts that all pages share. */
import { html, nothing } from './html.js';
import { absolute, count, moment, plain, shortMoment, splitAtInstants, TIME_STYLES, unbroken, words } from './format.js';
import { ApiError } from './api.js';
import { serverNow } from './clock.js';

/** How the status of a run is told beside its colour. */
const MARKS = {
  queued: '○', scheduled: '◷', running: '▶', retrying: '↻', released: '‖', cancellation_requested: '⊘',
  succeeded: '✓', failed: '✕', cancelled: '⊘',
};

/** All statuses, in the order of a run's life. */
export const STATUSES = Object.keys(MARKS);

/** @param {string} status */
export const isEnded = (status) => ['succeeded', 'failed', 'cancelled'].includes(status);

/** @param {string} status */
export const badge = (status) => html`<span class="badge ${plain(status)}"><span aria-hidden="true">${MARKS[status] ?? '•'}</span>
  ${words(status)}</span>`;

/** How all instants of the page are written; the reader's choice. */
export const times = { style: /** @type {'relative' | 'local' | 'utc'} */ (localStorage.getItem('runlane.times') ?? 'relative') };

/** Goes on to the next way of writing instants. */
export function turnTimes() {
  times.style = TIME_STYLES[(TIME_STYLES.indexOf(times.style) + 1) % TIME_STYLES.length];
  localStorage.setItem('runlane.times', times.style);
  window.dispatchEvent(new CustomEvent('rl-times'));
}

/** @param {string | undefined} instant */
export const time = (instant) => instant === undefined
  ? html`<span class="faint none">–</span>`
  : html`<time datetime=${instant} title=${absolute(instant)}>${unbroken(moment(instant, times.style, serverNow()))}</time>`;

const RUN_ID = /(run_[0-9a-z]{26})/;

/** A sentence in which ids of runs lead there, and instants are told as all of the page are, but for how long ago. */
export const sentence = (/** @type {string} */ words, /** @type {number} */ longest = 2_000) => splitAtInstants(plain(words, longest))
  .map((part, place) => (place % 2 === 0 ? part.split(RUN_ID).map((each, turn) => (turn % 2 === 0 ? html`<bdi>${each}</bdi>` : runLink(each)))
    : html`<time datetime=${part} title=${absolute(part)}>${times.style === 'relative' ? shortMoment(part, serverNow()) : moment(part, times.style, 0)}</time>`));

/** A text of others, kept apart from the direction of writing around it. */
export const text = (/** @type {unknown} */ value, /** @type {number} */ longest = 300) =>
  html`<bdi>${plain(value, longest)}</bdi>`;

/** @param {string} id */
export const runLink = (id) => html`<a class="mono" href="/runs/${encodeURIComponent(id)}" title=${plain(id, 120)}><bdi>${plain(id, 80)}</bdi></a>`;

/** @param {string} id */
export const taskLink = (id) => html`<a href="/tasks/${encodeURIComponent(id)}"><bdi>${plain(id, 80)}</bdi></a>`;

/** @param {string} queue */
export const queueLink = (queue) => html`<a href="/queues/${encodeURIComponent(queue)}"><bdi>${plain(queue, 80)}</bdi></a>`;

/**
 * What people find a run by, each a link to the runs that have it too; a text where it is hidden from the reader.
 * @param {Record<string, string> | string | undefined} tags
 */
export const tagLinks = (tags) => (typeof tags === 'string' ? [html`<span class="tag">${text(tags, 80)}</span>`]
  : Object.entries(tags ?? {}).map(([name, value]) => html`<a class="tag" href="/runs?tag=${encodeURIComponent(`${name}:${value}`)}">${text(name, 40)}:${text(value, 80)}</a>`));

/** Gives the page's heading the focus where what had it is gone: a reader would be at the top of everything else. */
export function keepFocus() {
  if (document.activeElement === document.body) {
    /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus({ preventScroll: true });
  }
}

/** Puts a text into the clipboard, and says so. @param {string} whole @param {string} what it is, for those who do not see it */
export const copyButton = (whole, what, label = 'Copy') => (navigator.clipboard === undefined ? nothing : html`<button type="button" class="quiet small copy" title="Copy ${what}" @click=${async (/** @type {any} */ click) => {
  const button = click.currentTarget;
  button.textContent = await navigator.clipboard.writeText(whole).then(() => 'Copied', () => 'Could not be copied');
  setTimeout(() => { button.textContent = label; }, COPIED_MILLIS);
}}>${label}</button>`);

const COPIED_MILLIS = 1_500;

/**
 * @param {string} title
 * @param {string} written JSON, as it is shown and copied
 */
export const json = (title, written) => html`<section class="panel"><div class="panel-head"><h2>${title}</h2>${copyButton(written, title)}</div>
  <pre tabindex="0" role="region" aria-label=${title}><bdi>${plain(written)}</bdi></pre></section>`;

/** @param {unknown} failure @param {string} [what] became of what was asked for */
export function failed(failure, what = 'This could not be done.') {
  if (failure instanceof SyntaxError) {
    return html`<div class="notice bad" role="alert"><strong>This is no JSON.</strong> ${text(failure.message, 500)}</div>`;
  }
  const request = failure instanceof ApiError && failure.requestId ? html`<small>request ${plain(failure.requestId)}</small>` : nothing;
  const message = failure instanceof Error ? failure.message : String(failure);
  const head = failure instanceof ApiError && failure.mayBeDone ? 'Nobody knows whether this was done.' : what;
  return html`<div class="notice bad" role="alert"><strong>${head}</strong> ${text(message, 2_000)} ${request}</div>`;
}

/**
 * @param {string} title
 * @param {unknown} [hint]
 */
export const empty = (title, hint = nothing) => html`<div class="empty"><p>${title}</p><p class="faint">${hint}</p></div>`;

/** A number, or a dash where there is none. */
export const number = (/** @type {number | undefined} */ value) => value === undefined ? html`<span class="faint none">–</span>` : count(value);

/** A head of a column of numbers. */
export const right = (/** @type {string} */ head) => ({ head, isNumber: true });

/** The head of a column of buttons and links. */
export const actionsHead = html`<span class="hidden">Actions</span>`;

/**
 * A table that scrolls within itself on narrow screens.
 * @param {string} label
 * @param {unknown[]} heads
 * @param {unknown} rows templates of `tr`; `repeat` of them where they move
 */
export const table = (label, heads, rows) => html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
  <table><thead><tr>${heads.map((head) => (/** @type {any} */ (head)?.isNumber
    ? html`<th scope="col" class="number">${/** @type {any} */ (head).head}</th>` : html`<th scope="col">${head}</th>`))}</tr></thead><tbody>${rows}</tbody></table></div>`;
