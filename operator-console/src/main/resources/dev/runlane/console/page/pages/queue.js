/** One queue: how it goes, what waits, who takes its slots. */
import { html, nothing } from '../lib/html.js';
import { get, path } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { badge, empty, number, right, runLink, table, taskLink, text, time } from '../lib/elements.js';
import { depthNow, longestDue, MAY_BE_DUE } from '../lib/findings.js';
import { count, plain } from '../lib/format.js';
import { rangeOf, readSeries } from '../chart/range.js';
import { cutNote, depthChart, rangeChoice, throughputCharts } from '../chart/throughput.js';
import { Page } from './page.js';
import { changeQueue } from './queues.js';

const OCCUPYING = ['running', 'cancellation_requested'];
const LOOKED_AT = 200;
const KEYS = 50;
const WAITING = 10;
const MOST_WAITING = 100;

/** Every key of who may not see keys: one of them is not the other. */
const MASKED = '[masked]';

class QueuePage extends Page {
  heading() {
    return html`<span class="faint">Queue</span> <bdi>${plain(this.name(), 120)}</bdi>`;
  }

  name() {
    return this.place.parts[1];
  }

  shortestPause() {
    return 3_000;
  }

  async load(signal) {
    const queue = this.name();
    const [known, paused, depths, history, series, held, queued, later, occupied] = await Promise.all([
      get('queues', {}, signal), get('paused-queues', {}, signal), get('depths', {}, signal), get('depths/history', {}, signal),
      readSeries(rangeOf(this.place), { by: 'task', queue }, signal),
      get('runs', { queue, status: OCCUPYING, limit: LOOKED_AT }, signal),
      ...['queued', MAY_BE_DUE].map((status) => get('runs', { queue, status, direction: 'asc', limit: MOST_WAITING }, signal)),
      get(path`queues/${queue}/occupied`, { limit: KEYS }, signal),
    ]);
    return {
      known: known.data.find((each) => each.name === queue), pause: paused.data.find((each) => each.queue === queue),
      sampled: depths.sample?.queues.find((each) => each.queue === queue), takenAt: depths.sample?.takenAt,
      history: history.data, series, held: held.data, waiting: [...queued.data, ...later.data], isCut: [queued, later].some((page) => page.nextCursor !== undefined), isHeldCut: held.nextCursor !== undefined, occupied,
    };
  }

  view({ known, pause, sampled, takenAt, history, series, held, waiting, isCut, isHeldCut, occupied }) {
    const name = this.name();
    const isSampled = isCut || isHeldCut; // more runs than are read for the lists below
    const depth = depthNow(waiting, held, isSampled, sampled, serverNow());
    const longest = longestDue(waiting, serverNow()).slice(0, WAITING);
    return html`<p class="summary">${pause
        ? html`<span class="badge released">paused</span> <span>${time(pause.pausedAt)} by ${text(pause.actor.id ?? 'an operator', 60)}${pause.reason ? html`: ${text(pause.reason)}` : nothing}</span>`
        : html`<span class="badge succeeded">✓ open</span>`}
        <span class="faint">${limitText(known, occupied)}${known?.isDefault ? ', the default queue' : ''}</span></p>
      <p class="buttons start">${this.session?.role === 'viewer' ? nothing : html`<button @click=${() => changeQueue(name, pause ? 'resume' : 'pause', () => this.reload())}>${pause ? 'Resume …' : 'Pause …'}</button>`}
        <a class="button quiet" href="/runs?queue=${encodeURIComponent(name)}">Its runs</a><a class="button quiet" href="/runs?queue=${encodeURIComponent(name)}&status=failed">Failed runs</a></p>
      <div class="tiles">${[['Due', 'may run now', depth.waiting], ['Later', 'waits for its time', depth.later], ['Held', 'by a worker, or reserved', depth.held]].map(([title, hint, { value, isLeast }]) => html`<div class="tile">
          <span>${title}</span><strong>${number(value)}${isLeast ? '+' : ''}</strong><small>${hint}</small></div>`)}
        <div class="tile"><span>Oldest due</span><strong>${time(depth.oldestDueAt)}</strong><small>\u00a0</small></div></div>
      ${isSampled && takenAt ? html`<p class="faint">So many runs are counted once a minute, last ${time(takenAt)}; the lists below are newer.</p>` : nothing}
      <div class="bar-head"><h2>How it went</h2>${rangeChoice(this.place)}</div>
      <div class="charts">${throughputCharts(series, this.place)} ${depthChart(history, name)}</div>${cutNote(series)}
      ${known?.concurrencyLimit || occupied.concurrencyLimit || occupied.data.length > 0 ? html`<section class="panel"><h2>Slots by key</h2>${slots(occupied, held)}</section>` : nothing}
      <section class="panel"><h2>Waiting longest</h2>${longest.length === 0 ? empty('No run is due and waits.')
        : table('Waiting longest', ['Run', 'Status', 'Task', 'Key', 'Due'], longest.map((run) => html`<tr><td>${runLink(run.id)}</td><td>${badge(run.status)}</td><td>${taskLink(run.taskId)}</td>
          <td>${text(run.concurrencyKey ?? '', 80)}</td><td>${time(run.dueAt)}</td></tr>`))}
        ${isCut ? html`<p class="faint">Among the ${MOST_WAITING} queued runs and the ${MOST_WAITING} others that were made first.</p>` : nothing}</section>`;
  }
}

/** Of a queue of another process the storage knows the limit alone. */
export function limitText(/** @type {{concurrencyLimit?: number} | undefined} */ known, /** @type {{concurrencyLimit?: number}} */ occupied) {
  const limit = known?.concurrencyLimit ?? occupied.concurrencyLimit;
  return limit !== undefined ? `at most ${count(limit)} at a time for each key` : known === undefined ? 'of another process, without a limit that is known' : 'without a limit';
}

/** The fullest keys, and which of their runs have the slots. */
export function slots({ concurrencyLimit: limit, data }, held) {
  const by = (key) => held.filter((run) => run.concurrencyKey === key);
  return data.length === 0 ? empty('No slot is taken.')
    : html`${table('Slots by key', ['Key', right('Taken'), 'Share', 'By'], data.map(({ concurrencyKey: key, occupied }) => html`<tr>
        <td>${key === undefined ? html`<span class="faint">no key</span>` : key === MASKED ? text(key) : html`<a href="/runs?concurrencyKey=${encodeURIComponent(key)}">${text(key, 80)}</a>`}</td>
        <td class="number">${count(occupied)}${limit === undefined ? nothing : ` of ${count(limit)}`}</td>
        <td>${limit === undefined ? nothing : html`<meter min="0" max=${limit} low=${limit - 0.5} high=${limit - 0.5} optimum="0" value=${occupied} aria-label="Taken slots of ${plain(key ?? 'no key', 40)}"></meter>`}</td>
        <td>${key === MASKED ? html`<span class="faint none">–</span>` : html`${by(key).slice(0, 5).map((run) => html`${runLink(run.id)} `)}${occupied > by(key).length ? html`<span class="faint">${count(occupied - by(key).length)} reserved or not listed</span>` : nothing}`}</td></tr>`))}
      ${data.length === KEYS ? html`<p class="faint">The ${KEYS} keys with the most slots.</p>` : nothing}`;
}

customElements.define('rl-queue-page', QueuePage);
