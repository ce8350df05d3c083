/** One run: why it is where it is, its history to scale, and what can be done with it. */
import { html, nothing } from '../lib/html.js';
import { all, download, get, path, post } from '../lib/api.js';
import { ask } from '../lib/dialog.js';
import { badge, isEnded, json, queueLink, runLink, taskLink, text, time } from '../lib/elements.js';
import { counted, duration, jsonText, plain } from '../lib/format.js';
import { go } from '../lib/location.js';
import { timeline } from '../timeline/timeline.js';
import { Page } from './page.js';

/** So many pages of 200 events are read; a longer history is for the file. */
const MOST_PAGES = 10;

class RunPage extends Page {
  heading() {
    return html`<span class="faint">Run</span> <bdi class="mono">${plain(this.runId(), 120)}</bdi>`;
  }

  runId() {
    return this.place.parts[1];
  }

  staysLive() {
    return this.data === undefined || !isEnded(this.data.run.status);
  }

  async load(signal) {
    const id = this.runId();
    const [explanation, events, lines] = await Promise.all([
      get(path`runs/${id}/explanation`, {}, signal),
      all(path`runs/${id}/events`, MOST_PAGES, signal),
      all(path`runs/${id}/log`, MOST_PAGES, signal),
    ]);
    return { run: explanation.run, explanation, events, lines };
  }

  view({ run, explanation, events, lines }) {
    return html`<p class="summary">${badge(run.status)} ${taskLink(run.taskId)} <span class="faint">in</span> ${queueLink(run.queue)}</p>
      <div class="notice ${run.status === 'failed' ? 'bad' : ''}">${explanation.reasons.map((reason) => html`<p>${text(reason.text, 2_000)}</p>`)}</div>
      ${this.buttons(run)}
      <section class="panel"><h2>Timeline</h2>${this.zoom()}
        ${timeline(events.data, Date.now(), this.part(), (sequence) => this.choose(sequence))}
        ${events.isCut ? html`<p class="notice">The history is longer than what is shown: the file has it all.</p>` : nothing}</section>
      ${run.failure ? failurePanel(run.failure) : nothing}
      <div class="columns">${json('Payload', run.payload)}
        ${run.status === 'succeeded' ? json('Output', run.output ?? null) : nothing}
        ${facts(run)}</div>
      <section class="panel"><h2>Events and log lines</h2>${this.history(events.data, lines.data)}</section>`;
  }

  buttons(run) {
    const mayAct = this.session?.role !== 'viewer';
    const ended = isEnded(run.status);
    return html`<p class="buttons start">
      ${mayAct && !ended && run.status !== 'cancellation_requested' ? html`<button class="danger" @click=${() => this.cancel(run)}>Cancel run …</button>` : nothing}
      ${mayAct && run.status === 'failed' ? html`<button class="primary" @click=${() => this.again(run, 'retry', false)}>Retry …</button>` : nothing}
      ${mayAct && ended ? html`<button @click=${() => this.again(run, 'rerun', false)}>Run again …</button>
        <button @click=${() => this.again(run, 'rerun', true)}>Run again with another payload …</button>` : nothing}
      <button class="quiet" @click=${() => download(path`runs/${run.id}/history`, `${run.id}.json`)}>History as JSON</button></p>`;
  }

  cancel(run) {
    const effect = run.status === 'running'
      ? 'Its worker is asked to stop; what the handler has done so far stays done.'
      : 'It waits, and is cancelled at once. It will never run.';
    ask({
      title: 'Cancel this run?', effect, verb: 'Cancel run', isDangerous: true,
      act: async (form) => {
        await post(path`runs/${run.id}/cancel`, { reason: form.get('reason') });
        this.reload();
      },
    });
  }

  again(run, action, isEdited) {
    const before = jsonText(run.payload);
    ask({
      title: action === 'retry' ? 'Retry this run?' : 'Run this again?',
      effect: action === 'retry'
        ? 'A new run with the same task and payload is made, which recovers this one.'
        : `A new run of the same task is made${isEdited ? ' with this payload' : ' with the same payload'}; this one stays as it is.`,
      verb: action === 'retry' ? 'Retry' : 'Run again',
      fields: isEdited ? html`<label>Payload
        <textarea name="payload" class="mono" rows="10" spellcheck="false" @input=${showDifference(before)} .value=${before}></textarea></label>
        <pre class="difference" aria-label="What is changed" aria-live="polite">Nothing is changed.</pre>` : nothing,
      act: async (form) => {
        const body = { reason: form.get('reason') };
        if (isEdited) {
          body.payload = JSON.parse(String(form.get('payload')));
        }
        const { run: made } = await post(`runs/${encodeURIComponent(run.id)}/${action}`, body);
        go(`/runs/${encodeURIComponent(made.id)}`);
      },
    });
  }

  /** The part of the timeline that is shown, as the address has it. */
  part() {
    const [from, to] = (this.place.query.get('zoom') ?? '').split('-').map(Number);
    return from >= 0 && to <= 1 && to > from ? { from, to } : { from: 0, to: 1 };
  }

  zoom() {
    const { from, to } = this.part();
    const size = to - from;
    const at = (begin, length) => {
      const start = Math.min(Math.max(begin, 0), 1 - Math.min(length, 1));
      go(length >= 1 ? location.pathname : `${location.pathname}?zoom=${start.toFixed(5)}-${(start + length).toFixed(5)}`, { replace: true });
      this.draw();
    };
    return html`<p class="zoom" role="group" aria-label="Part of the timeline">
      <button class="quiet" aria-label="Zoom in" @click=${() => at(from + size / 4, size / 2)}>+</button>
      <button class="quiet" aria-label="Zoom out" ?disabled=${size === 1} @click=${() => at(from - size / 2, size * 2)}>−</button>
      <button class="quiet" aria-label="Earlier" ?disabled=${from === 0} @click=${() => at(from - size / 2, size)}>←</button>
      <button class="quiet" aria-label="Later" ?disabled=${to === 1} @click=${() => at(from + size / 2, size)}>→</button>
      <button class="quiet" ?disabled=${size === 1} @click=${() => at(0, 1)}>All</button></p>`;
  }

  choose(sequence) {
    const details = /** @type {HTMLDetailsElement | null} */ (this.querySelector(`#event-${sequence}`));
    if (details) {
      details.open = true;
      details.scrollIntoView({ block: 'center' });
      details.querySelector('summary')?.focus({ preventScroll: true });
    }
  }

  history(events, lines) {
    const first = events.length > 0 ? Date.parse(events[0].occurredAt) : 0;
    const moments = [
      ...events.filter((event) => event.type !== 'run.lease_heartbeat').map((event) => ({ at: event.occurredAt, event })),
      ...lines.map((line) => ({ at: line.at, line })),
    ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    const beats = events.filter((event) => event.type === 'run.lease_heartbeat').length;
    return html`<ol class="history">${moments.map(({ at, event, line }) => html`<li>
        <span class="when number" title=${at}>+${duration(Date.parse(at) - first)}</span>
        ${event ? eventDetails(event) : logLine(line)}</li>`)}</ol>
      ${beats > 0 ? html`<p class="faint">${counted(beats, 'heartbeat')} folded.</p>` : nothing}`;
  }
}

const eventDetails = (event) => html`<details id="event-${event.sequence}"><summary><strong>${plain(event.type.replace(/^run\./, '').replaceAll('_', ' '))}</strong>
  ${text(gist(event), 200)}</summary><pre><bdi>${jsonText(event)}</bdi></pre></details>`;

const logLine = (line) => html`<div class="line ${plain(line.level)}"><span class="level">${plain(line.level)}</span> ${text(line.text, 4_000)}
  ${Object.keys(line.fields ?? {}).length > 0 ? html`<code><bdi>${plain(JSON.stringify(line.fields), 1_000)}</bdi></code>` : nothing}</div>`;

/** What an event says, in a few words. */
function gist(event) {
  const words = [
    event.attempt && `attempt ${event.attempt}`,
    event.lease?.workerId && `by ${event.lease.workerId}`,
    event.name,
    event.reason,
    event.failure && `${event.failure.code}: ${event.failure.message}`,
    event.actor?.type === 'operator' && `by ${event.actor.id ?? 'an operator'}`,
  ];
  return words.filter(Boolean).join(' · ');
}

function failurePanel(failure) {
  return html`<section class="panel bad"><h2>Failure</h2><p><strong>${text(failure.code, 100)}</strong> ${text(failure.message, 4_000)}</p>
    ${failure.meta === undefined ? nothing : html`<pre tabindex="0" role="region" aria-label="Details of the failure"><bdi>${stackText(failure.meta)}</bdi></pre>`}</section>`;
}

const stackText = (meta) => typeof meta?.stack === 'string' ? plain(meta.stack) : jsonText(meta);

function facts(run) {
  const rows = [
    ['Created', time(run.createdAt)], ['Due', run.runAt && time(run.runAt)], ['Started', time(run.startedAt)], ['Ended', time(run.finishedAt)],
    ['Worker', run.lease && text(run.lease.workerId, 100)], ['Lease ends', run.lease && time(run.lease.expiresAt)],
    ['Attempts', `${run.counters.attempts} (${run.counters.failures} failed, ${run.counters.retries} retried, ${run.counters.releases} released)`],
    ['Source', run.source.sourceRunId ? html`${plain(run.source.type)} of ${runLink(run.source.sourceRunId)}` : plain(run.source.type)],
    ['Schedule', run.source.scheduleId && text(run.source.scheduleId, 100)],
    ['Concurrency key', run.concurrencyKey && html`<a href="/runs?concurrencyKey=${encodeURIComponent(run.concurrencyKey)}">${text(run.concurrencyKey, 100)}</a>`],
    ['Idempotency key', run.idempotencyKey && html`<a href="/runs?idempotencyKey=${encodeURIComponent(run.idempotencyKey)}">${text(run.idempotencyKey, 100)}</a>`],
    ['Singleton key', run.singletonKey && text(run.singletonKey, 100)],
    ['Trace', run.traceCarrier?.traceparent && html`<span class="mono">${text(run.traceCarrier.traceparent, 100)}</span>`],
  ];
  return html`<section class="panel"><h2>Facts</h2><dl class="facts">${rows.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}

/** Line by line, what is gone and what is new. */
const showDifference = (before) => (input) => {
  const old = before.split('\n');
  const now = input.target.value.split('\n');
  const lines = [...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`), ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`)];
  input.target.form.querySelector('.difference').textContent = lines.join('\n') || 'Nothing is changed.';
};

customElements.define('rl-run-page', RunPage);
