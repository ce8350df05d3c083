/** Wakeups that wait to be published or could not be, and their redrive. */
import { html, nothing } from '../lib/html.js';
import { get, post, queryText } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { actionsHead, empty, queueLink, right, runLink, table, text, time } from '../lib/elements.js';
import { count, counted, words } from '../lib/format.js';
import { Page } from './page.js';

const STATES = ['dead_lettered', 'failed', 'pending', 'claimed'];

class OutboxPage extends Page {
  heading() {
    return 'Outbox';
  }

  state() {
    return this.place.query.get('status') ?? STATES[0];
  }

  async load(signal) {
    const [page, depths] = await Promise.all([
      get('outbox', { status: this.state(), cursor: this.place.query.get('cursor') ?? undefined }, signal), get('depths', {}, signal)]);
    return { ...page, sample: depths.sample };
  }

  view({ data, nextCursor, sample }) {
    const state = this.state();
    const known = sample?.outbox;
    const counts = { dead_lettered: known?.deadLettered, failed: known?.failed, pending: known?.pending, claimed: known?.claimed };
    return html`<p>Every run that becomes due is told to the workers by a wakeup. Those that could not be published wait here.</p>
      <div class="chips" role="group" aria-label="Status">${STATES.map((each) => html`<a class="chip" aria-current=${each === state} href="/outbox?status=${each}">${words(each)} <span class="number ${each === 'dead_lettered' && counts[each] > 0 ? 'bad-text' : 'faint'}">${counts[each] === undefined ? nothing : count(counts[each])}</span></a>`)}</div>
      ${known === undefined ? nothing : html`<p class="faint">Counted ${time(sample.takenAt)}${known.oldestDueAt ? html`; the oldest that waits was due ${time(known.oldestDueAt)}` : nothing}.</p>`}
      ${data.length > 0 && state === 'dead_lettered' && this.session?.role !== 'viewer'
        ? html`<p class="buttons start"><button class="primary" @click=${() => this.redrive()}>Publish dead letters again …</button></p>` : nothing}
      ${data.length === 0 ? empty(`No message is ${words(state)}.`)
        : table('Messages', ['Message', 'Run', 'Queue', 'Due', right('Failed tries'), 'Why', actionsHead], data.map((entry) => html`<tr><td class="mono">${text(entry.id, 60)}</td>
            <td>${runLink(entry.runId)}</td><td>${queueLink(entry.queue)}</td><td>${time(entry.availableAt)}</td><td class="number">${entry.failedPublishes}</td>
            <td class="long">${entry.failure ? text(`${entry.failure.code}: ${entry.failure.message}`) : nothing}</td>
            <td>${this.session?.role !== 'viewer' && (state === 'dead_lettered' || state === 'failed') ? html`<button @click=${() => this.redrive([entry.id])}>Publish again …</button>` : nothing}</td></tr>`))}
      ${nextCursor ? html`<p class="pager"><a href="/outbox${queryText({ status: state, cursor: nextCursor })}" rel="next">Next</a></p>` : nothing}`;
  }

  /** Counts first; of all dead letters unless some messages are named. */
  async redrive(messageIds = undefined) {
    const tried = await post('outbox/redrive', { reason: 'counts before a redrive', dryRun: true, messageIds });
    ask({
      title: messageIds === undefined ? 'Publish dead letters again?' : 'Publish this message again?',
      effect: `${counted(tried.count, 'message')} would be published again, with their tries counted from the beginning.`,
      verb: `Publish ${counted(tried.count, 'message')}`,
      act: async (form) => {
        await post('outbox/redrive', { reason: form.get('reason'), messageIds });
        this.reload();
      },
    });
  }
}

customElements.define('rl-outbox-page', OutboxPage);
