/** One job: where it is, its log, and the flow it belongs to as a tree with live states. */
import { html, nothing } from '../lib/html.js';
import { allSkipping, get, getText, path, post } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { empty, json, text, time } from '../lib/elements.js';
import { counted, plain } from '../lib/format.js';
import { indented, member } from '../lib/json-source.js';
import { Page } from './page.js';
import { attemptsBegun, jobBadge, jobQueueLink, PAUSE_MILLIS } from './jobs.js';

/** A store keeps so many lines of a job, the last ones. */
const MOST_LINES = 1_000;
const ENDED = ['completed', 'failed'];

const ACTIONS = {
  retry: ['Retry …', 'It waits again; its attempts stay counted.', 'Retry job'],
  promote: ['Promote …', 'It waits now instead of when it was delayed to.', 'Promote job'],
  cancel: ['Cancel …', 'Where no worker has it, it ends at once as failed. A handler that has it is told to stop.', 'Cancel job'],
  remove: ['Remove …', 'It is gone for ever, with its log and result. A worker that has it has lost it.', 'Remove job for ever'],
};

class JobPage extends Page {
  heading() {
    return html`<span class="faint">Job</span> <bdi class="mono">${plain(this.place.parts[2], 120)}</bdi>`;
  }

  at() {
    return path`job-queues/${this.place.parts[1]}/jobs/${this.place.parts[2]}`;
  }

  longestPause() {
    return PAUSE_MILLIS;
  }

  concerns() {
    return false;
  }

  staysLive() {
    return this.data === undefined || this.failure !== undefined || !this.isSettled();
  }

  /** Whether neither the job nor anything of its flow goes on, and its lines were read behind its end. */
  isSettled() {
    const settled = (tree) => ENDED.includes(tree.job.state) && tree.children.every(settled);
    return this.data.isReadAgain && settled(this.data.flow.flow);
  }

  async load(signal) {
    const [job, lines, own] = await Promise.all([getText(this.at(), {}, signal), allSkipping(`${this.at()}/log`, MOST_LINES, signal), get(`${this.at()}/flow`, {}, signal)]);
    const written = (/** @type {string} */ name) => indented(member(job, name) ?? 'null');
    const told = JSON.parse(job);
    const isReadAgain = ENDED.includes(told.state) && this.data?.job.state === told.state && endedAt(this.data.job) === endedAt(told);
    return { job: told, isReadAgain, payload: written('data'), result: written('returnvalue'), lines, flow: own };
  }

  view({ job, payload, result, lines, flow }) {
    return html`<p class="summary">${jobBadge(job.state)} <strong>${text(job.name, 100)}</strong> <span class="faint">in</span> ${jobQueueLink(job.queueName)}
        ${job.state === 'active' || job.progress > 0 ? html`<progress max="100" value=${job.progress ?? 0} aria-label="Progress"></progress> ${Math.round(job.progress ?? 0)} %` : nothing}</p>
      ${job.failedReason ? html`<div class="notice bad"><strong>Failed:</strong> ${text(job.failedReason, 2_000)}</div>` : nothing}
      ${this.buttons(job)}
      ${flow.flow.children.length > 0 || job.parentId ? html`<section class="panel"><h2>Flow</h2>${job.parentId ? html`<p>Part of ${link(job.parentQueueName ?? job.queueName, job.parentId)}</p>` : nothing}
        ${flow.flow.children.length > 0 ? html`<ul class="tree">${branch(flow.flow)}</ul>` : nothing}${flow.isCut ? html`<p class="faint">There are more jobs below than are shown.</p>` : nothing}</section>` : nothing}
      <div class="columns">${json('Payload', payload)} ${job.state === 'completed' ? json('Result', result) : nothing} ${facts(job)}</div>
      <section class="panel"><h2>Log</h2>${lines.length === 0 ? empty('Its handler has logged nothing.', 'A handler writes here with job.log(…).')
        : html`<ol class="history">${lines.map((line, place) => html`<li><span class="when number">${place + 1}</span><div class="line">${text(line, 4_000)}</div></li>`)}</ol>`}
        ${lines.length === MOST_LINES ? html`<p class="faint">The last ${counted(MOST_LINES, 'line')}: earlier ones are not kept.</p>` : nothing}</section>
      ${job.stacktrace?.length > 0 ? html`<section class="panel"><h2>Stack traces</h2>${job.stacktrace.map((trace) => html`<pre tabindex="0" role="region" aria-label="Stack trace"><bdi>${plain(trace)}</bdi></pre>`)}</section>` : nothing}`;
  }

  buttons(job) {
    const role = this.session?.role;
    const offered = { retry: ENDED.includes(job.state), promote: job.state === 'delayed', cancel: !ENDED.includes(job.state), remove: role === 'admin' };
    return role === 'viewer' ? nothing : html`<p class="buttons start">${Object.entries(ACTIONS).filter(([name]) => offered[name]).map(([name, [title, effect, verb]]) => html`
      <button class=${name === 'remove' || name === 'cancel' ? 'danger' : ''} @click=${() => ask({
        title: html`${verb}: ${text(job.id, 80)}`, effect, verb, isDangerous: name === 'remove' || name === 'cancel',
        act: async (form) => {
          await post(`${this.at()}/${name}`, { reason: form.get('reason') });
          this.reload();
        },
      })}>${title}</button>`)}</p>`;
  }
}

/** When it ended last: a job that is retried ends again. */
const endedAt = (job) => job.finishedAt ?? job.completedAt ?? job.failedAt;

const link = (queue, id) => html`<a class="mono" href="/jobs/${encodeURIComponent(queue)}/${encodeURIComponent(id)}">${text(id, 60)}</a>`;

const branch = (tree) => html`<li>${jobBadge(tree.job.state)} <a href="/jobs/${encodeURIComponent(tree.job.queueName)}/${encodeURIComponent(tree.job.id)}"><strong>${text(tree.job.name, 80)}</strong></a> <span class="faint">in ${text(tree.job.queueName, 60)}</span> <small class="mono">${text(tree.job.id, 60)}</small>
  ${tree.job.state === 'active' ? html`<progress max="100" value=${tree.job.progress ?? 0} aria-label="Progress of ${plain(tree.job.name, 40)}"></progress>` : nothing}
  ${tree.job.failedReason ? html`<span class="bad-text">${text(tree.job.failedReason, 160)}</span>` : nothing}
  ${tree.children.length > 0 ? html`<ul>${tree.children.map(branch)}</ul>` : nothing}</li>`;

function facts(job) {
  const rows = [
    ['Created', time(job.createdAt)], ['Due', job.delayUntil && time(job.delayUntil)], ['Begun', job.processedAt && time(job.processedAt)],
    ['Ended', endedAt(job) && time(endedAt(job))],
    ['Attempts', `${attemptsBegun(job)} of ${job.opts?.attempts ?? 1}${job.attemptsMade > 0 ? ` (${job.attemptsMade} failed)` : ''}`], ['Stalled', job.stalls > 0 ? String(job.stalls) : undefined],
    ['Dead letters go to', job.opts?.deadLetterQueue && jobQueueLink(job.opts.deadLetterQueue)], ['Waits for', job.pendingChildrenCount > 0 ? counted(job.pendingChildrenCount, 'child', 'children') : undefined],
  ];
  return html`<section class="panel"><h2>Facts</h2><dl class="facts">${rows.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}

customElements.define('rl-job-page', JobPage);
