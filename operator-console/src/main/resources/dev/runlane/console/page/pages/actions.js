/** What operators did. */
import { html, nothing } from '../lib/html.js';
import { get, queryText } from '../lib/api.js';
import { empty, queueLink, runLink, table, taskLink, text, time } from '../lib/elements.js';
import { plain, words } from '../lib/format.js';
import { jobQueueLink } from './jobs.js';
import { go } from '../lib/location.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';
import { forInput, fromInput, untilInput, zone } from './runs.js';

/** What is looked for as it is written. */
const TEXTS = ['actor', 'action', 'target'];
/** What the address may say beside the page, and the API is asked. */
const FILTERS = [...TEXTS, 'from', 'until'];

/** What is told otherwise than by the parts of its name. */
const NAMES = {
  'alert_rule.put': 'change alert rule', 'alert_rule.unsilence': 'let alert rule speak again', 'job_queue.promote': 'promote delayed jobs', 'job_queue.retry_failed': 'retry failed jobs',
  'runs.bulk_cancel': 'cancel many runs', 'runs.bulk_retry': 'retry many runs', 'runs.bulk_rerun': 'run many again', 'runs.bulk_stop': 'stop bulk action', 'runs.rerun': 'run again',
  'runs.retry': 'retry run', 'run.rerun': 'run again', 'saved_filter.put': 'keep filter', 'saved_filter.remove': 'forget filter', 'task.run_now': 'run task now',
};

/** `queue.resume` as people say it. */
function actionName(/** @type {string} */ action) {
  const [thing, verb] = action.split('.');
  return NAMES[/** @type {'run.rerun'} */ (action)] ?? (verb === undefined ? words(action) : `${words(verb)} ${words(thing)}`);
}

/** Where what was acted on is shown; its name alone where there is no such page. */
function targetLink(/** @type {string} */ action, /** @type {string} */ target) {
  const kind = action.split('.')[0];
  switch (/^run_[0-9a-z]{26}$/.test(target) ? 'run' : kind) {
    case 'run':
      return runLink(target);
    case 'queue':
      return queueLink(target);
    case 'task':
      return taskLink(target);
    case 'job_queue':
      return jobQueueLink(target);
    case 'runs': // of the command line the filter alone
      return target.startsWith('bulk_') ? html`<a href="/bulk">${text(target, 80)}</a>` : text(target, 200);
    case 'alert_rule':
      return html`<a href="/alerts?rule=${encodeURIComponent(target)}">${text(target, 80)}</a>`;
    default:
      return text(target, 80);
  }
}

class ActionsPage extends Page {
  heading() {
    return 'Action log';
  }

  staysLive() {
    return !this.place.query.has('cursor'); // a later page stands still
  }

  withoutData() {
    return this.form(this.filter());
  }

  /** @returns {Record<string, string | undefined>} */
  filter() {
    return Object.fromEntries(FILTERS.map((name) => [name, this.place.query.get(name) || undefined]));
  }

  load(signal) {
    return get('actions', { ...this.filter(), cursor: this.place.query.get('cursor') ?? undefined }, signal);
  }

  view({ data, nextCursor }) {
    const filter = this.filter();
    return html`${this.form(filter)}${data.length === 0 ? nothingFound(filter, nextCursor)
      : table('Actions', ['When', 'Who', 'What', 'To what', 'Why', 'Result'], repeat(data, (action) => action.id, (action) => html`<tr><td>${time(action.at)}</td>
          <td>${text(action.actor.id ?? action.actor.type, 80)}</td><td title=${plain(action.action, 80)}>${text(actionName(action.action), 80)}</td><td>${action.target === undefined ? nothing : targetLink(action.action, action.target)}</td>
          <td class="long">${text(action.reason ?? '')}</td><td>${result(action)}</td></tr>`))}
      ${nextCursor ? html`<p class="pager"><a href="/actions${queryText({ ...filter, cursor: nextCursor })}" rel="next">${data.length === 0 ? 'Look further back' : 'Next'}</a></p>` : nothing}`;
  }

  form(filter) {
    const field = (name, label, hint) => html`<label>${label}<input name=${name} value=${filter[name] ?? ''} placeholder=${hint} maxlength="512" spellcheck="false"></label>`;
    const edge = (name, label) => html`<label>${label} (${zone()})<input type="datetime-local" name=${name} step="1" value=${forInput(filter[name])}></label>`;
    return html`<form class="filters" @submit=${(submit) => this.apply(submit)}>
        ${field('actor', 'Who', 'anybody')} ${field('action', 'What', 'queue.pause')} ${field('target', 'To what', 'anything')} ${edge('from', 'From')} ${edge('until', 'Before')}
        <span class="together"><button class="primary">Filter</button><a class="button quiet" href="/actions">Clear</a></span></form>`;
  }

  apply(submit) {
    submit.preventDefault();
    const form = new FormData(submit.target);
    const filter = this.filter();
    go(`/actions${queryText({
      ...Object.fromEntries(TEXTS.map((name) => [name, String(form.get(name)).trim() || undefined])),
      from: fromInput(form.get('from'), filter.from),
      until: untilInput(form.get('until'), filter.until),
    })}`);
  }
}

function nothingFound(filter, nextCursor) {
  if (FILTERS.every((name) => filter[name] === undefined)) {
    return empty('Nobody has acted yet.', 'What operators do here, over the API or from the command line stands here with who did it and why.');
  }
  return nextCursor ? empty('None of the latest actions is like this.', 'There are earlier ones, which were not looked at yet.')
    : empty('No action is like this.', html`Names are compared as they are written. <a href="/actions">All actions</a>`);
}

function result(action) {
  if (action.succeeded === undefined) {
    return html`<span class="faint">under way, or its process was lost</span>`;
  }
  return html`<span class="badge ${action.succeeded ? 'succeeded' : 'failed'}">${action.succeeded ? '✓' : '✕'} ${text(action.result ?? 'done', 120)}</span>`;
}

customElements.define('rl-actions-page', ActionsPage);
