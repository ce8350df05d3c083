/** The tasks that this process knows, and how they went lately. */
import { html, nothing } from '../lib/html.js';
import { all, get, MANY } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { empty, number, queueLink, right, table, taskLink, text, time } from '../lib/elements.js';
import { duration } from '../lib/format.js';
import { mergedSchedules, nextFire } from '../lib/schedules.js';
import { readSeries } from '../chart/range.js';
import { lately, latelyRange } from '../chart/lately.js';
import { Page } from './page.js';

class TasksPage extends Page {
  heading() {
    return 'Tasks';
  }

  shortestPause() {
    return 3_000;
  }

  async load(signal) {
    const [tasks, queues, states, series] = await Promise.all([
      get('tasks', {}, signal), get('queues', {}, signal), all('schedules', MANY, signal), readSeries(latelyRange(), { by: 'task' }, signal)]);
    const schedules = mergedSchedules(states.data, tasks.data);
    const defaultQueue = queues.data.find((queue) => queue.isDefault)?.name;
    return tasks.data.map((task) => ({ task, defaultQueue, schedules: schedules.filter((each) => each.taskId === task.id), recent: lately(series.groups.find((group) => group.name === task.id)) }));
  }

  view(tasks) {
    return tasks.length === 0
      ? empty('No process has a task.', 'Tasks are known where they are registered: Runlane.builder(…).task(…).')
      : html`${table('Tasks', ['Task', 'Queue', 'Payload', ...(tasks.some(isElsewhere) ? ['Known from'] : []), right('Ended a minute'), right('Failed'), right('Start p99'), right('Attempt p50'), right('Attempt p99'), 'Next fire'],
        tasks.map((each) => row(each, tasks.some(isElsewhere))))}<p class="faint">Rates and latencies of the last 15 minutes that were counted; a latency is the largest of a minute.</p>`;
  }
}

const millis = (value) => (value === undefined ? html`<span class="faint none">–</span>` : duration(value));

/** Whether another process has to do with it: only then is it worth a column who. */
const isElsewhere = ({ task }) => !task.isLocal || !task.hasHandler;

const row = ({ task, defaultQueue, schedules, recent }, isTold) => html`<tr><td>${taskLink(task.id)}</td>
  <td>${task.queue ? queueLink(task.queue) : defaultQueue === undefined ? html`<span class="faint">the default</span>` : queueLink(defaultQueue)}</td><td class="mono">${text(simpleName(task.payloadType), 60)}</td>
  ${isTold ? html`<td class="id">${task.isLocal ? html`this process${task.hasHandler ? '' : html` <small class="below">others work on it</small>`}` : html`<span class="mono">${text(task.publishedBy ?? '', 40)}</span>${task.hasHandler ? '' : html` <small class="below">triggers alone</small>`}`}</td>` : nothing}<td class="number">${recent.rate}</td>
  <td class="number">${recent.failed > 0 ? html`<a class="bad-text" href="/runs?task=${encodeURIComponent(task.id)}&status=failed">${number(recent.failed)}</a>` : html`<span class="faint">0</span>`}</td>
  <td class="number">${millis(recent.waitedP99)}</td><td class="number">${millis(recent.attemptP50)}</td><td class="number">${millis(recent.attemptP99)}</td>
  <td>${time(nextFire(schedules, serverNow()))}</td></tr>`;

const simpleName = (type) => (type ?? '').split('.').pop();

customElements.define('rl-tasks-page', TasksPage);
