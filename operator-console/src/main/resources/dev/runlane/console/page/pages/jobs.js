/** The job queues, where the console serves jobs. */
import { html, nothing } from '../lib/html.js';
import { get } from '../lib/api.js';
import { empty, right, table, text, time } from '../lib/elements.js';
import { count, words } from '../lib/format.js';
import { Page } from './page.js';

/** In the order of a job's life. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'waiting-children', 'completed', 'failed'];

/** Nobody tells of what happens to jobs: the pages ask, so long after an answer. */
export const PAUSE_MILLIS = 3_000;

/** Counts stop there. */
const MOST = 10_000;

/** @param {number} value */
export const jobCount = (value) => (value >= MOST ? `${count(MOST)}+` : count(value));

/** @param {string} queue */
export const jobQueueLink = (queue) => html`<a href="/jobs/${encodeURIComponent(queue)}">${text(queue, 80)}</a>`;

const LOOKS = { waiting: 'queued', active: 'running', delayed: 'released', 'waiting-children': 'released', completed: 'succeeded', failed: 'failed' };
const MARKS = { waiting: '○', active: '▶', delayed: '◷', 'waiting-children': '‖', completed: '✓', failed: '✕' };

/** @param {string} state */
export const stateName = (state) => words(state).replaceAll('-', ' for ');

/** @param {string} state */
export const jobBadge = (state) => html`<span class="badge ${LOOKS[state] ?? ''}"><span aria-hidden="true">${MARKS[state] ?? '•'}</span> ${stateName(state)}</span>`;

/**
 * So many attempts were begun: the store counts those that failed.
 * @param {any} job
 */
export const attemptsBegun = (job) => job.attemptsMade + (job.state === 'active' || job.state === 'completed' ? 1 : 0);

class JobsPage extends Page {
  heading() {
    return 'Jobs';
  }

  longestPause() {
    return PAUSE_MILLIS;
  }

  concerns() {
    return false;
  }

  load(signal) {
    return get('job-queues', {}, signal);
  }

  view({ data }) {
    return data.length === 0 ? empty('No job queue has jobs.', 'A queue is listed once a job was added to it: jobs.queue(…).add(…).') : table('Job queues',
      ['Queue', ...JOB_STATES.map((state) => right(stateName(state).replace(/^./, (first) => first.toUpperCase()))), right('Repeating'), 'Last activity'],
      data.map((queue) => html`<tr><td>${jobQueueLink(queue.name)} ${queue.paused ? html`<span class="badge released">paused</span>` : nothing}
          ${(queue.pausedNames ?? []).map((name) => html`<span class="badge released">${text(name, 60)} paused</span>`)}</td>
        ${JOB_STATES.map((state) => html`<td class="number">${queue.counts[state] === 0 ? html`<span class="faint">0</span>`
          : html`<a class=${state === 'failed' ? 'bad-text' : ''} href="/jobs/${encodeURIComponent(queue.name)}?state=${state}">${jobCount(queue.counts[state])}</a>`}</td>`)}
        <td class="number">${count(queue.repeating)}</td><td>${time(queue.latestActivity)}</td></tr>`));
  }
}

customElements.define('rl-jobs-page', JobsPage);
