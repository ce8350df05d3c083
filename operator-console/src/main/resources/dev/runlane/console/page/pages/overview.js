/** Whether all is well, and what is stuck. */
import { html, nothing } from '../lib/html.js';
import { all, get } from '../lib/api.js';
import { empty, queueLink, runLink, table, taskLink, text, time } from '../lib/elements.js';
import { count, counted, duration, plain, relative } from '../lib/format.js';
import { Page } from './page.js';

const LATE_MILLIS = 60_000;
const LATEST_FAILURES = 10;

class OverviewPage extends Page {
  heading() {
    return 'Overview';
  }

  async load(signal) {
    const [depths, processes, paused, tasks, failures] = await Promise.all([
      get('depths', {}, signal), all('processes', 5, signal), get('paused-queues', {}, signal), get('tasks', {}, signal),
      get('runs', { status: 'failed', sort: 'updatedAt', limit: LATEST_FAILURES }, signal),
    ]);
    return { sample: depths.sample, processes: processes.data, paused: paused.data, tasks: tasks.data, failures: failures.data };
  }

  view(data) {
    const findings = findingsOf(data, Date.now());
    const alive = data.processes.filter((process) => !process.isGone);
    const sum = (name) => data.sample?.queues.reduce((total, queue) => total + queue[name], 0);
    return html`${findings.length === 0
        ? html`<div class="notice good"><strong>All is well.</strong> Nothing is late, paused, dead-lettered or without a worker.</div>`
        : html`<div class="notice bad" role="status"><strong>${counted(findings.length, 'thing')} to look at</strong>
          <ul>${findings.map((finding) => html`<li>${finding}</li>`)}</ul></div>`}
      <div class="tiles">${tile('Due', sum('waiting'), '/runs?status=queued')} ${tile('Later', sum('later'), '/runs?status=scheduled')}
        ${tile('Held', sum('held'), '/runs?status=running')} ${tile('Dead letters', data.sample?.outbox.deadLettered, '/outbox')}
        ${tile('Processes', alive.length, '/workers')} ${tile('Free slots', alive.reduce((free, each) => free + Math.max(0, each.slots - each.running), 0), '/workers')}</div>
      <section class="panel"><h2>Queues</h2>${queues(data)}</section>
      <section class="panel"><h2>Latest failures</h2>${data.failures.length === 0
        ? empty('No run has failed.')
        : table('Latest failures', ['Run', 'Task', 'Failed', 'Why'], data.failures.map((run) => html`<tr><td>${runLink(run.id)}</td><td>${taskLink(run.taskId)}</td>
            <td>${time(run.finishedAt ?? run.updatedAt)}</td><td class="long"><span class="bad-text">${text(run.failure?.code ?? '', 60)}</span> ${text(run.failure?.message ?? '', 200)}</td></tr>`))}
        <p><a href="/runs?status=failed">All failed runs</a></p></section>
      <section class="panel"><h2>Versions</h2>${versions(alive)}</section>`;
  }
}

const tile = (name, number, address) => html`<a class="tile" href=${address}><span>${name}</span><strong>${number === undefined ? '–' : count(number)}</strong></a>`;

/** What an operator should look at, each as a sentence with a way there. */
function findingsOf({ sample, processes, paused, tasks }, now) {
  const alive = processes.filter((process) => !process.isGone);
  return [
    ...processes.filter((process) => process.isGone && process.running > 0).map((process) => html`Process ${text(process.id, 80)} on ${text(process.host, 80)} is gone
      since ${time(process.lastSeen)}; it had ${counted(process.running, 'run')}. <a href="/workers">Workers</a>`),
    ...paused.map((queue) => html`Queue ${queueLink(queue.queue)} is paused since ${time(queue.pausedAt)}${queue.reason ? html`: ${text(queue.reason)}` : nothing}. <a href="/queues">Queues</a>`),
    ...(sample?.queues ?? []).filter((queue) => queue.oldestDueAt && now - Date.parse(queue.oldestDueAt) > LATE_MILLIS).map((queue) => html`The oldest due run of
      ${queueLink(queue.queue)} has waited ${duration(now - Date.parse(queue.oldestDueAt))}. <a href="/runs?queue=${encodeURIComponent(queue.queue)}&status=queued&direction=asc">What waits there</a>`),
    ...(sample?.outbox.deadLettered > 0 ? [html`${counted(sample.outbox.deadLettered, 'wakeup')} could not be published. <a href="/outbox">Outbox</a>`] : []),
    ...tasks.filter((task) => !alive.some((process) => process.tasks.includes(task.id))).map((task) => html`No living process works on task ${taskLink(task.id)}.`),
  ];
}

function queues({ sample, paused }) {
  if (sample === undefined) {
    return empty('Nothing has been counted yet.', 'Depths are counted once a minute, by one process.');
  }
  if (sample.queues.length === 0) {
    return empty('Nothing waits in any queue.', `Counted ${relative(sample.takenAt, Date.now())}.`);
  }
  const most = Math.max(1, ...sample.queues.map((queue) => queue.waiting + queue.later + queue.held));
  return html`${table('Queues', ['Queue', 'Due', 'Later', 'Held', 'Oldest due', 'Share'], sample.queues.map((queue) => html`<tr><td>${queueLink(queue.queue)}
      ${paused.some((each) => each.queue === queue.queue) ? html`<span class="badge released">paused</span>` : nothing}</td>
    <td class="number">${count(queue.waiting)}</td><td class="number">${count(queue.later)}</td><td class="number">${count(queue.held)}</td><td>${time(queue.oldestDueAt)}</td>
    <td><meter min="0" max=${most} value=${queue.waiting + queue.later + queue.held} aria-label="Share of ${plain(queue.queue, 60)}"></meter></td></tr>`))}
    <p class="faint">Counted ${time(sample.takenAt)}.</p>`;
}

function versions(alive) {
  const known = new Map();
  alive.forEach((process) => known.set(process.version || 'unknown', (known.get(process.version || 'unknown') ?? 0) + 1));
  return known.size === 0
    ? empty('No process has told of itself.')
    : html`<ul class="plain">${[...known].map(([version, number]) => html`<li><strong>${text(version, 60)}</strong> ${counted(number, 'process', 'processes')}</li>`)}</ul>`;
}

customElements.define('rl-overview-page', OverviewPage);
