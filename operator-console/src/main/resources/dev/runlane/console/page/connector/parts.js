/** What the pages of connectors share: reading, and how runs and intervals are shown. */
import { get } from '../lib/api.js';
import { html, nothing } from '../lib/html.js';
import { text } from '../lib/elements.js';
import { every as everyMillis, plain, words } from '../lib/format.js';

/** The status of a connector's run by the look of one of Runlane's. */
const LOOKS = { active: ['running', '▶'], completed: ['succeeded', '✓'], succeeded: ['succeeded', '✓'], failed: ['failed', '✕'], abandoned: ['failed', '✕'], cancelled: ['cancelled', '⊘'], skipped: ['', '‖'] };

/** @param {string} status */
export function runBadge(status) {
  const [look, mark] = LOOKS[status] ?? ['', '•'];
  return html`<span class="badge ${look}"><span aria-hidden="true">${mark}</span> ${words(status)}</span>`;
}

export const asksBadge = html`<span class="badge queued"><span aria-hidden="true">?</span> asks</span>`;

/** An instant that may be null, as these routes have it. */
export const orNone = (/** @type {any} */ value) => value ?? undefined;

/** @param {string} id @param {string} [name] */
export const connectorLink = (id, name) => html`<a href="/connectors/${encodeURIComponent(id)}"><bdi>${plain(name ?? id, 80)}</bdi></a>`;

/** @param {string} connector @param {string} run */
export const connectorRunLink = (connector, run) => html`<a class="mono" href="/connectors/${encodeURIComponent(connector)}/${encodeURIComponent(run)}" title=${plain(run, 120)}><bdi>${plain(run, 80)}</bdi></a>`;

/** What people call a connector. @param {any[]} connectors the catalogue @param {string} id */
export const nameOf = (connectors, id) => connectors.find((each) => each.connector_id === id)?.display_name;

/** All entries of the catalogue, page after page. */
export async function readCatalogue(/** @type {AbortSignal} */ signal) {
  const data = [];
  let cursor;
  do {
    const page = await get('/_ref/connectors', { limit: 200, cursor }, signal);
    data.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return data;
}

/** The runs that are active, of one connector or of all; with the question that waits. */
export async function readActive(/** @type {AbortSignal} */ signal, /** @type {string | undefined} */ connector = undefined) {
  return (await get('/_ref/runs', { status: 'active', connector_id: connector }, signal)).data;
}

/** @param {number | undefined | null} seconds */
export const every = (seconds) => (seconds === undefined || seconds === null ? '–' : everyMillis(seconds * 1_000));

/** What a connector may ask its owner for, in words. */
export const KINDS = { otp: 'a one-time code', credentials: 'a log-in', manual_action: 'something to be done by hand' };

/** Whether a schedule goes on by itself, in words and colour. */
export function scheduleState(/** @type {any} */ schedule) {
  if (schedule === null || schedule === undefined) {
    return html`<span class="faint">none</span>`;
  }
  return html`${every(schedule.interval_seconds)} ${schedule.effective_mode === 'automatic' ? nothing : html`<span class="badge released">${text(schedule.effective_mode, 20)}</span>`}
    ${schedule.human_attention_needed ? html`<span class="badge failed">needs a person</span>` : nothing}
    ${schedule.scheduler_backoff?.backoff_applied ? html`<span class="badge retrying">backs off</span>` : nothing}`;
}
