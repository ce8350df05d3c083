/** The tasks that this process knows, and their schedules. */
import { html } from '../lib/html.js';
import { get } from '../lib/api.js';
import { actionsHead, empty, queueLink, table, taskLink, text, time } from '../lib/elements.js';
import { Page } from './page.js';

class TasksPage extends Page {
  heading() {
    return 'Tasks';
  }

  load(signal) {
    return get('tasks', {}, signal);
  }

  view({ data }) {
    return data.length === 0
      ? empty('This process knows no task.', 'Tasks are known where they are registered: Runlane.builder(…).task(…).')
      : table('Tasks', ['Task', 'Queue', 'Payload', 'Works here', 'Attempt timeout', 'Next fire', actionsHead], data.map((task) => html`<tr><td>${taskLink(task.id)}</td>
          <td>${task.queue ? queueLink(task.queue) : html`<span class="faint">the default</span>`}</td><td class="mono">${text(simpleName(task.payloadType), 60)}</td>
          <td>${task.hasHandler ? 'yes' : 'no'}</td><td>${task.attemptTimeout ?? html`<span class="faint">–</span>`}</td>
          <td>${time(task.schedules.flatMap((schedule) => schedule.enabled ? schedule.nextFires.slice(0, 1) : []).sort()[0])}</td>
          <td><a href="/runs?task=${encodeURIComponent(task.id)}">Runs</a></td></tr>`));
  }
}

const simpleName = (type) => (type ?? '').split('.').pop();

customElements.define('rl-tasks-page', TasksPage);
