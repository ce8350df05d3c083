/** The list of runs, with its filter in the address. */
import { html, nothing } from '../lib/html.js';
import { all, get, path, post, put, queryText } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { ask } from '../lib/dialog.js';
import { badge, empty, queueLink, right, runLink, STATUSES, table, tagLinks, taskLink, text, time, times } from '../lib/elements.js';
import { fieldOf, instantOf } from '../lib/fields.js';
import { count, counted, duration, plain, unbroken, words } from '../lib/format.js';
import { go } from '../lib/location.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

/** What the address may say, and the API is asked. */
const FILTERS = ['status', 'task', 'queue', 'concurrencyKey', 'idempotencyKey', 'singletonKey', 'tag', 'createdFrom', 'createdBefore', 'sort', 'direction', 'cursor'];
/** What is looked for within a bounded number of runs. */
const LOOKED_FOR = ['errorCode', 'failureText'];
/** What can be counted by status. */
const COUNTED = ['task', 'queue', 'concurrencyKey', 'idempotencyKey', 'singletonKey', 'createdFrom', 'createdBefore'];
/** What a bulk action cannot be told: it would act on more runs than are listed. */
const NOT_IN_BULK = ['idempotencyKey', 'singletonKey', 'failureText'];
/** In words; the first is that of the API where none is asked for. */
const ORDERS = [['createdAt desc', 'newest'], ['createdAt asc', 'oldest'], ['updatedAt desc', 'changed last'], ['updatedAt asc', 'changed first']];
/** The API orders runs of tags by nothing else. */
const OF_TAGS = 'createdAt';
/** Offered where the address has it. */
const RARE_ORDER = 'updatedAt asc';
const PAGE = 50;
const COUNTS_KEPT_MILLIS = 10_000;
const TEXTS = ['task', 'queue', 'concurrencyKey', 'idempotencyKey', 'singletonKey', 'tag', 'errorCode', 'failureText'];

class RunsPage extends Page {
  #counts = /** @type {{key: string, at: number, answer: any} | undefined} */ (undefined);

  /** On a phone the fields would push the list out of sight. */
  #isFolded = true;

  /** Whether the fields of a time from and to are wanted that the address does not have yet. */
  #asksBetween = false;

  heading() {
    return 'Runs';
  }

  shortestPause() {
    return 1_000; // runs come and go
  }

  staysLive() {
    return !this.place.query.has('cursor'); // a later page stands still
  }

  moved(place) {
    this.#asksBetween = false;
    super.moved(place);
  }

  withoutData() {
    return this.form(this.filter(), undefined);
  }

  /** @returns {Record<string, string[]>} */
  filter() {
    return Object.fromEntries([...FILTERS, ...LOOKED_FOR].map((name) => [name, this.place.query.getAll(name)]));
  }

  isSearch() {
    return LOOKED_FOR.some((name) => this.place.query.has(name));
  }

  async load(signal) {
    const filter = this.filter();
    const list = this.isSearch()
      ? get('run-search', { ...filter, sort: undefined, direction: undefined, limit: PAGE }, signal)
      : get('runs', { ...filter, limit: PAGE }, signal);
    const [page, counts, saved] = await Promise.all([list, this.counts(filter, signal), savedFilters(signal)]);
    return { ...page, counts, saved };
  }

  /** How many there are of each status; asked for seldom, since it is counted anew. */
  async counts(filter, signal) {
    if (this.isSearch() || filter.tag.length > 0) {
      return undefined;
    }
    const query = Object.fromEntries(COUNTED.map((name) => [name, filter[name]]));
    const key = JSON.stringify(query);
    if (this.#counts?.key !== key || Date.now() - this.#counts.at > COUNTS_KEPT_MILLIS) {
      this.#counts = { key, at: Date.now(), answer: await get('run-counts', query, signal) };
    }
    return this.#counts.answer;
  }

  view({ data, nextCursor, isCut, looked, saved, counts }) {
    const filter = this.filter();
    const bulk = queryText({ status: filter.status, task: filter.task, queue: filter.queue, concurrencyKey: filter.concurrencyKey,
      tag: filter.tag, errorCode: filter.errorCode, createdFrom: filter.createdFrom, createdBefore: filter.createdBefore });
    return html`${this.saved(saved, filter)}${this.form(filter, counts)}
      ${looked === undefined ? nothing : html`<p class="notice" role="status">${looked.isCut
        ? html`Looked at the latest ${counted(looked.runs, 'run')} of this filter${looked.earliestCreatedAt ? html`, back to ${time(looked.earliestCreatedAt)}` : nothing}; there are earlier ones.`
        : html`Looked at all ${counted(looked.runs, 'run')} of this filter.`} Found ${counted(data.length, 'run')}${nextCursor ? ' so far' : ''}.</p>`}
      ${isCut ? html`<p class="notice" role="status">Runs may be missing here: in this order only those that were created last are looked at.</p>` : nothing}
      ${data.length === 0
        ? nextCursor ? empty('None of the latest runs is like this.', 'There are earlier ones, which were not looked at yet.')
        : empty('No run is like this.', html`Fewer conditions find more. <a href="/runs">All runs</a>`)
        : table('Runs', ['Run', 'Status', 'Task and queue', 'Keys and tags', 'Created', right('Age at end'), right('Attempts')], repeat(data, (run) => run.id, row))}
      <p class="pager">${filter.cursor.length > 0 ? html`<a href="/runs${queryText({ ...filter, cursor: undefined })}">First page</a>` : nothing}
        ${nextCursor ? html`<a href="/runs${queryText({ ...filter, cursor: nextCursor })}" rel="next">${looked === undefined && data.length > 0 ? `Next ${PAGE}` : 'Look further back'}</a>` : nothing}
        ${NOT_IN_BULK.some((name) => filter[name].length > 0) || data.length === 0 || this.session?.role === 'viewer' ? nothing : html`<a href="/bulk${bulk}">Act on all of them …</a>`}</p>`;
  }

  /** The filters that operators keep, and the present one to be kept. */
  saved(saved, filter) {
    const present = queryText({ ...filter, cursor: undefined }).slice(1);
    const mayAct = this.session?.role !== 'viewer';
    const isKept = saved.some((each) => each.query === present);
    return saved.length === 0 && (present === '' || !mayAct) ? nothing : html`<div class="chips" role="group" aria-label="Saved filters">
      ${saved.map((each) => html`<a class="chip" href="/runs?${each.query}" aria-current=${each.query === present} title="Kept by ${plain(each.actor.id ?? '', 60)}">★ ${text(each.title ?? each.name, 60)}</a>`)}
      ${mayAct && present !== '' && !isKept ? html`<button class="chip" @click=${() => this.keep(present)}>☆ Keep this filter …</button>` : nothing}
      ${mayAct && isKept ? html`<button class="chip" @click=${() => this.forget(saved.find((each) => each.query === present))}>Forget it …</button>` : nothing}</div>`;
  }

  keep(query) {
    ask({
      title: 'Keep this filter?', effect: 'Everybody of this environment finds it above the list of runs.', verb: 'Keep filter', wantsReason: false,
      fields: html`<label>Name<input name="name" required maxlength="128" autofocus></label>`,
      act: async (form) => {
        const name = String(form.get('name')).trim();
        await put(path`saved-filters/${name}`, { view: 'runs', title: name, query });
        this.reload();
      },
    });
  }

  forget(filter) {
    ask({
      title: html`Forget filter ${text(filter.name, 80)}?`, effect: 'It is gone for everybody of this environment.', verb: 'Forget filter',
      act: async (form) => {
        await post(path`saved-filters/${filter.name}/remove`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }

  form(filter, counts) {
    const field = (name, label, hint, list) => html`<label>${label}<input name=${name} value=${joined(name, filter[name])} placeholder=${hint} maxlength="512" spellcheck="false" list=${list ?? nothing}></label>`;
    const isBetween = this.#asksBetween || filter.createdFrom.length > 0 || filter.createdBefore.length > 0;
    const order = this.order(filter);
    const orders = ORDERS.filter(([value]) => (value !== RARE_ORDER || order === value) && (filter.tag.length === 0 || value.startsWith(OF_TAGS)));
    const given = [...TEXTS, 'createdFrom', 'createdBefore'].filter((name) => filter[name].length > 0).length;
    const more = ['idempotencyKey', 'singletonKey'].some((name) => filter[name].length > 0);
    return html`<div class="chips" role="group" aria-label="Status">
        ${STATUSES.map((status) => html`<button aria-pressed=${filter.status.includes(status)} class="chip ${status}"
          @click=${() => this.toggle(status)}>${words(status)}${counts === undefined ? nothing : html` <span class="number ${status === 'failed' && counts.counts[status] > 0 ? 'bad-text' : 'faint'}">${number(counts.counts[status], counts.atMost)}</span>`}</button>`)}</div>
      ${counts?.isCut ? html`<p class="faint">Counted among the latest runs of this filter alone: there are too many others.</p>` : nothing}
      <p class="narrow"><button class="chip" aria-expanded=${this.#isFolded ? 'false' : 'true'} aria-controls="rl-filter" @click=${() => { this.#isFolded = !this.#isFolded; this.draw(); }}>Filter by task, key, tag, failure, time${
        given > 0 ? html` <span class="number">${given}</span>` : nothing}</button></p>
      <form id="rl-filter" class="filters ${this.#isFolded ? 'folded' : ''}" @submit=${(submit) => this.apply(submit)}>
        ${field('task', 'Task', 'any')} ${field('queue', 'Queue', 'any')} ${field('concurrencyKey', 'Concurrency key', 'any')} ${field('tag', 'Tags', 'name:value')}
        ${field('errorCode', 'Error code', 'any')} ${field('failureText', 'Text in the failure', 'any')}
        ${more ? html`${field('idempotencyKey', 'Idempotency key', 'any')} ${field('singletonKey', 'Singleton key', 'any')}` : nothing}
        <label>Created within<select name="since" @change=${(change) => change.target.form.requestSubmit()}>
          <option value="">any time</option>
          ${[[15, '15 minutes'], [60, 'an hour'], [1_440, 'a day'], [10_080, 'a week']].map(([minutes, label]) => html`<option value=${minutes}>${label}</option>`)}
          <option value="between" ?selected=${isBetween}>between …</option></select></label>
        ${isBetween ? html`<label>Created from (${zone()})<input type="datetime-local" name="from" step="1" value=${forInput(filter.createdFrom[0])}></label>
          <label>Created before (${zone()})<input type="datetime-local" name="before" step="1" value=${forInput(filter.createdBefore[0])}></label>` : nothing}
        <label>Order<select name="order" @change=${(change) => change.target.form.requestSubmit()} ?disabled=${this.isSearch()}>
          ${orders.map(([value, label]) => html`
            <option value=${value} ?selected=${order === value}>${label}</option>`)}</select></label>
        <span class="together"><button class="primary">Filter</button><a class="button quiet" href="/runs">Clear</a></span></form>`;
  }

  /** The order of the list, whatever the address says: as the API takes what is left out, and what it has for another list. */
  order({ sort, direction, tag }) {
    return this.isSearch() ? ORDERS[0][0] : `${tag.length > 0 ? OF_TAGS : sort[0] ?? 'createdAt'} ${direction[0] ?? 'desc'}`;
  }

  /** With what is written in the fields by then. */
  toggle(status) {
    const filter = this.written(new FormData(/** @type {HTMLFormElement} */ (this.querySelector('#rl-filter'))));
    const chosen = filter.status.includes(status) ? filter.status.filter((each) => each !== status) : [...filter.status, status];
    go(`/runs${queryText({ ...filter, status: chosen })}`);
  }

  apply(submit) {
    submit.preventDefault();
    const form = new FormData(submit.target);
    this.#asksBetween = form.get('since') === 'between' && !form.has('from');
    if (this.#asksBetween) {
      this.draw();
      return;
    }
    go(`/runs${queryText(this.written(form))}`);
  }

  /** The filter of the fields, and of what the address has beside them. @param {FormData} form */
  written(form) {
    const filter = this.filter();
    const since = String(form.get('since'));
    const [sort, direction] = orderOf(String(form.get('order') ?? ''));
    const fields = TEXTS.filter((name) => form.has(name)).map((name) => {
      const said = String(form.get(name)).trim();
      if (said === joined(name, filter[name]).trim()) {
        return [name, filter[name]]; // not touched: it may have what a field cannot tell apart
      }
      return [name, name === 'tag' ? said.split(',').map((tag) => tag.trim().replace(/^([^:=]+)=/, '$1:')) : said];
    });
    return /** @type {any} */ ({
      ...filter,
      ...Object.fromEntries(fields),
      createdFrom: since === 'between' ? fromInput(form.get('from') ?? '', filter.createdFrom[0]) : since === '' ? undefined : new Date(serverNow() - Number(since) * 60_000).toISOString(),
      createdBefore: since === 'between' ? untilInput(form.get('before') ?? '', filter.createdBefore[0]) : undefined,
      sort,
      direction,
      cursor: undefined,
    });
  }
}

/** As the address has an order: nothing of the one that is the API's own. */
const orderOf = (/** @type {string} */ order) => (order === ORDERS[0][0] ? [] : order.split(' '));

/** The values of a filter as its field has them. */
const joined = (/** @type {string} */ name, /** @type {string[]} */ values) => values.join(name === 'tag' ? ', ' : ' ').replace(/[\r\n]/g, '');

const isUtc = () => times.style === 'utc';

/** In which zone fields have instants: the reader's has another offset at another date, so it is not told by one. */
export const zone = () => (isUtc() ? 'UTC' : 'your time');

/** An instant as a field has it. @param {string | undefined} instant */
export const forInput = (instant) => fieldOf(instant, isUtc());

/** The other way about, where a range begins. */
export const fromInput = (/** @type {any} */ said, /** @type {string | undefined} */ before) => instantOf(said, before, isUtc(), false);

/** And where it ends. */
export const untilInput = (/** @type {any} */ said, /** @type {string | undefined} */ before) => instantOf(said, before, isUtc(), true);

const number = (value, atMost) => (value >= atMost ? `${count(atMost)}+` : count(value));

/** Those of this list but what is hidden from the reader; where the storage keeps none, none. */
async function savedFilters(signal) {
  const { data } = await all('saved-filters', 2, signal);
  return data.filter((each) => each.view === 'runs' && each.query !== '[masked]');
}

function row(run) {
  const end = run.finishedAt ?? (run.startedAt && new Date(serverNow()).toISOString());
  const tags = tagLinks(run.tags);
  return html`<tr><td class="run">${runLink(run.id)}${below(run)}</td><td>${badge(run.status)}</td><td>${taskLink(run.taskId)}<small class="below">in ${queueLink(run.queue)}</small></td>
    <td class="marks">${run.concurrencyKey ? html`<a href="/runs${queryText({ concurrencyKey: run.concurrencyKey })}" title="Concurrency key">${text(run.concurrencyKey, 60)}</a>` : nothing}
      ${tags}
      ${run.concurrencyKey || tags.length > 0 ? nothing : html`<span class="faint none">–</span>`}</td><td>${time(run.createdAt)}</td>
    <td class="number">${run.startedAt ? unbroken(duration(Date.parse(end) - Date.parse(run.createdAt))) : html`<span class="faint none">–</span>`}</td>
    <td class="number">${run.counters.attempts}</td></tr>`;
}

/** Why it failed, or who has it. */
function below(run) {
  if (run.failure) {
    return html`<small class="below"><span class="bad-text">${text(run.failure.code, 60)}</span> ${text(run.failure.message, 160)}</small>`;
  }
  return run.workerId ? html`<small class="below">${text(run.workerId, 60)}</small>` : nothing;
}

customElements.define('rl-runs-page', RunsPage);
