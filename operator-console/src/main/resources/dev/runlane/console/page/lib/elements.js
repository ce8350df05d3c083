/** Small parts that all pages share. */
import { html, nothing } from './html.js';
import { absolute, jsonText, plain, relative, words } from './format.js';
import { ApiError } from './api.js';

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

/** @param {string | undefined} instant */
export const time = (instant) => instant === undefined
  ? html`<span class="faint">–</span>`
  : html`<time datetime=${instant} title=${absolute(instant)} tabindex="0">${relative(instant, Date.now())}</time>`;

/** A text of others, kept apart from the direction of writing around it. */
export const text = (/** @type {unknown} */ value, /** @type {number} */ longest = 300) =>
  html`<bdi>${plain(value, longest)}</bdi>`;

/** @param {string} id */
export const runLink = (id) => html`<a class="mono" href="/runs/${encodeURIComponent(id)}"><bdi>${plain(id, 80)}</bdi></a>`;

/** @param {string} id */
export const taskLink = (id) => html`<a href="/tasks/${encodeURIComponent(id)}"><bdi>${plain(id, 80)}</bdi></a>`;

/** @param {string} queue */
export const queueLink = (queue) => html`<a href="/runs?queue=${encodeURIComponent(queue)}"><bdi>${plain(queue, 80)}</bdi></a>`;

/**
 * @param {string} title
 * @param {unknown} value
 */
export const json = (title, value) => html`<section class="panel"><h2>${title}</h2>
  <pre tabindex="0" role="region" aria-label=${title}><bdi>${jsonText(value)}</bdi></pre></section>`;

/** @param {unknown} failure */
export function failed(failure) {
  const request = failure instanceof ApiError && failure.requestId ? html`<small>request ${plain(failure.requestId)}</small>` : nothing;
  const message = failure instanceof Error ? failure.message : String(failure);
  return html`<div class="notice bad" role="alert"><strong>This could not be done.</strong> ${text(message, 2_000)} ${request}</div>`;
}

/**
 * @param {string} title
 * @param {unknown} [hint]
 */
export const empty = (title, hint = nothing) => html`<div class="empty"><p>${title}</p><p class="faint">${hint}</p></div>`;

/** The head of a column of buttons and links. */
export const actionsHead = html`<span class="hidden">Actions</span>`;

/**
 * A table that scrolls within itself on narrow screens.
 * @param {string} label
 * @param {unknown[]} heads
 * @param {unknown[]} rows templates of `tr`
 */
export const table = (label, heads, rows) => html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
  <table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
