/** Actions on all runs of a filter, which the address carries: counted first, then begun, then followed. */
import { html, nothing } from '../lib/html.js';
import { get, path, post, queryText } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, right, table, text, time } from '../lib/elements.js';
import { count, counted, plain } from '../lib/format.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

const LISTS = ['status', 'task', 'queue', 'tag'];
const NAMES = { concurrencyKey: 'key', errorCode: 'error code', createdFrom: 'created from', createdBefore: 'created before' };
const SINGLE = ['concurrencyKey', 'errorCode', 'createdFrom', 'createdBefore'];
const ACTIONS = [['cancel', 'Cancel …', 'danger'], ['retry', 'Retry …', 'primary'], ['rerun', 'Run again …', '']];
const EFFECTS = {
  cancel: 'would be cancelled: those that wait at once, those that run are asked to stop.',
  retry: 'would be retried: each gets a new run, which recovers it.',
  rerun: 'would be run again, each as a new run with the same payload.',
};

class BulkPage extends Page {
  heading() {
    return 'Bulk actions';
  }

  concerns(change) {
    return change.kind !== 'run';
  }

  load(signal) {
    return get('bulk-actions', {}, signal);
  }

  filter() {
    const query = this.place.query;
    return Object.fromEntries([
      ...LISTS.map((name) => [name, query.getAll(name)]).filter(([, values]) => values.length > 0),
      ...SINGLE.map((name) => [name, query.get(name)]).filter(([, value]) => value !== null),
    ]);
  }

  view({ data }) {
    const filter = Object.entries(this.filter());
    return html`${this.session?.role === 'viewer' ? nothing : html`<section class="panel"><h2>New action</h2>
        <p>${filter.length === 0 ? html`To <strong>all runs</strong> of the environment.` : html`To runs of which all of this holds: ${filter.map(([name, value]) => html`
          <span class="badge wraps">${NAMES[name] ?? plain(name)} ${text([value].flat().join(joint(name)), 200)}</span>`)}.`} <a href="/runs${location.search}">See them, or choose others</a></p>
        <p class="buttons start">${ACTIONS.map(([action, label, look]) => html`<button class=${look} @click=${() => this.attempt(() => this.start(action))}>${label}</button>`)}</p></section>`}
      ${data.length === 0 ? empty('No bulk action was begun in this console since it started, and none has left runs.', html`Choose runs by a filter of <a href="/runs">the list</a>, then act on all of them: they are counted before anything is done.`)
        : table('Bulk actions', ['Begun', 'What', 'State', right('Done'), right('Failed'), 'Who and why', actionsHead], repeat([...data].reverse(), (action) => action.id, (action) => this.row(action)))}`;
  }

  row(action) {
    const look = { running: 'running', done: 'succeeded', cancelled: 'cancelled', failed: 'failed', unfinished: 'failed' }[action.state];
    return html`<tr><td>${time(action.startedAt)}</td><td>${plain(action.action)}</td><td><span class="badge ${look}">${plain(action.state)}</span>
      ${left(action)}</td>
      <td class="number">${count(action.done)} <span class="faint">of at most ${count(action.limit)}${action.passedOver > 0 ? html`, ${count(action.passedOver)} passed over: retried already` : nothing}</span></td><td class="number">${count(action.failed)} ${Object.entries(action.failures).map(([code, number]) => html`
        <small>${plain(code, 60)}: ${count(number)}</small>`)}</td><td class="long">${text(action.actor, 60)}: ${text(action.reason)}</td>
      <td>${action.state === 'running' && !action.isHere ? html`<small class="faint">in another console process</small>` : action.state === 'running' && this.session?.role !== 'viewer' ? html`<button @click=${() => this.stop(action)}>Stop …</button>` : nothing}</td></tr>`;
  }

  async start(action) {
    const filter = this.filter();
    const dryRun = await post('bulk-actions', { action, filter, reason: 'counts before it begins', dryRun: true });
    if (!this.isConnected || JSON.stringify(this.filter()) !== JSON.stringify(filter)) {
      return; // somebody has moved on
    }
    ask({
      title: `${action[0].toUpperCase()}${action.slice(1)} these runs?`,
      effect: `${dryRun.isCut ? 'At least ' : ''}${counted(dryRun.count, 'run')} ${EFFECTS[action]}`,
      verb: `${action[0].toUpperCase()}${action.slice(1)} ${counted(dryRun.count, 'run')}`,
      isDangerous: action === 'cancel',
      act: async (form) => {
        await post('bulk-actions', { action, filter: { ...filter, createdBefore: dryRun.createdBefore ?? filter.createdBefore }, reason: form.get('reason') }); // of those that were counted
        this.reload();
      },
    });
  }

  stop(action) {
    ask({
      title: html`Stop this bulk ${plain(action.action)}?`,
      effect: html`Begun ${time(action.startedAt)} by ${text(action.actor, 60)}: ${text(action.reason)}. It has done ${count(action.done)} of at most ${counted(action.limit, 'run')} ${filterText(action.filter)}; it stops before its next run, and what was done stays.`, verb: 'Stop it', isDangerous: true,
      act: async (form) => {
        await post(path`bulk-actions/${action.id}/cancel`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }
}

/** Runs have all of the tags, and one of what else there may be several of. */
const joint = (/** @type {string} */ name) => (name === 'tag' ? ' and ' : ' or ');

/** The runs that an action is for, in words. */
function filterText(filter) {
  const parts = Object.entries(filter ?? {}).map(([name, value]) => `${NAMES[name] ?? name} ${[value].flat().join(joint(name))}`);
  return filter === undefined ? '' : parts.length === 0 ? 'of all' : text(`of ${parts.join(', ')}`, 300);
}

/** What an action has not done, and where it is gone on with. */
function left(action) {
  const isLost = action.state === 'unfinished';
  if (action.state === 'running' || !(action.hasLeft ?? (isLost || action.reachedCreatedAt !== undefined))) {
    return nothing;
  }
  const { reachedCreatedAt, filter } = action;
  const from = reachedCreatedAt === undefined ? 'all of them' : `created from ${plain(reachedCreatedAt, 40)}`;
  return html`<small class="below">${!isLost ? nothing : html`Its console has told nothing since ${time(action.toldAt)}. `}Some are left: ${filter === undefined ? from
    : html`<a href="/bulk${queryText({ ...filter, createdFrom: reachedCreatedAt ?? filter.createdFrom })}">${from}</a>`}${isLost && action.action === 'rerun' ? ', of which those of its last seconds were run again already' : ''}</small>`;
}

customElements.define('rl-bulk-page', BulkPage);
