/** One job queue: its jobs by state, its schedules, and what can be done to it. */
import { html, nothing } from '../lib/html.js';
import { get, path, post } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, right, table, text, time } from '../lib/elements.js';
import { count, counted, duration, plain, repeats, words } from '../lib/format.js';
import { changedQuery, go } from '../lib/location.js';
import { jobMetricsCharts, readJobMetrics } from '../chart/job-metrics.js';
import { rangeChoice } from '../chart/throughput.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';
import { attemptsBegun, jobBadge, jobCount, JOB_STATES, PAUSE_MILLIS, stateName } from './jobs.js';

const PAGE = 50;

/** Name, title, what will happen, verb; for whom: the API holds the role anyway. */
const ACTIONS = {
  'promote-delayed': ['Promote all delayed …', 'All delayed jobs wait now, whatever they were delayed for.', 'Promote delayed jobs', 'operator'],
  redrive: ['Redrive …', 'Jobs of this dead-letter queue go back into the queues they came from, oldest first, a thousand at most.', 'Redrive jobs', 'operator'],
  drain: ['Drain …', 'All jobs that wait, are delayed or wait for children are removed for ever.', 'Remove them for ever', 'admin'],
};

/** What the jobs of a schedule get beside their payload, in words. */
const optionsOf = (/** @type {Record<string, unknown>} */ opts) => Object.entries(opts ?? {}).map(([name, value]) => `${words(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))} ${
  typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');

/** Of who may not see names of jobs. */
const MASKED = '[masked]';

class JobQueuePage extends Page {
  heading() {
    return html`<span class="faint">Job queue</span> <bdi>${plain(this.name(), 120)}</bdi>`;
  }

  name() {
    return this.place.parts[1];
  }

  longestPause() {
    return PAUSE_MILLIS;
  }

  concerns() {
    return false;
  }

  async load(signal) {
    const { query } = this.place;
    const skip = Number(query.get('skip')) || 0;
    const [queue, jobs, schedules, metrics] = await Promise.all([
      get(path`job-queues/${this.name()}`, {}, signal),
      get(path`job-queues/${this.name()}/jobs`, { state: query.getAll('state'), name: query.get('name') ?? undefined, skip, limit: PAGE }, signal),
      get(path`job-queues/${this.name()}/schedules`, { payloads: 'false' }, signal),
      readJobMetrics(this.name(), this.place, signal),
    ]);
    return { queue, jobs, schedules: schedules.data, metrics, skip };
  }

  view({ queue, jobs, schedules, metrics, skip }) {
    const chosen = this.place.query.getAll('state');
    const isPaused = queue.pausedNames.includes('__all__');
    return html`<p class="summary">${isPaused ? html`<span class="badge released">paused</span>` : html`<span class="badge succeeded">✓ open</span>`}
        ${queue.pausedNames.filter((name) => name !== '__all__').map((name) => html`<span class="badge released">${text(name, 60)} paused</span>`)}</p>
      ${this.buttons(queue, isPaused)}
      <div class="chips" role="group" aria-label="State">${JOB_STATES.map((state) => html`<button class="chip" aria-pressed=${chosen.includes(state)} @click=${() => this.toggle(state)}>
        ${stateName(state)} <span class="number ${state === 'failed' && queue.counts.failed > 0 ? 'bad-text' : 'faint'}">${jobCount(queue.counts[state])}</span></button>`)}</div>
      <form class="filters" @submit=${(submit) => this.apply(submit)}><label>Part of the name<input name="name" value=${this.place.query.get('name') ?? ''} maxlength="512" spellcheck="false"></label>
        <button class="primary">Filter</button></form>
      ${jobs.data.length === 0 ? empty('No job is like this.', chosen.length > 0 || this.place.query.has('name') ? html`<a href=${location.pathname}>All jobs of the queue</a>` : nothing) : table('Jobs', ['Job', 'State', 'Created', 'Progress', right('Attempts'), right('Took')], repeat(jobs.data, (job) => job.id, (job) => this.row(job)))}
      <p class="pager">${skip > 0 ? html`<a href=${this.address({ skip: Math.max(0, skip - PAGE) || undefined })}>Earlier page</a>` : nothing}
        ${skip + jobs.data.length < jobs.total ? html`<a href=${this.address({ skip: skip + PAGE })} rel="next">Next ${PAGE}</a>` : nothing}
        <span class="faint">${counted(jobs.total, 'job')} found</span></p>
      <div class="bar-head"><h2>How it went</h2>${rangeChoice(this.place)}</div>${jobMetricsCharts(metrics)}
      ${schedules.length === 0 ? nothing : html`<section class="panel"><h2>Schedules</h2>${table('Schedules', ['Key', 'Job', 'Repeats', 'Its jobs get', 'Next', 'Last', right('Fired'), ...(this.session?.role === 'admin' ? [actionsHead] : [])], schedules.map((schedule) => html`<tr>
        <td class="mono">${text(schedule.key, 80)}</td><td>${text(schedule.name, 80)}</td><td>${text(repeats(schedule.repeat), 120)}</td><td>${optionsOf(schedule.opts) === '' ? html`<span class="faint none">–</span>` : text(optionsOf(schedule.opts), 200)}</td>
        <td>${time(schedule.nextAt ?? undefined)}</td><td>${time(schedule.lastFiredAt ?? undefined)}</td><td class="number">${count(schedule.fired)}</td>
        ${this.session?.role === 'admin' ? html`<td><button class="danger" aria-label="Remove schedule ${plain(schedule.key, 80)}" @click=${() => this.remove(schedule)}>Remove …</button></td>` : nothing}</tr>`))}</section>`}`;
  }

  remove({ key }) {
    ask({
      title: html`Remove schedule: ${text(key, 80)}`, verb: 'Remove schedule', isDangerous: true,
      effect: 'It is gone for ever, and adds no job any more; jobs that it has added stay. A program that says it at its start makes it anew.',
      act: async (form) => {
        await post(`${path`job-queues/${this.name()}/schedules/${key}`}/remove`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }

  buttons(queue, isPaused) {
    const role = this.session?.role;
    const offered = { 'promote-delayed': queue.counts.delayed > 0, redrive: queue.counts.waiting > 0, drain: true };
    return role === 'viewer' ? nothing : html`<p class="buttons start"><button @click=${() => this.act(isPaused ? 'resume' : 'pause', isPaused
          ? ['', 'Its jobs are handed out again; names that are paused alone stay paused.', 'Resume queue'] : ['', 'No job is handed out until it is resumed. What is active goes on.', 'Pause queue'])}>${isPaused ? 'Resume …' : 'Pause …'}</button>
      ${queue.counts.failed > 0 ? html`<button @click=${() => this.attempt(() => this.retryFailed())}>${this.part() === undefined ? 'Retry all failed …' : 'Retry failed of this name …'}</button>` : nothing}
      ${queue.pausedNames.filter((name) => name !== '__all__' && name !== MASKED).map((name) => html`<button @click=${() => this.act('resume',
          ['', isPaused ? 'The pause of this name is taken back; the queue stays paused.' : 'Jobs of exactly this name are handed out again.', 'Resume jobs'], { name })}>Resume ${text(name, 60)} …</button>`)}
      ${Object.entries(ACTIONS).filter(([name, [, , , needed]]) => offered[name] && (needed === 'operator' || role === 'admin')).map(([name, action]) => html`
        <button class=${name === 'drain' ? 'danger' : ''} @click=${() => this.act(name, action)}>${action[0]}</button>`)}</p>`;
  }

  /** The part of the name that jobs of the list have; undefined where all are listed. */
  part() {
    return this.place.query.get('name') || undefined;
  }

  /** Counts first. Of whatever state is listed, of those that failed all of the name are meant. */
  async retryFailed() {
    const name = this.part();
    const { count: failed } = await get(path`job-queues/${this.name()}/failed-count`, { name });
    if (!this.isConnected) {
      return;
    }
    const which = name === undefined ? '' : html` whose name contains “${text(name, 80)}”`;
    this.act('retry-failed', ['', html`${counted(failed, 'failed job')}${which}, without those that were cancelled, would wait again as if new.`, `Retry ${counted(failed, 'job')}`], { name });
  }

  /** Also to some jobs alone, by their names: those of the filter, or one that is written. */
  act(action, [, effect, verb], filter = {}) {
    ask({
      title: html`${verb}: ${text(this.name(), 80)}${filter.name === undefined ? nothing : html`, ${text(filter.name, 80)}`}?`, effect, verb, isDangerous: action === 'drain',
      fields: action === 'pause' ? html`<label>Only jobs of exactly this name; all where it is empty<input name="name" maxlength="512" spellcheck="false"></label>` : undefined,
      act: async (form) => {
        const written = String(form.get('name') ?? '');
        await post(`${path`job-queues/${this.name()}`}/${action}`, { reason: form.get('reason'), ...(written === '' ? filter : { name: written }) });
        this.reload();
      },
    });
  }

  row(job) {
    const took = job.processedAt && (job.finishedAt ?? job.completedAt ?? job.failedAt);
    return html`<tr><td class="run"><a href="/jobs/${encodeURIComponent(job.queueName)}/${encodeURIComponent(job.id)}">${text(job.name, 80)}</a> <small class="mono">${text(job.id, 80)}</small>
        ${job.failedReason ? html`<small class="below bad-text">${text(job.failedReason, 200)}</small>` : nothing}</td><td>${jobBadge(job.state)}</td>
      <td>${time(job.createdAt)}</td><td>${job.state === 'active' && job.progress > 0 ? html`<progress max="100" value=${job.progress} aria-label="Progress of ${plain(job.id, 40)}"></progress> ${Math.round(job.progress)} %` : html`<span class="faint none">–</span>`}</td>
      <td class="number">${attemptsBegun(job)} <span class="faint">of ${job.opts?.attempts ?? 1}</span></td><td class="number">${took ? duration(Date.parse(took) - Date.parse(job.processedAt)) : html`<span class="faint none">–</span>`}</td></tr>`;
  }

  address(more) {
    return `${location.pathname}${changedQuery(this.place.query, more)}`;
  }

  toggle(state) {
    const chosen = this.place.query.getAll('state');
    go(this.address({ state: chosen.includes(state) ? chosen.filter((each) => each !== state) : [...chosen, state], skip: undefined }));
  }

  apply(submit) {
    submit.preventDefault();
    go(this.address({ name: String(new FormData(submit.target).get('name')).trim(), skip: undefined }));
  }
}

customElements.define('rl-job-queue-page', JobQueuePage);
