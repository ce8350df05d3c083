/** The list of runs, with its filter in the address. */
import { html, nothing } from '../lib/html.js';
import { get, queryText } from '../lib/api.js';
import { badge, empty, queueLink, runLink, STATUSES, table, taskLink, text, time } from '../lib/elements.js';
import { duration, words } from '../lib/format.js';
import { go } from '../lib/location.js';
import { Page } from './page.js';

/** What the address may say, and the API is asked. */
const FILTERS = ['status', 'task', 'queue', 'concurrencyKey', 'idempotencyKey', 'singletonKey', 'createdFrom', 'createdBefore', 'sort', 'direction', 'cursor'];
const PAGE = 50;

class RunsPage extends Page {
  heading() {
    return 'Runs';
  }

  staysLive() {
    return !this.place.query.has('cursor'); // a later page stands still
  }

  /** @returns {Record<string, string[]>} */
  filter() {
    return Object.fromEntries(FILTERS.map((name) => [name, this.place.query.getAll(name)]));
  }

  load(signal) {
    return get('runs', { ...this.filter(), limit: PAGE }, signal);
  }

  view({ data, nextCursor }) {
    const filter = this.filter();
    const bulk = queryText({ status: filter.status, task: filter.task, queue: filter.queue, concurrencyKey: filter.concurrencyKey,
      createdFrom: filter.createdFrom, createdBefore: filter.createdBefore });
    return html`${this.form(filter)}
      ${data.length === 0
        ? empty('No run is like this.', html`Fewer conditions find more. <a href="/runs">All runs</a>`)
        : table('Runs', ['Run', 'Status', 'Task', 'Queue', 'Key', 'Created', 'Took', 'Attempts', 'Worker or failure'], data.map(row))}
      <p class="pager">${filter.cursor.length > 0 ? html`<a href="/runs${queryText({ ...filter, cursor: undefined })}">First page</a>` : nothing}
        ${nextCursor ? html`<a href="/runs${queryText({ ...filter, cursor: nextCursor })}" rel="next">Next ${PAGE}</a>` : nothing}
        <a href="/bulk${bulk}">Act on all of them …</a></p>`;
  }

  form(filter) {
    const field = (name, label, hint) => html`<label>${label}<input name=${name} .value=${filter[name].join(' ')} placeholder=${hint} maxlength="512" spellcheck="false"></label>`;
    return html`<div class="chips" role="group" aria-label="Status">
        ${STATUSES.map((status) => html`<button aria-pressed=${filter.status.includes(status)} class="chip ${status}"
          @click=${() => this.toggle(status)}>${words(status)}</button>`)}</div>
      <form class="filters" @submit=${(submit) => this.apply(submit)}>
        ${field('task', 'Task', 'any')} ${field('queue', 'Queue', 'any')} ${field('concurrencyKey', 'Concurrency key', 'any')}
        ${field('idempotencyKey', 'Idempotency key', 'any')}
        <label>Created within<select name="since" @change=${(change) => change.target.form.requestSubmit()}>
          <option value="">any time</option>
          ${[[15, '15 minutes'], [60, 'an hour'], [1_440, 'a day'], [10_080, 'a week']].map(([minutes, label]) => html`<option value=${minutes}>${label}</option>`)}
          ${filter.createdFrom.length > 0 ? html`<option value="kept" selected>from ${filter.createdFrom[0]}</option>` : nothing}</select></label>
        <label>Order<select name="order" @change=${(change) => change.target.form.requestSubmit()}>
          ${[['', 'latest created'], ['createdAt asc', 'oldest created'], ['updatedAt desc', 'latest changed']].map(([value, label]) => html`
            <option value=${value} ?selected=${`${filter.sort.join()} ${filter.direction.join()}`.trim() === value}>${label}</option>`)}</select></label>
        <button class="primary">Filter</button><a class="button quiet" href="/runs">Clear</a></form>`;
  }

  toggle(status) {
    const filter = this.filter();
    const chosen = filter.status.includes(status) ? filter.status.filter((each) => each !== status) : [...filter.status, status];
    go(`/runs${queryText({ ...filter, status: chosen, cursor: undefined })}`);
  }

  apply(submit) {
    submit.preventDefault();
    const form = new FormData(submit.target);
    const filter = this.filter();
    const since = String(form.get('since'));
    const [sort, direction] = String(form.get('order')).split(' ');
    const fields = ['task', 'queue', 'concurrencyKey', 'idempotencyKey'].map((name) => [name, String(form.get(name)).trim()]);
    go(`/runs${queryText({
      ...filter,
      ...Object.fromEntries(fields),
      createdFrom: since === 'kept' ? filter.createdFrom : since === '' ? undefined : new Date(Date.now() - Number(since) * 60_000).toISOString(),
      sort,
      direction,
      cursor: undefined,
    })}`);
  }
}

function row(run) {
  const end = run.finishedAt ?? (run.startedAt && new Date().toISOString());
  return html`<tr><td>${runLink(run.id)}</td><td>${badge(run.status)}</td><td>${taskLink(run.taskId)}</td><td>${queueLink(run.queue)}</td>
    <td>${run.concurrencyKey ? text(run.concurrencyKey, 60) : html`<span class="faint">–</span>`}</td><td>${time(run.createdAt)}</td>
    <td class="number">${run.startedAt ? duration(Date.parse(end) - Date.parse(run.startedAt)) : html`<span class="faint">–</span>`}</td>
    <td class="number">${run.counters.attempts}</td>
    <td class="long">${run.failure ? html`<span class="bad-text">${text(run.failure.code, 60)}</span> ${text(run.failure.message, 160)}`
      : text(run.workerId ?? '', 60)}</td></tr>`;
}

customElements.define('rl-runs-page', RunsPage);
