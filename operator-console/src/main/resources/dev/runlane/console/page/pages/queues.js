/** The queues: what waits, what is paused, and how to change it. */
import { html, nothing } from '../lib/html.js';
import { get, path, post } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, queueLink, table, text, time } from '../lib/elements.js';
import { count } from '../lib/format.js';
import { Page } from './page.js';

class QueuesPage extends Page {
  heading() {
    return 'Queues';
  }

  async load(signal) {
    const [known, paused, depths] = await Promise.all([get('queues', {}, signal), get('paused-queues', {}, signal), get('depths', {}, signal)]);
    const names = new Set([known.data.map((queue) => queue.name), paused.data.map((queue) => queue.queue),
      (depths.sample?.queues ?? []).map((queue) => queue.queue)].flat());
    return [...names].sort().map((name) => ({
      name,
      known: known.data.find((queue) => queue.name === name),
      pause: paused.data.find((queue) => queue.queue === name),
      depth: depths.sample?.queues.find((queue) => queue.queue === name),
    }));
  }

  view(queues) {
    return queues.length === 0 ? empty('No queue is known.') : table('Queues',
      ['Queue', 'State', 'Due', 'Later', 'Held', 'Oldest due', 'Limit by key', actionsHead], queues.map((queue) => this.row(queue)));
  }

  row({ name, known, pause, depth }) {
    const number = (value) => value === undefined ? html`<span class="faint">–</span>` : count(value);
    return html`<tr><td>${queueLink(name)} ${known?.isDefault ? html`<span class="faint">default</span>` : nothing}</td>
      <td>${pause ? html`<span class="badge released">paused</span> ${time(pause.pausedAt)} ${text(pause.actor.id ?? '', 60)}${pause.reason ? html`: ${text(pause.reason)}` : nothing}` : 'open'}</td>
      <td class="number">${number(depth?.waiting)}</td><td class="number">${number(depth?.later)}</td><td class="number">${number(depth?.held)}</td>
      <td>${time(depth?.oldestDueAt)}</td><td class="number">${known?.concurrencyLimit ?? html`<span class="faint">none</span>`}</td>
      <td>${this.session?.role === 'viewer' ? nothing : html`<button @click=${() => this.change(name, pause ? 'resume' : 'pause')}>${pause ? 'Resume …' : 'Pause …'}</button>`}</td></tr>`;
  }

  change(name, action) {
    ask({
      title: action === 'pause' ? `Pause queue ${name}?` : `Resume queue ${name}?`,
      effect: action === 'pause'
        ? 'Within 2 seconds no process claims anything of it. What runs goes on, and triggers make more.'
        : 'Its waiting runs are claimed within about a second.',
      verb: action === 'pause' ? 'Pause queue' : 'Resume queue',
      act: async (form) => {
        await post(`${path`queues/${name}`}/${action}`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }
}

customElements.define('rl-queues-page', QueuesPage);
