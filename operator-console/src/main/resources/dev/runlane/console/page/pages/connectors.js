/** The catalogue of connectors: which asks, which runs, how the last run of each ended, when the next is due. */
import { html, nothing } from '../lib/html.js';
import { empty, right, table, text, time } from '../lib/elements.js';
import { count, counted, plain, words } from '../lib/format.js';
import { asksBadge, connectorLink, connectorRunLink, nameOf, orNone, readActive, readCatalogue, runBadge, scheduleState } from '../connector/parts.js';
import { runNow } from '../connector/run-now.js';
import { Page } from './page.js';

const PAUSE_MILLIS = 3_000;

class ConnectorsPage extends Page {
  heading() {
    return 'Connectors';
  }

  longestPause() {
    return PAUSE_MILLIS; // nobody tells of what happens to connectors
  }

  concerns() {
    return false;
  }

  async load(signal) {
    const [connectors, active] = await Promise.all([readCatalogue(signal), readActive(signal)]);
    return { connectors, active };
  }

  view({ connectors, active }) {
    const asking = active.filter((run) => run.pending_interaction_id);
    const failing = connectors.filter((connector) => connector.last_run?.status === 'failed');
    return html`${questions(asking, connectors)}
      ${connectors.length === 0 ? empty('There is no connector.', html`Connectors are folders with <code>manifest.json</code> and <code>launch.json</code> in a registry of this server.`)
        : html`<p>${counted(connectors.length, 'connector')}, ${counted(active.length, 'run')} under way${failing.length === 0 ? '' : html`, <span class="bad-text">${counted(failing.length, 'connector')} failed last</span>`}.</p>
          ${table('Connectors', ['Connector', 'State', 'Last run', right('Records'), right('Gaps'), 'Schedule', html`<span class="hidden">Actions</span>`],
            connectors.map((connector) => this.row(connector, active.find((run) => run.connector_id === connector.connector_id))))}`}`;
  }

  row(connector, run) {
    const last = connector.last_run;
    return html`<tr><td>${connectorLink(connector.connector_id, connector.display_name)} <small class="below">${text(connector.connector_id, 80)} · ${text(connector.version, 30)} · ${counted(connector.streams.length, 'stream')}</small></td>
      <td>${run?.pending_interaction_id ? asksBadge : run ? runBadge('active') : connector.runnable ? last ? runBadge(last.status) : html`<span class="faint">never ran</span>` : html`<span class="badge">cannot run</span><small class="below">no program here</small>`}</td>
      <td>${run ? html`${connectorRunLink(run.connector_id, run.run_id)} <small class="below">since ${time(run.started_at)}</small>` : last?.run_id ? html`${connectorRunLink(connector.connector_id, last.run_id)} <small class="below">${time(orNone(last.completed_at))}</small>` : time(orNone(last?.completed_at))}
        ${!run && last?.status === 'failed' ? html`<small class="below bad-text">${words(last.failure_reason ?? last.terminal_reason ?? '')}</small>` : nothing}</td>
      <td class="number">${last ? count(last.records_emitted ?? 0) : '–'}</td><td class="number">${gapsOf(last)}</td>
      <td>${scheduleState(connector.schedule)}${connector.schedule?.next_due_at ? html`<small class="below">due ${time(connector.schedule.next_due_at)}</small>` : nothing}</td>
      <td>${this.session?.role === 'viewer' || !connector.runnable || run ? nothing : html`<button @click=${() => this.attempt(() => runNow(this, connector.connector_id))}>Run now …<span class="hidden"> ${plain(connector.connector_id, 60)}</span></button>`}</td></tr>`;
  }
}

/** Questions stand above everything: only a person brings these runs on. */
export const questions = (asking, connectors) => (asking.length === 0 ? nothing : html`<div class="notice wait" role="status"><strong>${counted(asking.length, 'connector')} ${asking.length === 1 ? 'waits' : 'wait'} for your answer</strong>
  <ul>${asking.map((run) => html`<li>${connectorLink(run.connector_id, nameOf(connectors, run.connector_id))} asks in ${connectorRunLink(run.connector_id, run.run_id)}, which began ${time(run.started_at)}</li>`)}</ul></div>`);

const gapsOf = (last) => (last?.known_gaps?.length > 0 ? html`<span class="bad-text">${count(last.known_gaps.length)}</span>` : last ? '0' : '–');

customElements.define('rl-connectors-page', ConnectorsPage);
