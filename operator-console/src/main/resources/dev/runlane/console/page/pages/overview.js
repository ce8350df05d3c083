/** Whether all is well, what is stuck, and how it went. */
import { html, nothing } from '../lib/html.js';
import { takeAhead } from '../ahead.js';
import { get } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { empty, number, queueLink, right, runLink, sentence, table, taskLink, text, time } from '../lib/elements.js';
import { lateSteps, uncountedSince, withoutWorker } from '../lib/findings.js';
import { count, counted, duration, moment, plain, words } from '../lib/format.js';
import { hasLeft } from '../lib/schedules.js';
import { failing } from '../chart/lately.js';
import { cutNote, depthChart, rangeChoice, throughputCharts } from '../chart/throughput.js';
import { connectorLink, connectorRunLink, nameOf, readActive, readCatalogue } from '../connector/parts.js';
import { OPEN_ALERTS, readOverview } from './overview-read.js';
import { Page } from './page.js';
import { CLOCK_OFF_MILLIS } from './workers.js';

const LATE_MILLIS = 60_000;
/** Depths are counted once a minute: where they are older, nobody counts any more. */
const MOST_SAMPLE_AGE_MILLIS = 120_000;
const LATEST_FAILURES = 8;
const RECENT_MILLIS = 3_600_000;
/** So many keys without a free slot are told one by one. */
const MOST_FULL = 5;

/** What stands for a name that is hidden from who is logged in. */
const MASKED = '[masked]';

/** @param {string} queue */
const jobQueueLink = (queue) => html`<a href="/jobs/${encodeURIComponent(queue)}">${text(queue, 80)}</a>`;

class OverviewPage extends Page {
  heading() {
    return 'Overview';
  }

  shortestPause() {
    return 3_000;
  }

  /** What is served beside the runs may be of another database: the rest is shown where that is down. */
  async load(signal) {
    const hasConnectors = this.session?.serves.includes('connectors');
    const unread = /** @type {{what: string, failure: any}[]} */ ([]);
    const orNone = (what, reading) => reading.catch((failure) => {
      signal.throwIfAborted();
      unread.push({ what, failure });
      return [];
    });
    const [known, connectors, active, jobQueues] = await Promise.all([
      takeAhead('overview') ?? readOverview(this.place, signal),
      hasConnectors ? orNone('Connectors', readCatalogue(signal)) : [], hasConnectors ? orNone('The runs of connectors', readActive(signal)) : [],
      this.session?.serves.includes('jobs') ? orNone('Job queues', get('job-queues', {}, signal).then(({ data }) => data)) : [],
    ]);
    return { ...known, connectors, active, jobQueues, unread };
  }

  view(data) {
    const findings = findingsOf(data, serverNow());
    const alive = data.processes.filter((process) => !process.isGone);
    const sum = (name) => data.sample?.queues.reduce((total, queue) => total + queue[name], 0);
    const slots = alive.reduce((all, each) => all + each.slots, 0);
    const ago = data.sample === undefined ? '' : html`counted ${moment(data.sample.takenAt, 'relative', serverNow())}`;
    const busy = alive.reduce((all, each) => all + each.running, 0);
    return html`<div class="notice ${findings.length === 0 ? 'good' : 'bad'}"><strong role="status">${findings.length === 0 ? 'All is well.' : `${counted(findings.length, 'thing')} to look at`}</strong>
        ${findings.length === 0 ? 'Nothing is late, paused, dead-lettered, failing more than usual or without a worker.' : html`<ul>${findings.map((finding) => html`<li>${finding}</li>`)}</ul>`}</div>
      <div class="tiles">${tile('Due now', number(sum('waiting')), '/queues', ago)} ${tile('Due later', number(sum('later')), '/runs?status=scheduled&status=retrying&status=released', ago)}
        ${tile('Running', `${count(busy)}${data.hasMoreProcesses ? '+' : ''}`, '/runs?status=running', `of ${counted(slots, 'slot')}`)}
        ${tile('Failed, last hour', failedLately(data.failures), '/runs?status=failed&sort=updatedAt', '', failedLately(data.failures) === '0' ? '' : 'bad-text')}
        ${tile('Dead letters', number(data.sample?.outbox.deadLettered), '/outbox', ago, data.sample?.outbox.deadLettered > 0 ? 'bad-text' : '')}
        ${tile('Processes', `${count(alive.length)}${data.hasMoreProcesses ? '+' : ''}`, '/workers', versionsOf(alive))}</div>
      ${data.hasMoreProcesses ? html`<p class="faint">There were more processes within a day than are read: ${count(data.processes.length)}, by their ids.</p>` : nothing}
      <div class="bar-head"><h2>How it went</h2>${rangeChoice(this.place)}</div>
      ${data.series.groups.length === 0 ? html`<p class="faint">Nothing was counted in this time. Processes count where their runtime is built with <code>countThroughput()</code>.</p>` : nothing}
      <div class="charts">${throughputCharts(data.series, this.place)} ${depthChart(data.history)}</div>${cutNote(data.series)}
      <section class="panel"><h2>Queues</h2>${queues(data)}</section>
      <section class="panel"><h2>Latest failures</h2>${data.failures.length === 0
        ? empty('No run has failed.')
        : table('Latest failures', ['Run', 'Task', 'Failed', 'Why'], data.failures.slice(0, LATEST_FAILURES).map((run) => html`<tr><td>${runLink(run.id)}</td><td>${taskLink(run.taskId)}</td>
            <td>${time(run.finishedAt ?? run.updatedAt)}</td><td class="long"><span class="bad-text">${text(run.failure?.code ?? '', 60)}</span> ${text(run.failure?.message ?? '', 200)}</td></tr>`))}
        <p><a href="/failures">What fails, put together</a> · <a href="/runs?status=failed&sort=updatedAt">All failed runs</a></p></section>`;
  }
}

const tile = (name, value, address, hint = '', look = '') => html`<a class="tile" href=${address}><span>${name}</span><strong class=${look}>${value}</strong><small>${hint || '\u00a0'}</small></a>`;

function failedLately(failures) {
  const recent = failures.filter((run) => serverNow() - Date.parse(run.updatedAt) < RECENT_MILLIS).length;
  return recent === failures.length && recent >= 50 ? `${count(recent)}+` : count(recent);
}

function versionsOf(alive) {
  const known = new Set(alive.map((process) => process.version || 'unknown version'));
  return known.size > 1 ? `${known.size} versions: a rollout` : plain([...known][0] ?? '', 24);
}

/** What an operator should look at, each as a sentence with a way there. */
function findingsOf({ sample, processes, names, paused, tasks, schedules, recent, alerts, connectors, active, full, jobQueues, unread }, now) {
  const alive = processes.filter((process) => !process.isGone);
  const takenAt = Date.parse(sample?.takenAt ?? '');
  const countedAt = now - takenAt < MOST_SAMPLE_AGE_MILLIS ? takenAt : now; // runs that waited then may have begun since
  const before = (list, test) => list.filter(test);
  return [
    ...unread.map(({ what, failure }) => html`${what} could not be read: ${text(failure.message, 300)}`),
    ...alerts.slice(0, OPEN_ALERTS).map((alert) => html`Alert ${text(alert.ruleId, 80)}, open since ${time(alert.openedAt)}: ${sentence(alert.text, 300)}. <a href="/alerts?rule=${encodeURIComponent(alert.ruleId)}">Its history</a>`),
    ...(alerts.length > OPEN_ALERTS ? [html`More alerts are open than these ${OPEN_ALERTS}. <a href="/alerts">All alerts</a>`] : []),
    ...before(processes, (process) => process.isGone && process.running > 0).map((process) => html`Process ${text(process.id, 80)} on ${text(process.host, 80)} is gone
      since ${time(process.lastSeen)}; it had ${counted(process.running, 'run')}. <a href="/workers">What became of them</a>`),
    ...before(alive, (process) => Math.abs(process.clockOffsetMillis ?? 0) >= CLOCK_OFF_MILLIS).map((process) => html`The clock of process ${text(process.id, 80)} on ${text(process.host, 80)} is
      ${duration(Math.abs(process.clockOffsetMillis))} ${process.clockOffsetMillis > 0 ? 'ahead of' : 'behind'} the database's: what it leases ends ${process.clockOffsetMillis > 0 ? 'later' : 'earlier'} than others think. <a href="/workers">Workers</a>`),
    ...paused.map((queue) => html`Queue ${queueLink(queue.queue)} is paused since ${time(queue.pausedAt)}${queue.reason ? html`: ${text(queue.reason)}` : nothing}.`),
    ...before(jobQueues, (queue) => queue.paused).map((queue) => html`Job queue ${jobQueueLink(queue.name)} is paused: none of its jobs is handed out.`),
    ...before(jobQueues, (queue) => !queue.paused && queue.pausedNames?.length > 0).map((queue) => html`Jobs of ${queue.pausedNames.includes(MASKED) ? counted(queue.pausedNames.length, 'name')
      : html`${queue.pausedNames.length === 1 ? 'the name' : 'the names'} ${text(queue.pausedNames.join(', '), 200)}`} in job queue ${jobQueueLink(queue.name)} are paused.`),
    ...before(sample?.queues ?? [], (queue) => queue.oldestDueAt && countedAt - Date.parse(queue.oldestDueAt) > LATE_MILLIS).map((queue) => html`The oldest due run of
      ${queueLink(queue.queue)} had waited ${duration(countedAt - Date.parse(queue.oldestDueAt))} when it was counted. <a href="/queues/${encodeURIComponent(queue.queue)}">What waits there</a>`),
    ...full.slice(0, MOST_FULL).map((each) => html`${each.concurrencyLimit === 1 ? 'The one slot' : `All ${count(each.concurrencyLimit)} slots`} of ${each.concurrencyKey === undefined
      ? 'runs without a key' : html`key ${text(each.concurrencyKey, 80)}`} in ${queueLink(each.queue)} ${each.concurrencyLimit === 1 ? 'is' : 'are'} taken, and ${counted(each.waiting, 'run')} of the queue ${each.waiting === 1 ? 'waits' : 'wait'}.
      <a href="/queues/${encodeURIComponent(each.queue)}">Who has them</a>`),
    ...(full.length > MOST_FULL ? [html`More keys than these ${MOST_FULL} have no free slot while runs wait. <a href="/queues">Queues</a>`] : []),
    ...lateSteps(sample, countedAt).map((group) => html`${counted(group.waiting, 'remote step')} of group ${text(group.group, 80)} ${group.waiting === 1 ? 'waits' : 'wait'} for its workers, the longest since
      ${time(group.oldestAt)}. <a href="/queues">Groups</a>`),
    ...[uncountedSince(sample, now)].filter((takenAt) => takenAt !== undefined).map((takenAt) => html`What waits was counted last ${time(takenAt)}, which processes take turns to do each minute: what is
      late since then is not told. <a href="/workers">Workers</a>`),
    ...(sample?.outbox.deadLettered > 0 ? [html`${counted(sample.outbox.deadLettered, 'wakeup')} could not be published. <a href="/outbox">Dead letters</a>`] : []),
    ...withoutWorker(tasks, names, now).map((task) => html`No living process works on task ${taskLink(task.id)}${task.publishedAt === undefined ? nothing : html`, which a process told of last ${time(task.publishedAt)}`}.`),
    ...before(schedules, (schedule) => schedule.missedFire).map((schedule) => html`Schedule
      ${text(schedule.scheduleId, 80)} of ${taskLink(schedule.taskId)} should have fired ${time(schedule.missedFire)}, and nobody has made its run. <a href="/schedules">Schedules</a>`),
    ...before(schedules, (schedule) => schedule.lastRun?.status === 'failed' && !hasLeft(schedule, now)).map((schedule) => html`The latest run of schedule ${text(schedule.scheduleId, 80)} of ${taskLink(schedule.taskId)}
      failed: ${runLink(schedule.lastRun.id)}, fired ${time(schedule.lastFire)}.`),
    ...before(active, (run) => run.pending_interaction_id).map((run) => html`Connector ${connectorLink(run.connector_id, nameOf(connectors, run.connector_id))} waits for your answer in ${connectorRunLink(run.connector_id, run.run_id)}.`),
    ...before(connectors, (connector) => connector.schedule?.human_attention_needed && connector.active_run_id === null).map((connector) => html`Connector ${connectorLink(connector.connector_id, connector.display_name)}
      goes on by hand alone: start a run, and answer what it asks.`),
    ...before(connectors, (connector) => connector.last_run?.status === 'failed').map((connector) => html`The latest run of connector ${connectorLink(connector.connector_id, connector.display_name)} failed
      ${time(connector.last_run.completed_at)}: ${words(connector.last_run.failure_reason ?? connector.last_run.terminal_reason ?? 'no reason is known')}. ${connector.last_run.run_id ? html`<a href="/connectors/${encodeURIComponent(connector.connector_id)}/${encodeURIComponent(connector.last_run.run_id)}">Why</a>` : nothing}`),
    ...failing(recent.groups).map(({ name, share }) => html`Of the latest runs in ${queueLink(name)} ${share} % failed for good. <a href="/runs?queue=${encodeURIComponent(name)}&status=failed">Which</a>`),
  ];
}

function queues({ sample, paused }) {
  if (sample === undefined) {
    return empty('Nothing has been counted yet.', 'Depths are counted once a minute, by one process.');
  }
  if (sample.queues.length === 0) {
    return html`<p>Nothing waits in any queue. <span class="faint">Counted ${time(sample.takenAt)}.</span></p>`;
  }
  const most = Math.max(1, ...sample.queues.map((queue) => queue.waiting + queue.later + queue.held));
  return html`${table('Queues', ['Queue', right('Due'), right('Later'), right('Held'), 'Oldest due', 'Share'], sample.queues.map((queue) => html`<tr><td>${queueLink(queue.queue)}
      ${paused.some((each) => each.queue === queue.queue) ? html`<span class="badge released">paused</span>` : nothing}</td>
    <td class="number">${count(queue.waiting)}</td><td class="number">${count(queue.later)}</td><td class="number">${count(queue.held)}</td><td>${time(queue.oldestDueAt)}</td>
    <td><meter min="0" max=${most} value=${queue.waiting + queue.later + queue.held} aria-label="Share of ${plain(queue.queue, 60)}"></meter></td></tr>`))}
    <p class="faint">Counted ${time(sample.takenAt)}.</p>`;
}

customElements.define('rl-overview-page', OverviewPage);
