/** One run: why it is where it is, its history to scale, and what can be done with it. */
import { html, nothing } from '../lib/html.js';
import { download, get, getText, path, post, postText, writtenPage } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { ask } from '../lib/dialog.js';
import { difference } from '../lib/difference.js';
import { badge, copyButton, isEnded, json, queueLink, right, runLink, sentence, table, tagLinks, taskLink, text, time } from '../lib/elements.js';
import { absolute, counted, duration, jsonText, plain, words } from '../lib/format.js';
import { checked, indented, member, objectOf } from '../lib/json-source.js';
import { attemptsOf } from '../timeline/attempts.js';
import { momentsOf, RunEvents, RunLines } from '../timeline/history.js';
import { layout } from '../timeline/layout.js';
import { openEvent, timeline, unlistedNote } from '../timeline/timeline.js';
import { partOf, showPart, zoomBar } from '../timeline/zoom.js';
import { repeat } from '../lib/rows.js';
import { Page } from './page.js';

/** How many events and lines are listed, the latest; the history as a file has all events. */
const MOST_MOMENTS = 1_000;

/** How long related runs are shown before they are looked for again: many runs are looked at for them. */
const RELATED_MILLIS = 10_000;

/** For so long after its end its last log lines and events may be stored or read behind the answer that tells of it. */
const SETTLING_MILLIS = 5_000;

/** Events that say nothing a reader would miss; shown where they are asked for. */
const PLUMBING = ['run.delivery_requested', 'run.lease_claimed', 'run.dispatched', 'run.dispatch_reserved'];

class RunPage extends Page {
  /** What never changes is written once: the payload, and the events by their sequence. */
  #payload = /** @type {string | undefined} */ (undefined);
  #written = /** @type {Map<number, string>} */ (new Map());
  #shown = { plumbing: false, heartbeats: false, lines: true };
  #events = this.#eventsFromNow();
  #lines = new RunLines((query, signal) => get(path`runs/${this.runId()}/log`, query, signal));
  #related = /** @type {any} */ (undefined);
  #relatedAt = 0;
  #isUnlisted = false; // what was chosen in the timeline last

  heading() {
    return html`<span class="faint">Run</span> <bdi class="mono">${plain(this.runId(), 120)}</bdi>`;
  }

  runId() {
    return this.place.parts[1];
  }

  shortestPause() {
    return 1_000; // somebody looks at one thing that goes on
  }

  longestPause() {
    return this.data !== undefined && isEnded(this.data.run.status) ? SETTLING_MILLIS : super.longestPause();
  }

  staysLive() {
    return this.data === undefined || !isEnded(this.data.run.status) || this.data.readAt < Date.parse(this.data.run.finishedAt) + SETTLING_MILLIS;
  }

  /** Events and lines are read on from where they were read to. */
  async load(signal) {
    const id = this.runId();
    const events = this.#events;
    const readAt = serverNow(); // what is stored from now on may be missing in the answers
    const [text, related] = await Promise.all([
      getText(path`runs/${id}/explanation`, {}, signal), this.#relatedRuns(signal), events.readOn(signal), this.#lines.readOn(signal),
    ]);
    const kept = new Set(events.data.map(({ sequence }) => sequence));
    [...this.#written.keys()].filter((sequence) => !kept.has(sequence)).forEach((sequence) => this.#written.delete(sequence));
    const explanation = JSON.parse(text);
    const { run } = explanation;
    this.#payload ??= indented(member(member(text, 'run') ?? '', 'payload') ?? 'null');
    const output = run.status === 'succeeded' ? indented(member(member(text, 'run') ?? '', 'output') ?? 'null') : undefined;
    const { data, earlier, folded } = events;
    return { readAt, run, explanation, events: { data, earlier, folded }, lines: { data: this.#lines.data, isCut: this.#lines.isCut }, related, output };
  }

  #eventsFromNow() {
    return new RunEvents(async (query, signal) => {
      const { data, written, nextCursor } = await writtenPage(path`runs/${this.runId()}/events`, query, signal);
      data.forEach(({ sequence, type }, place) => {
        if (!this.#written.has(sequence) && (this.#shown.heartbeats || type !== 'run.lease_heartbeat')) {
          this.#written.set(sequence, indented(written[place]));
        }
      });
      return { data, nextCursor };
    }, this.#shown.heartbeats);
  }

  async #relatedRuns(signal) {
    if (this.#related === undefined || Date.now() - this.#relatedAt >= RELATED_MILLIS) {
      this.#related = await get(path`runs/${this.runId()}/related`, {}, signal);
      this.#relatedAt = Date.now();
    }
    return this.#related;
  }

  concerns(change) {
    return change.kind === 'opened' || change.kind === 'skipped' || change.data?.runId === this.runId();
  }

  view({ run, explanation, events, lines, related, output }) {
    const end = run.finishedAt === undefined ? serverNow() : Date.parse(run.finishedAt);
    const ended = isEnded(run.status) ? run : undefined;
    const drawn = layout(events.data, serverNow(), ended);
    return html`<p class="summary">${badge(run.status)} ${copyButton(run.id, 'the id', 'Copy id')} ${taskLink(run.taskId)} <span class="faint">in</span> ${queueLink(run.queue)}
        <span class="faint">·</span> <span>${duration(end - Date.parse(run.createdAt))} <span class="faint">${isEnded(run.status) ? 'in all' : 'so far'}, ${counted(run.counters.attempts, 'attempt')}</span></span>
        ${tagLinks(run.tags)}</p>
      <div class="notice ${run.status === 'failed' ? 'bad' : run.status === 'succeeded' ? 'good' : ''}">${explanation.reasons.map((reason) => html`<p>${sentence(reasonText(reason, run))}</p>`)}</div>
      ${this.buttons(run)}
      <section class="panel"><div class="bar-head"><h2>Timeline</h2>${zoomBar(this.place)}</div>
        ${timeline({ ...drawn, heartbeats: drawn.heartbeats + events.folded }, partOf(this.place), (sequence) => this.choose(sequence), showPart)}
        ${events.earlier > 0 ? html`<p class="notice">It begins with event ${events.earlier + 1}: what came before, attempts too, is in the history as JSON.</p>` : nothing}</section>
      ${run.failure ? failurePanel(run.failure, run) : nothing}
      ${attemptsPanel(attemptsOf(events.data, ended), (sequence) => this.choose(sequence))}
      <div class="columns">${json('Payload', this.#payload ?? '')}
        ${output === undefined ? nothing : json('Output', output)}
        ${facts(run, this.session)}</div>
      ${relatedPanel(run, related)}
      <section class="panel"><h2>Events and log lines</h2>${this.history(events, lines, run)}</section>`;
  }

  buttons(run) {
    const mayAct = this.session?.role !== 'viewer';
    const ended = isEnded(run.status);
    return html`<p class="buttons start">
      ${mayAct && !ended && run.status !== 'cancellation_requested' ? html`<button class="danger" @click=${() => this.cancel(run)}>Cancel run …</button>` : nothing}
      ${mayAct && run.status === 'failed' ? html`<button class="primary" @click=${() => this.again(run, 'retry')}>Retry …</button>` : nothing}
      ${mayAct && ended ? html`<button @click=${() => this.again(run, 'rerun')}>Run again …</button>
        <button @click=${() => this.attempt(() => this.edit(run))}>Run again with another payload …</button>` : nothing}
      <button class="quiet" @click=${() => this.attempt(() => download(path`runs/${run.id}/history`, `${run.id}.json`))}>History as JSON</button></p>`;
  }

  cancel(run) {
    const effect = run.status === 'running'
      ? 'Its worker is asked to stop; what the handler has done so far stays done.'
      : 'It waits, and is cancelled at once. It will never run.';
    ask({
      title: html`Cancel run ${text(run.id, 80)}?`, effect, verb: 'Cancel run', isDangerous: true,
      act: async (form) => {
        await post(path`runs/${run.id}/cancel`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }

  /** The payload as it is stored, to be edited. */
  async edit(run) {
    const payload = indented(member(await getText(path`runs/${run.id}`), 'payload') ?? 'null');
    if (this.isConnected && this.runId() === run.id) {
      this.again(run, 'rerun', payload);
    }
  }

  /** @param {string} [before] the payload, where it is edited */
  again(run, action, before) {
    const isEdited = before !== undefined;
    ask({
      title: action === 'retry' ? html`Retry run ${text(run.id, 80)}?` : html`Run ${text(run.id, 80)} again?`,
      effect: action === 'retry'
        ? 'A new run with the same task and payload is made, which recovers this one.'
        : `A new run of the same task is made${isEdited ? ' with this payload' : ' with the same payload'}; this one stays as it is.`,
      verb: action === 'retry' ? 'Retry' : 'Run again',
      fields: isEdited ? html`<label>Payload
        <textarea name="payload" class="mono" rows="10" spellcheck="false" @input=${showDifference(before)} .value=${before}></textarea></label>
        <p class="hidden changed" aria-live="polite"></p><pre class="difference" tabindex="0" role="region" aria-label="What is changed">Nothing is changed.</pre>` : nothing,
      act: async (form) => {
        const { run: made } = await postText(`runs/${encodeURIComponent(run.id)}/${action}`, objectOf({
          reason: JSON.stringify(form.get('reason')),
          payload: isEdited ? checked(String(form.get('payload'))) : undefined, // what is no JSON is told in the dialog
        }));
        return `/runs/${encodeURIComponent(made.id)}`;
      },
    });
  }

  choose(sequence) {
    const shown = this.#shown;
    this.#isUnlisted = false;
    if (!openEvent(this, sequence)) {
      this.#shown = { ...shown, plumbing: true };
      this.draw();
      this.#isUnlisted = !openEvent(this, sequence);
      this.#shown = this.#isUnlisted ? shown : this.#shown;
    }
    this.draw();
    this.querySelector('.unlisted')?.scrollIntoView({ block: 'center' });
  }

  history({ data: events, folded }, { data: lines, isCut }, run) {
    const first = Date.parse(run.createdAt);
    const shown = this.#shown;
    const steps = new Map(events.filter((event) => event.type === 'run.step_requested').map((event) => [event.stepId, event]));
    const done = new Map(events.filter((event) => event.type === 'run.step_completed').map((event) => [event.stepId, event]));
    // a step of the run's owner is stored, asked for and done, when it has ended
    const isPlumbing = (event) => PLUMBING.includes(event.type)
      || (event.type === 'run.step_requested' && event.group === undefined && (event.dueAt === undefined || done.get(event.stepId)?.startedAt !== undefined) && done.has(event.stepId));
    const isShown = (event) => (event.type === 'run.lease_heartbeat' ? shown.heartbeats : shown.plumbing || !isPlumbing(event));
    const { moments, earlier } = momentsOf(events.filter(isShown), shown.lines ? lines : [], MOST_MOMENTS);
    const heartbeats = folded + events.filter((event) => event.type === 'run.lease_heartbeat').length;
    const toggle = (name, title, number) => (number === 0 ? nothing : html`<button class="chip" aria-pressed=${shown[name]} @click=${() => {
      this.#shown = { ...shown, [name]: !shown[name] };
      if (name === 'heartbeats') {
        this.#events = this.#eventsFromNow();
        this.reload();
      }
      this.draw();
    }}>${title} <span class="faint number">${number}</span></button>`);
    return html`<div class="chips" role="group" aria-label="What is listed">${toggle('lines', 'log lines', lines.length)} ${toggle('plumbing', 'requests, leases and wakeups', events.filter(isPlumbing).length)}
        ${toggle('heartbeats', 'heartbeats', heartbeats)}</div>
      ${unlistedNote(this.#isUnlisted)}
      ${earlier > 0 ? html`<p class="notice">The latest ${counted(MOST_MOMENTS, 'entry', 'entries')}; ${counted(earlier, 'earlier one')} not listed. The history as JSON has all events, but no log lines.</p>` : nothing}
      ${isCut ? html`<p class="notice">It has written more than the first ${counted(lines.length, 'log line')}, which are read here: the API has the rest at <code>${path`/api/v1/runs/${this.runId()}/log`}</code>.</p>` : nothing}
      <ol class="history">${repeat(moments, keyOf, ({ at, event, line }) => html`<li class=${event?.type === 'run.started' ? 'begins' : ''}>
        <span class="when number" title=${absolute(at)}>+${duration(Date.parse(at) - first)}</span>
        ${event ? eventDetails(event, steps.get(event.stepId), this.#written.get(event.sequence)) : logLine(line)}</li>`)}</ol>`;
  }
}

/** What a failure says beside its message stands in its own panel, on lines of its own. */
export const reasonText = (/** @type {any} */ { text: whole, details }, /** @type {any} */ run) => (run.failure?.meta !== undefined && details?.meta && whole.endsWith(` ${details.meta}`)
  ? whole.slice(0, -details.meta.length - 1) : whole);

const keyOf = ({ event, line }) => event?.sequence ?? `${line.attempt}.${line.number}`;

/** How an event looks in the list. */
const LOOKS = {
  'run.succeeded': 'good', 'run.failed': 'bad', 'run.retry_scheduled': 'bad', 'run.cancelled': 'bad', 'run.cancellation_requested': 'bad', 'run.started': 'run',
};

const eventDetails = (event, step, written) => html`<details id="event-${event.sequence}" class=${event.failure || event.outcome === 'failed' ? 'bad' : LOOKS[event.type] ?? ''}><summary><strong>${plain(event.type.replace(/^run\./, '').replaceAll('_', ' '))}</strong>
  ${text(gist(event, step), 200)}</summary><pre><bdi>${plain(written)}</bdi></pre></details>`;

const logLine = (line) => html`<div class="line ${plain(line.level)}"><span class="level">${plain(line.level)}</span> ${text(line.text, 4_000)}
  ${Object.keys(line.fields ?? {}).length > 0 ? html`<code><bdi>${plain(JSON.stringify(line.fields), 1_000)}</bdi></code>` : nothing}</div>`;

/** What an event says, in a few words. */
function gist(event, step) {
  const parts = [
    event.type === 'run.step_completed' && step && `${step.name}, ${duration(Date.parse(event.occurredAt) - Date.parse(event.startedAt ?? step.occurredAt))}`,
    event.type === 'run.step_completed' && event.tries > 1 && `${event.tries} tries`,
    event.attempt && event.type !== 'run.step_requested' && `attempt ${event.attempt}`,
    event.lease?.workerId && `by ${event.lease.workerId}`,
    event.name,
    event.reason,
    event.failure && `${event.failure.code}: ${event.failure.message}`,
    event.actor?.type === 'operator' && `by ${event.actor.id ?? 'an operator'}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** How an attempt ended, by the look of a run's status. */
const OUTCOMES = {
  succeeded: ['succeeded', '✓ succeeded'], failed: ['failed', '✕ failed'], retried: ['failed', '✕ failed, tried again'], released: ['released', '‖ released'],
  cancelled: ['cancelled', '⊘ cancelled'], lost: ['failed', '✕ lost: its worker is gone'], open: ['running', '▶ running'],
};
const UNKNOWN_OUTCOME = ['', 'further on in the history'];
const MOST_ATTEMPTS = 100;

function outcomeBadge(outcome) {
  const [look, said] = OUTCOMES[outcome] ?? UNKNOWN_OUTCOME;
  return html`<span class="badge ${look}">${said}</span>`;
}

/** Nothing where there is one attempt that says no more than the run does. */
function attemptsPanel(attempts, choose) {
  const shown = attempts.slice(-MOST_ATTEMPTS).reverse();
  return attempts.length < 2 ? nothing : html`<section class="panel"><h2>Attempts</h2>
    ${table('Attempts', [right('Attempt'), 'Outcome', 'Why', 'Worker', 'Started', right('Took'), 'Next due'], shown.map((attempt) => html`<tr><td class="number"><button @click=${() => choose(attempt.sequence)} title="Show it among the events">${attempt.number}</button></td>
      <td>${outcomeBadge(attempt.outcome)}</td>
      <td class="long">${attempt.failure ? html`<span class="bad-text">${text(attempt.failure.code, 60)}</span> ${text(attempt.failure.message, 500)}` : attempt.reason ? text(attempt.reason, 300) : nothing}</td>
      <td class="mono id">${text(attempt.worker, 60)}</td><td>${time(attempt.startedAt)}</td><td class="number">${attempt.endedAt === undefined ? '–' : duration(Date.parse(attempt.endedAt) - Date.parse(attempt.startedAt))}</td><td>${time(attempt.nextAt)}</td></tr>`))}
    ${attempts.length > MOST_ATTEMPTS ? html`<p class="notice">The latest ${MOST_ATTEMPTS} of ${counted(attempts.length, 'attempt')}.</p>` : nothing}</section>`;
}

/** What the runtime stores in the place of an exception that is not its own. */
const UNTOLD = 'Task failed.';

function failurePanel(failure, run) {
  return html`<section class="panel bad"><h2>Failure</h2><p><strong>${text(failure.code, 100)}</strong> ${text(failure.message, 4_000)}</p>
    ${failure.message === UNTOLD ? html`<p class="faint">What a handler throws is not stored, since it may hold what nobody should read: the process that made the attempt
      has it in its log, under <code>${plain(run.id, 80)}</code>. A <code>RunlaneException</code> is shown here with its message.</p>` : nothing}
    ${failure.meta === undefined ? nothing : html`<pre tabindex="0" role="region" aria-label="Details of the failure"><bdi>${stackText(failure.meta)}</bdi></pre>`}</section>`;
}

const stackText = (meta) => typeof meta?.stack === 'string' ? plain(meta.stack) : jsonText(meta);

const RELATIONS = {
  source: 'made it', reruns: 'made of it', trace: 'same trace', key: 'same concurrency key', idempotency: 'same idempotency key', singleton: 'same singleton key',
};

/** Runs that have to do with this one. */
function relatedPanel(run, related) {
  return related.data.length === 0 ? nothing : html`<section class="panel"><h2>Related runs</h2>
    ${table('Related runs', ['How', 'Run', 'Status', 'Task', 'Created'], related.data.map(({ relation, run: other }) => html`<tr><td>${RELATIONS[relation] ?? plain(relation)}</td><td>${runLink(other.id)}</td>
      <td>${badge(other.status)}</td><td>${taskLink(other.taskId)}</td><td>${time(other.createdAt)}</td></tr>`))}
    <p class="faint">Reruns and traces among ${counted(related.looked, 'run')} that were made about the same time or after it${related.isCut ? '; there may be others than these' : ''}.
      ${run.concurrencyKey ? html`<a href="/runs?concurrencyKey=${encodeURIComponent(run.concurrencyKey)}">All of its key</a>` : nothing}</p></section>`;
}

/** Where the trace of a run is, in the system that the console was told of. */
function traceLink(traceparent, session) {
  const trace = traceparent.split('-')[1] ?? '';
  const shown = html`<span class="mono">${text(trace || traceparent, 100)}</span>`;
  return session?.traceUrl && /^[0-9a-f]{32}$/.test(trace) ? html`<a href=${session.traceUrl.replaceAll('{traceId}', trace)} target="_blank" rel="noopener noreferrer">${shown}</a>` : shown;
}

function attemptsText({ attempts, failures, retries, releases }) {
  const kinds = [[failures, 'failed'], [retries, 'retried'], [releases, 'released']].filter(([number]) => Number(number) > 0).map(([number, what]) => `${number} ${what}`);
  return `${attempts}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`;
}

function facts(run, session) {
  const rows = [
    ['Created', time(run.createdAt)], ['Due', run.runAt && time(run.runAt)], ['Started', run.startedAt && time(run.startedAt)], ['Ended', run.finishedAt && time(run.finishedAt)],
    ['Worker', run.lease && text(run.lease.workerId, 100)], ['Lease ends', run.lease && time(run.lease.expiresAt)],
    ['Attempts', attemptsText(run.counters)],
    ['Source', run.source.sourceRunId ? html`${words(run.source.type)} of ${runLink(run.source.sourceRunId)}` : words(run.source.type)],
    ['Schedule', run.source.scheduleId && text(run.source.scheduleId, 100)],
    ['Concurrency key', run.concurrencyKey && html`<a href="/runs?concurrencyKey=${encodeURIComponent(run.concurrencyKey)}">${text(run.concurrencyKey, 100)}</a>`],
    ['Idempotency key', run.idempotencyKey && html`<a href="/runs?idempotencyKey=${encodeURIComponent(run.idempotencyKey)}">${text(run.idempotencyKey, 100)}</a>`],
    ['Singleton key', run.singletonKey && text(run.singletonKey, 100)],
    ['Trace', run.traceCarrier?.traceparent && traceLink(run.traceCarrier.traceparent, session)],
  ];
  return html`<section class="panel"><h2>Facts</h2><dl class="facts">${rows.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}

/** So long after the last letter a difference is shown: not at each. */
const TYPED_MILLIS = 250;
let typed = 0;

/** Line by line, what is gone and what is new; lines that stay stand around them. How many there are is told. */
const showDifference = (before) => ({ target: { form, value } }) => {
  clearTimeout(typed);
  typed = setTimeout(() => {
    const lines = difference(before, value);
    const changed = lines.filter(({ sign }) => sign !== ' ').length;
    form.querySelector('.changed').textContent = changed === 0 ? 'Nothing is changed.' : `${counted(changed, 'line')} changed.`;
    form.querySelector('.difference').replaceChildren(...(changed === 0 ? ['Nothing is changed.'] : lines.map(({ sign, line }) => {
      const shown = document.createElement('span');
      shown.className = { '-': 'gone', '+': 'new', ' ': 'same' }[sign];
      shown.textContent = `${sign} ${line}\n`;
      return shown;
    })));
  }, TYPED_MILLIS);
};

customElements.define('rl-run-page', RunPage);
