/** The processes, and the runs that those hold which are gone. */
import { html, nothing } from '../lib/html.js';
import { all, get, path } from '../lib/api.js';
import { empty, runLink, table, taskLink, text, time } from '../lib/elements.js';
import { Page } from './page.js';

class WorkersPage extends Page {
  heading() {
    return 'Workers';
  }

  async load(signal) {
    const { data } = await all('processes', 5, signal);
    const gone = data.filter((process) => process.isGone && process.running > 0).slice(0, 5);
    const left = await Promise.all(gone.map(async (process) => ({
      process, leases: (await get(path`processes/${process.id}/leases`, { limit: 100 }, signal)).data,
    })));
    return { processes: data, left: left.filter(({ leases }) => leases.length > 0) };
  }

  view({ processes, left }) {
    return html`${left.map(({ process, leases }) => html`<section class="panel bad"><h2>Left by ${text(process.id, 80)}, gone since ${time(process.lastSeen)}</h2>
        ${table('Runs that were left', ['Run', 'Task', 'Worker', 'Taken over after'], leases.map((lease) => html`<tr><td>${runLink(lease.runId)}</td>
          <td>${taskLink(lease.taskId)}</td><td>${text(lease.workerId, 80)}</td><td>${time(lease.expiresAt)}</td></tr>`))}</section>`)}
      ${processes.length === 0
        ? empty('No process has told of itself.', 'A process does within seconds of its start.')
        : table('Processes', ['Process', 'Host', 'State', 'Version', 'Roles', 'Runs', 'Queues', 'Tasks', 'Started', 'Last seen'], processes.map(row))}`;
  }
}

const list = (names) => text([...names].sort().join(', '), 200);

const row = (process) => html`<tr><td class="mono">${text(process.id, 60)}</td><td>${text(process.host, 60)}</td>
  <td>${process.isGone ? html`<span class="badge failed">✕ gone</span>` : html`<span class="badge succeeded">✓ alive</span>`}</td><td>${text(process.version || '–', 40)}</td>
  <td>${list(process.roles)}</td><td>${process.running} of ${process.slots} ${process.slots > 0 ? html`<meter min="0" max=${process.slots} value=${process.running} aria-label="Occupied slots"></meter>` : nothing}</td>
  <td>${list(process.queues)}</td><td>${list(process.tasks)}</td><td>${time(process.startedAt)}</td><td>${time(process.lastSeen)}</td></tr>`;

customElements.define('rl-workers-page', WorkersPage);
