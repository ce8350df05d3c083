/** The processes: which versions, what they do now, and the runs that those hold which are gone. */
import { html, nothing } from '../lib/html.js';
import { all, get, MANY, path } from '../lib/api.js';
import { empty, right, runLink, table, taskLink, text, time } from '../lib/elements.js';
import { count, counted, duration, plain } from '../lib/format.js';
import { Page } from './page.js';

const MOST_GONE = 5;
const MOST_LEASES = 100;
/** Of what a process takes. */
const MOST_NAMES = 8;

class WorkersPage extends Page {
  /** The processes whose runs are shown. */
  #opened = new Set();

  heading() {
    return 'Workers';
  }

  async load(signal) {
    const { data, isCut } = await all('processes', MANY, signal, { names: MOST_NAMES });
    const gone = data.filter((process) => process.isGone && process.running > 0).slice(0, MOST_GONE);
    const asked = [...gone, ...data.filter((process) => !process.isGone && this.#opened.has(process.id))];
    const held = new Map(await Promise.all(asked.map(async (process) => [process.id, (await get(path`processes/${process.id}/leases`, { limit: MOST_LEASES }, signal)).data])));
    return { processes: data, isCut, gone, held };
  }

  view({ processes, isCut, gone, held }) {
    const alive = processes.filter((process) => !process.isGone);
    return html`${isCut ? html`<p class="notice" role="status">There were more processes within a day than are read: ${count(processes.length)}, by their ids.</p>` : nothing}${gone.map((process) => html`<section class="panel bad"><h2>Left by ${text(process.id, 80)}, gone since ${time(process.lastSeen)}</h2>
        ${held.get(process.id).length === 0
          ? html`<p>It had ${counted(process.running, 'run')}; other workers have taken them over, or they have ended.</p>`
          : leases('Runs that were left', held.get(process.id), 'Taken over after')}</section>`)}
      ${processes.length === 0 ? empty('No process has told of itself.', 'A process does within seconds of its start.') : html`${rollout(alive)}
        ${table('Processes', ['Process', 'State', right('Runs'), 'Roles', 'Queues', 'Tasks', 'Last seen', right('Clock')], processes.map((process) => this.row(process)))}
        ${alive.filter((process) => held.has(process.id)).map((process) => html`<section class="panel"><h2>Held by ${text(process.id, 80)}</h2>
          ${held.get(process.id).length === 0 ? empty('It holds no run.') : leases('Runs that are held', held.get(process.id), 'Lease ends')}</section>`)}`}`;
  }

  row(process) {
    const isOpen = this.#opened.has(process.id);
    return html`<tr><td class="list"><span class="mono">${text(process.id, 60)}</span><small class="below faint">on ${text(process.host, 60)}${process.version ? html`, ${text(process.version, 40)}` : nothing}</small></td>
      <td>${process.isGone ? html`<span class="badge failed">✕ gone</span>` : html`<span class="badge succeeded">✓ alive</span>`}</td>
      <td class="number">${process.isGone ? process.running : html`<button aria-expanded=${isOpen} @click=${() => this.toggle(process.id)}
        title="The runs it holds">${process.running} of ${process.slots}<span class="hidden"> slots of ${plain(process.id, 60)}</span></button>`}</td><td class="list"><small>${text(process.roles.map(roleName).sort().join(', '), 300)}</small></td>
      <td class="list">${list(process.queues, process.queueCount)}</td><td class="list">${list(process.tasks, process.taskCount)}</td><td>${time(process.lastSeen)}<small class="below faint">began ${time(process.startedAt)}</small></td><td class="number">${clock(process.clockOffsetMillis)}</td></tr>`;
  }

  toggle(id) {
    if (!this.#opened.delete(id)) {
      this.#opened.add(id);
    }
    this.reload();
  }
}

/** From here on leases and schedules of the process are off by what people notice. */
export const CLOCK_OFF_MILLIS = 2_000;

function clock(offset) {
  if (offset === undefined) {
    return html`<span class="faint none">–</span>`;
  }
  return html`<span class=${Math.abs(offset) >= CLOCK_OFF_MILLIS ? 'bad-text' : ''} title="Against the database's, the way there included">${Math.abs(offset) < 1 ? '0 ms' : `${offset > 0 ? '+' : '−'}${duration(Math.abs(offset))}`}</span>`;
}

const leases = (title, rows, until) => table(title, ['Run', 'Task', 'Worker', until], rows.map((lease) => html`<tr><td>${runLink(lease.runId)}</td>
  <td>${taskLink(lease.taskId)}</td><td class="mono">${text(lease.workerId, 80)}</td><td>${time(lease.expiresAt)}</td></tr>`));

/** How far a rollout is; nothing where all processes are of one version. */
function rollout(alive) {
  const versions = new Map();
  alive.forEach((process) => versions.set(process.version, (versions.get(process.version) ?? 0) + 1));
  return versions.size < 2 ? nothing : html`<section class="panel"><h2>Rollout under way</h2><dl class="facts">${[...versions].sort().map(([version, number]) => html`
    <dt>${text(version || 'no version told', 60)}</dt><dd><meter min="0" max=${alive.length} value=${number} aria-label="Share of ${plain(version || 'unknown', 40)}"></meter> ${counted(number, 'process', 'processes')}</dd>`)}</dl></section>`;
}

/** `leaseHeartbeater` is a lease heartbeater to people. */
const roleName = (/** @type {string} */ role) => role.replace(/([a-z])([A-Z])/g, (_all, before, after) => `${before} ${after.toLowerCase()}`);

/** Whole names, and how many there are beside them. */
function list(/** @type {string[]} */ names, /** @type {number} */ all) {
  const sorted = [...names].sort();
  return html`${text(sorted.join(', '), 2_000)}${all <= names.length ? nothing : html` <span class="faint">and ${count(all - names.length)} more</span>`}`;
}

customElements.define('rl-workers-page', WorkersPage);
