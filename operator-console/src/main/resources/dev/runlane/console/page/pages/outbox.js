/** Wakeups that wait to be published or could not be, and their redrive. */
import { html, nothing } from '../lib/html.js';
import { get, post, queryText } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, queueLink, right, runLink, table, text, time } from '../lib/elements.js';
import { count, counted, plain, words } from '../lib/format.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

const STATES = ['dead_lettered', 'failed', 'pending', 'claimed'];

const EMPTY = {
  dead_lettered: 'No wakeup is dead-lettered: all could be published.', failed: 'No wakeup failed to be published.', pending: 'No wakeup waits to be published.', claimed: 'No wakeup is being published.',
};
const NAMES = { dead_lettered: 'dead letters' };

class OutboxPage extends Page {
  heading() {
    return 'Outbox';
  }

  state() {
    return this.place.query.get('status') ?? STATES[0];
  }

  staysLive() {
    return !this.place.query.has('cursor'); // a later page stands still
  }

  async load(signal) {
    const [page, depths, lags] = await Promise.all([
      get('outbox', { status: this.state(), cursor: this.place.query.get('cursor') ?? undefined }, signal), get('depths', {}, signal), get('topic-lags', {}, signal)]);
    return { ...page, sample: depths.sample, topics: lags.data };
  }

  view({ data, nextCursor, sample, topics }) {
    const state = this.state();
    const known = sample?.outbox;
    const counts = { dead_lettered: known?.deadLettered, failed: known?.failed, pending: known?.pending, claimed: known?.claimed };
    if (!nextCursor && !this.place.query.has('cursor')) {
      counts[/** @type {'failed'} */ (state)] = data.length; // all of them: newer than what was counted
    }
    return html`<p>Every run that becomes due is told to the workers by a wakeup. Those that could not be published wait here, and are tried again; after the last try they are dead letters until somebody publishes them again.</p>
      <div class="chips" role="group" aria-label="Status">${STATES.map((each) => html`<a class="chip" aria-current=${each === state} href="/outbox?status=${each}">${NAMES[each] ?? words(each)} <span class="number ${each === 'dead_lettered' && counts[each] > 0 ? 'bad-text' : 'faint'}">${counts[each] === undefined ? nothing : count(counts[each])}</span></a>`)}</div>
      ${known === undefined ? nothing : html`<p class="faint">Counted ${time(sample.takenAt)}${known.oldestDueAt ? html`; the oldest that waits was due ${time(known.oldestDueAt)}` : nothing}.</p>`}
      ${data.length > 0 && state === 'dead_lettered' && this.session?.role !== 'viewer'
        ? html`<p class="buttons start"><button class="primary" @click=${() => this.attempt(() => this.redrive())}>Publish dead letters again …</button></p>` : nothing}
      ${data.length === 0 ? empty(EMPTY[state] ?? 'There is none.')
        : table('Wakeups', ['Run', 'Queue', 'Due', right('Failed tries'), 'Why', actionsHead], repeat(data, (entry) => entry.id, (entry) => html`<tr title=${`wakeup ${plain(entry.id, 60)}`}><td>${runLink(entry.runId)}</td><td>${queueLink(entry.queue)}</td><td>${time(entry.availableAt)}</td><td class="number">${entry.failedPublishes}</td>
            <td class="long">${entry.failure ? text(`${entry.failure.code}: ${entry.failure.message}`) : nothing}</td>
            <td>${this.session?.role !== 'viewer' && (state === 'dead_lettered' || state === 'failed') ? html`<button @click=${() => this.attempt(() => this.redrive([entry.id]))}>Publish again …</button>` : nothing}</td></tr>`))}
      ${nextCursor ? html`<p class="pager"><a href="/outbox${queryText({ status: state, cursor: nextCursor })}" rel="next">Next</a></p>` : nothing}
      ${lagOf(topics)}`;
  }

  /** Counts first; of all dead letters unless some messages are named. */
  async redrive(messageIds = undefined) {
    const tried = await post('outbox/redrive', { reason: 'counts before a redrive', dryRun: true, messageIds });
    if (!this.isConnected) {
      return;
    }
    ask({
      title: messageIds === undefined ? 'Publish dead letters again?' : 'Publish this wakeup again?',
      effect: `${counted(tried.count, 'wakeup')} would be published again, with their tries counted from the beginning.`,
      verb: `Publish ${counted(tried.count, 'wakeup')}`,
      act: async (form) => {
        await post('outbox/redrive', { reason: form.get('reason'), messageIds });
        this.reload();
      },
    });
  }
}

/** What was published and is not settled yet, by topic, and the partitions of each; nothing where the lane has no topics. */
function lagOf(topics) {
  const most = Math.max(1, ...topics.map((topic) => topic.records));
  return topics.length === 0 ? nothing : html`<section class="panel"><h2>Lag by topic</h2>
    <p class="faint">Wakeups that were published and are not settled yet, as the processes that consume them tell every 5 s.</p>
    ${table('Lag by topic', ['Topic', 'Group', 'Queue', right('Not settled'), 'Share', right('Partitions'), right('Furthest behind'), 'Consumers'], topics.map((topic) => html`<tr>
      <td>${text(topic.topic, 100)}</td><td>${text(topic.group, 100)}</td><td>${queueLink(topic.queue)}</td><td class="number">${count(topic.records)}</td>
      <td><meter min="0" max=${most} value=${topic.records} aria-label="Share of the topic that is furthest behind, ${plain(topic.topic, 60)}"></meter></td>
      <td class="number">${count(topic.partitions.length)}</td><td class="number">${count(Math.max(...topic.partitions.map((each) => each.records)))}</td><td class="list">${consumers(topic)}</td></tr>`))}
    ${topics.map((topic) => html`<details ?open=${topic.partitions.some((each) => each.isLeft)}><summary>Partitions of ${text(topic.topic, 100)}</summary>
      ${table(`Partitions of ${plain(topic.topic, 60)}`, ['Partition', right('Not settled'), 'Consumed by', 'Told'], topic.partitions.map((each) => html`<tr>
        <td>${each.partition}</td><td class="number">${count(each.records)}</td>
        <td>${each.isLeft ? html`<span class="badge failed">✕ nobody</span> since ${text(each.processId, 60)} is gone` : text(each.processId, 60)}</td><td>${time(each.toldAt)}</td></tr>`))}</details>`)}</section>`;
}

function consumers(topic) {
  const left = topic.partitions.filter((each) => each.isLeft).length;
  return left > 0 ? html`<span class="bad-text">nobody for ${counted(left, 'partition')}: its process is gone</span>`
    : counted(new Set(topic.partitions.map((each) => each.processId)).size, 'process', 'processes');
}

customElements.define('rl-outbox-page', OutboxPage);
