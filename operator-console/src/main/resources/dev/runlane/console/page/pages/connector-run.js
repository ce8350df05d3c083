/** One run of a connector: what it asks, how far each stream is, its timeline, and what it left out. */
import { html, nothing } from '../lib/html.js';
import { get, orNothing, path, post, writtenPage } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { ask } from '../lib/dialog.js';
import { empty, failed, right, table, text, time } from '../lib/elements.js';
import { absolute, count, counted, duration, jsonText, plain, words } from '../lib/format.js';
import { indented, member } from '../lib/json-source.js';
import { connectorLink, runBadge } from '../connector/parts.js';
import { latest, story, storyLayout } from '../connector/story.js';
import '../connector/question.js';
import { openEvent, timeline, unlistedNote } from '../timeline/timeline.js';
import { partOf, showPart, zoomBar } from '../timeline/zoom.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

const ACTIVE_PAUSE_MILLIS = 1_000;
const PAUSE_MILLIS = 10_000;
const PAGE = 2_000;

/** So many events are kept, but for those that {@link latest} does not drop; so many of them are listed, the latest. */
const MOST_EVENTS = 10_000;
const MOST_LISTED = 500;

class ConnectorRunPage extends Page {
  #events = /** @type {any[]} */ ([]);
  /** The events as they are stored, by their sequence, and as they are shown: a value would round large numbers. */
  #written = /** @type {Map<string, string>} */ (new Map());
  #shown = /** @type {Map<string, string>} */ (new Map());
  #cursor = /** @type {string | undefined} */ (undefined);
  #isCut = false;
  #isUnlisted = false; // what was chosen in the timeline last
  #stderr = /** @type {string[] | undefined} */ (undefined);
  #stderrFailure = /** @type {unknown} */ (undefined);

  heading() {
    return html`<span class="faint">Run of a connector</span> <bdi class="mono">${plain(this.runId(), 120)}</bdi>`;
  }

  runId() {
    return this.place.parts[2];
  }

  longestPause() {
    return this.data?.run.status === 'active' ? ACTIVE_PAUSE_MILLIS : PAUSE_MILLIS;
  }

  staysLive() {
    return this.data === undefined || this.data.run.status === 'active';
  }

  concerns() {
    return false;
  }

  /** Goes on where it has read to: a timeline only grows. */
  async load(signal) {
    const [run, connector] = await Promise.all([get(path`/_ref/runs/${this.runId()}`, {}, signal), this.data?.connector ?? orNothing(get(path`/_ref/connectors/${this.place.parts[1]}`, {}, signal))]);
    let hasMore = true;
    while (hasMore) {
      const page = await writtenPage(path`/_ref/runs/${this.runId()}/timeline`, { limit: PAGE, cursor: this.#cursor }, signal);
      signal.throwIfAborted(); // else what another answer adds would stand there twice
      page.data.forEach(({ event_seq: sequence }, place) => this.#written.set(sequence, page.written[place]));
      const all = [...this.#events, ...page.data];
      this.#cursor = all[all.length - 1]?.event_seq;
      this.#events = latest(all, MOST_EVENTS);
      if (this.#events.length < all.length) {
        this.#isCut = true;
        this.#written = new Map(this.#events.map(({ event_seq: sequence }) => [sequence, this.#written.get(sequence) ?? '']));
      }
      hasMore = page.truncated;
    }
    return { run, connector };
  }

  view({ run, connector }) {
    const isActive = run.status === 'active';
    const whole = story(this.#events, serverNow(), isActive ? undefined
      : { status: run.status, at: run.completed_at, data: { reason: run.terminal_reason ?? undefined, known_gaps: run.known_gaps ?? undefined } });
    const mayAct = this.session?.role !== 'viewer';
    const end = isActive ? serverNow() : Date.parse(run.completed_at ?? whole.ended?.occurred_at);
    return html`<p class="summary">${runBadge(run.status)} ${connectorLink(run.connector_id, connector?.display_name)} <span class="faint">·</span> ${duration(end - Date.parse(run.started_at))} <span class="faint">${isActive ? 'so far' : 'in all'}, began</span> ${time(run.started_at)}
        ${whole.started.trigger_kind ? html`<span class="faint">·</span> ${words(whole.started.trigger_kind)}` : nothing} ${whole.started.collection_mode ? html`<span class="tag">${words(whole.started.collection_mode)}</span>` : nothing}</p>
      ${whole.question !== undefined && mayAct && isActive ? html`<rl-question .runId=${run.run_id} .question=${whole.question} @rl-answered=${() => this.reload()}></rl-question>`
        : whole.question !== undefined && isActive ? html`<div class="notice wait">It asks its owner: ${text(whole.question.message, 500)}</div>` : nothing}
      ${whole.notes.map((note) => html`<div class="notice wait" role="status">It tells you, ${time(note.at)}: ${text(note.message, 2_000)}</div>`)}
      ${outcome(run, whole)}
      ${isActive && mayAct ? html`<p class="buttons start"><button class="danger" @click=${() => this.cancel(run)}>Cancel run …</button></p>` : nothing}
      <section class="panel"><h2>Streams</h2>${streams(whole, isActive)}</section>
      <section class="panel"><div class="bar-head"><h2>Timeline</h2>${zoomBar(this.place)}</div>
        ${timeline(storyLayout(whole), partOf(this.place), (sequence) => this.choose(sequence), showPart)}</section>
      ${gaps(whole.gaps)}
      <section class="panel"><h2>Events</h2>${this.list()}</section>
      ${isActive ? this.stderr() : nothing}`;
  }

  choose(sequence) {
    this.#isUnlisted = !openEvent(this, sequence);
    this.draw();
    this.querySelector('.unlisted')?.scrollIntoView({ block: 'center' });
  }

  cancel(run) {
    ask({
      title: html`Cancel run ${text(run.run_id, 80)}?`, effect: 'Its program is ended. Records that were stored stay; where it would go on from is not stored, so the next run reads again what this one read.', verb: 'Cancel run', isDangerous: true, wantsReason: false,
      act: async () => {
        await post(path`/_ref/runs/${run.run_id}/cancel`, {});
        this.reload();
      },
    });
  }

  /** The latest first: of a run that goes on, that is what a reader wants. */
  list() {
    const begun = Date.parse(this.#events[0]?.occurred_at);
    const shown = this.#events.slice(-MOST_LISTED).reverse();
    this.#shown = new Map(shown.map(({ event_seq: sequence }) => [sequence, this.#shown.get(sequence) ?? indented(this.#written.get(sequence) ?? '')]));
    return html`${unlistedNote(this.#isUnlisted)}${this.#events.length === 0 ? empty('Nothing has happened yet.') : html`<ol class="history">${repeat(shown, (event) => event.event_seq, (event) => html`<li><span class="when number" title=${absolute(event.occurred_at)}>+${duration(Date.parse(event.occurred_at) - begun)}</span>
        <details id="event-${event.event_seq}" class=${lookOf(event)}><summary><strong>${words(event.event_type.replace('run.', ''))}</strong> ${text(gist(event, this.#written.get(event.event_seq) ?? '{}'), 200)}</summary><pre><bdi>${plain(this.#shown.get(event.event_seq))}</bdi></pre></details></li>`)}</ol>`}
      ${this.#events.length > MOST_LISTED || this.#isCut ? html`<p class="notice">The latest ${count(shown.length)} of ${this.#isCut ? 'more than ' : ''}${counted(this.#events.length, 'event')} are listed.</p>` : nothing}`;
  }

  /** Asked for by hand: only the process that has the child knows it. */
  stderr() {
    return html`<section class="panel"><h2>What it writes to standard error</h2>
      ${this.#stderr === undefined ? nothing : this.#stderr.length === 0 ? html`<p class="faint">Nothing.</p>` : html`<pre tabindex="0" role="region" aria-label="Standard error"><bdi>${plain(this.#stderr.join('\n'))}</bdi></pre>`}
      ${this.#stderrFailure === undefined ? nothing : failed(this.#stderrFailure)}
      <p class="buttons start"><button @click=${() => this.readStderr()}>${this.#stderr === undefined ? 'Show the last lines' : 'Show the last lines again'}</button></p></section>`;
  }

  async readStderr() {
    try {
      this.#stderr = (await get(path`/_ref/runs/${this.runId()}/stderr`)).data;
      this.#stderrFailure = undefined;
    } catch (failure) {
      this.#stderrFailure = failure;
    }
    this.draw();
  }
}

const LOOKS = { 'run.completed': 'good', 'run.failed': 'bad', 'run.abandoned': 'bad', 'run.cancelled': 'bad', 'run.stream_skipped': 'bad', 'run.interaction_required': 'run', 'run.state_commit_failed': 'bad' };

const lookOf = (event) => LOOKS[event.event_type] ?? '';

/** What an event says, in a few words. */
function gist({ data, event_type: type, stream_id: stream }, /** @type {string} */ written) {
  const known = [
    stream ?? data.stream_id ?? data.stream,
    type === 'run.interaction_completed' ? data.status : undefined,
    data.message ?? data.failure_message ?? data.connector_error_message,
    data.count === undefined ? undefined : `${count(data.count)}${data.total === undefined ? '' : ` of ${count(data.total)}`}`,
    type === 'run.batch_ingested' ? `${counted(data.records_accepted, 'record')} stored${data.records_rejected > 0 ? `, ${count(data.records_rejected)} rejected` : ''}` : undefined,
    type.startsWith('run.state_') && data.cursor !== undefined ? `goes on from ${member(member(written, 'data') ?? '{}', 'cursor')}` : undefined,
    data.reason === undefined ? undefined : String(data.reason).replaceAll('_', ' '),
    type === 'run.completed' ? `${counted(data.records_emitted ?? 0, 'record')}` : undefined,
  ];
  return known.filter((each) => each !== undefined && each !== null && each !== '').join(' · ');
}

/** How it ended, in words. */
function outcome(run, { ended }) {
  if (ended === undefined) {
    return nothing;
  }
  const { data } = ended;
  const isGood = run.status === 'completed';
  const stderr = data.connector_diagnostics?.stderr_tail?.text;
  return html`<div class="notice ${isGood ? 'good' : run.status === 'cancelled' ? '' : 'bad'}"><p><strong>${isGood ? 'It completed.' : `${run.status === 'failed' ? 'It failed' : `It was ${words(run.status)}`}: ${words(data.reason ?? 'no reason is known')}.`}</strong>
      ${counted(data.records_emitted ?? 0, 'record')}${data.records_permanently_rejected > 0 ? html`, <span class="bad-text">${count(data.records_permanently_rejected)} rejected</span>` : nothing};
      ${data.checkpoint_commit_status === 'committed' ? 'the next run goes on from here.' : data.checkpoint_commit_status === 'partially_committed' ? 'the next run goes on from here for some streams, and reads others again.' : data.checkpoint_commit_status === 'disabled' ? 'where it got to is not kept.'
        : data.checkpoint_commit_status === undefined ? 'whether the next run goes on from here is not known.' : 'the next run goes on from where this one began.'}</p>
    ${[data.failure_message, data.connector_error_message].filter(Boolean).map((message) => html`<p>${text(message, 2_000)}</p>`)}
    ${data.violation ? html`<p>${words(data.violation.subtype)}${data.violation.line ? ` in line ${count(data.violation.line)}` : ''}${data.violation.received === undefined ? '' : html`: got ${text(data.violation.received, 200)}`}${data.violation.expected ? html`, wanted ${text(data.violation.expected.join(' or '), 200)}` : nothing}</p>` : nothing}</div>
    ${stderr ? html`<section class="panel bad"><h2>The end of its standard error</h2><pre tabindex="0" role="region" aria-label="The end of its standard error"><bdi>${plain(stderr)}</bdi></pre></section>` : nothing}`;
}

/** Whether where the next run goes on from was kept. */
const CHECKPOINTS = { staged: 'staged', committed: 'committed', not_committed: 'not committed', not_staged: 'none was sent', disabled: 'not kept' };

function streams({ streams: all }, isActive) {
  return all.length === 0 ? empty('It has not said yet what it collects.') : table('Streams', ['Stream', 'Latest', 'Progress', right('Records'), 'Checkpoint'], all.map((stream) => html`<tr><td>${text(stream.name, 80)}</td>
    <td class="long">${stream.skipped !== undefined ? html`<span class="badge failed">skipped</span> ${words(stream.skipped)}` : stream.message === undefined ? html`<span class="faint">${isActive ? 'not begun' : '–'}</span>` : text(stream.message, 200)}</td>
    <td>${stream.total > 0 && stream.count !== undefined ? html`<progress max=${stream.total} value=${Math.min(stream.count, stream.total)} aria-label="Progress of ${plain(stream.name, 60)}"></progress> <span class="number">${count(stream.count)} of ${count(stream.total)}</span>`
      : stream.count !== undefined ? count(stream.count) : nothing}</td>
    <td class="number">${count(stream.stored)}${stream.rejected > 0 ? html` <small class="bad-text">${count(stream.rejected)} rejected</small>` : nothing}</td>
    <td>${stream.checkpoint === undefined ? html`<span class="faint none">–</span>` : html`<span class=${stream.checkpoint === 'not_committed' ? 'bad-text' : ''}>${CHECKPOINTS[stream.checkpoint] ?? words(stream.checkpoint)}</span>`}</td></tr>`));
}

const SEVERITIES = { actionable: 'failed', recoverable: 'retrying', transient: 'retrying', informational: '' };

function gaps(known) {
  return known.length === 0 ? nothing : html`<section class="panel"><h2>Gaps: what it left out</h2>
    ${table('Gaps', ['What', 'Stream', 'Why', 'How bad', 'What helps', 'Details'], known.map((gap) => html`<tr><td>${words(gap.kind)}</td><td>${text(gap.stream ?? '–', 80)}</td><td class="long">${words(gap.reason)} ${text(gap.message ?? '', 300)}</td>
      <td><span class="badge ${SEVERITIES[gap.severity] ?? ''}">${words(gap.severity)}</span></td><td>${gap.recovery_hint && gap.recovery_hint.action !== 'unknown' ? html`${words(gap.recovery_hint.action)}${gap.recovery_hint.retryable ? html` <small>a later run may fill it</small>` : nothing}` : nothing}</td>
      <td>${gap.diagnostics !== undefined || gap.scope !== undefined ? html`<details><summary>Show</summary><pre><bdi>${jsonText({ scope: gap.scope, diagnostics: gap.diagnostics })}</bdi></pre></details>` : nothing}</td></tr>`))}</section>`;
}

customElements.define('rl-connector-run-page', ConnectorRunPage);
