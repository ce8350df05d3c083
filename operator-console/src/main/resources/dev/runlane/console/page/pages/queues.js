/** The queues: what waits, how fast it goes, what is paused. */
import { html, nothing } from '../lib/html.js';
import { get, path, post } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, number, queueLink, right, table, text, time } from '../lib/elements.js';
import { queueNames } from '../lib/findings.js';
import { count, duration } from '../lib/format.js';
import { readSeries } from '../chart/range.js';
import { lately, latelyRange } from '../chart/lately.js';
import { Page } from './page.js';

class QueuesPage extends Page {
  heading() {
    return 'Queues';
  }

  async load(signal) {
    const [known, paused, depths, series, theirs] = await Promise.all([get('queues', {}, signal), get('paused-queues', {}, signal), get('depths', {}, signal),
      readSeries(latelyRange(), { by: 'queue' }, signal), get('process-names', {}, signal)]);
    const names = new Set([...queueNames(known.data, paused.data, depths.sample, theirs), ...series.groups.map((group) => group.name)]);
    const queues = [...names].sort().map((name) => ({
      name,
      known: known.data.find((queue) => queue.name === name),
      pause: paused.data.find((queue) => queue.queue === name),
      depth: depths.sample?.queues.find((queue) => queue.queue === name),
      counted: depths.sample !== undefined,
      lately: lately(series.groups.find((group) => group.name === name)),
    }));
    return { queues, steps: depths.sample?.steps ?? [], takenAt: depths.sample?.takenAt };
  }

  view({ queues, steps, takenAt }) {
    return html`${queues.length === 0 ? empty('No queue is known.', 'Queues are known where they are registered: Runlane.builder(…).queue(…).') : html`${table('Queues',
      ['Queue', 'State', right('Due'), right('Later'), right('Held'), 'Oldest due', right('Ended a minute'), right('Failed'), right('Start p99'), right('Limit by key'), actionsHead],
      queues.map((queue) => this.row(queue)))}<p class="faint">Due: may run now. Later: waits for its time. Held: a worker has it, or a slot is reserved.${takenAt === undefined ? nothing : html` All three are counted once a minute, last ${time(takenAt)}.`} Rates and latencies are those of the last 15 minutes that were counted; a latency is the largest of a minute.</p>`}
      ${steps.length === 0 ? nothing : html`<section class="panel"><h2>Remote steps</h2>${table('Remote steps', ['Group', right('Waiting'), 'Longest since'],
        steps.map((group) => html`<tr><td>${text(group.group, 80)}</td><td class="number">${count(group.waiting)}</td><td>${time(group.oldestAt)}</td></tr>`))}
        <p class="faint">Those that the workers of their group were asked for, or are due to be.</p></section>`}`;
  }

  row({ name, known, pause, depth, counted, lately: recent }) {
    const waiting = (value) => number(value ?? (counted ? 0 : undefined));
    return html`<tr><td>${queueLink(name)} ${known?.isDefault ? html`<span class="faint">default</span>` : nothing}</td>
      <td class="list">${pause ? html`<span class="badge released">paused</span> ${time(pause.pausedAt)} ${text(pause.actor.id ?? '', 60)}${pause.reason ? html`: ${text(pause.reason)}` : nothing}` : html`<span class="badge succeeded">✓ open</span>`}</td>
      <td class="number">${waiting(depth?.waiting)}</td><td class="number">${waiting(depth?.later)}</td><td class="number">${waiting(depth?.held)}</td>
      <td>${time(depth?.oldestDueAt)}</td><td class="number">${recent.rate}</td><td class="number ${recent.failed > 0 ? 'bad-text' : ''}">${number(recent.failed)}</td>
      <td class="number">${recent.waitedP99 === undefined ? html`<span class="faint none">–</span>` : duration(recent.waitedP99)}</td>
      <td class="number">${known?.concurrencyLimit ?? html`<span class="faint">${known === undefined ? html`<a href="/queues/${encodeURIComponent(name)}" title="It is of another process">see there</a>` : 'none'}</span>`}</td>
      <td>${this.session?.role === 'viewer' ? nothing : html`<button @click=${() => changeQueue(name, pause ? 'resume' : 'pause', () => this.reload())}>${pause ? 'Resume …' : 'Pause …'}</button>`}</td></tr>`;
  }
}

/** Pauses or resumes a queue once a reason was given. */
export function changeQueue(name, action, done) {
  ask({
    title: action === 'pause' ? html`Pause queue ${text(name, 80)}?` : html`Resume queue ${text(name, 80)}?`,
    effect: action === 'pause'
      ? 'Within 2 seconds no process claims anything of it. What runs goes on, and triggers make more.'
      : 'Its waiting runs are claimed within about a second.',
    verb: action === 'pause' ? 'Pause queue' : 'Resume queue',
    act: async (form) => {
      await post(`${path`queues/${name}`}/${action}`, { reason: form.get('reason') });
      done();
    },
  });
}

customElements.define('rl-queues-page', QueuesPage);
