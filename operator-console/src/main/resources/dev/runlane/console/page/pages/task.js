/** One task: how it goes, its schedules, and a form that triggers a run. */
import { html, nothing } from '../lib/html.js';
import { ApiError, all, get, MANY, path, postText } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { failed, json, queueLink, text, time } from '../lib/elements.js';
import { plain } from '../lib/format.js';
import { checked, indented, objectOf } from '../lib/json-source.js';
import { go } from '../lib/location.js';
import { mergedSchedules } from '../lib/schedules.js';
import { fields, kindOf, saysAllOf, sourceOf } from '../lib/schema-form.js';
import { tagsOf } from '../lib/tags.js';
import { rangeOf, readSeries } from '../chart/range.js';
import { cutNote, rangeChoice, throughputCharts } from '../chart/throughput.js';
import { Page } from './page.js';
import { schedulePanel } from './schedules.js';

/** Keys by which runs are told apart, which a form may give. */
const KEYS = { idempotencyKey: 'Idempotency key', singletonKey: 'Singleton key', concurrencyKey: 'Concurrency key' };
const OPTIONS = ['idempotencyKey', 'idempotencyTtl', 'singletonKey', 'concurrencyKey', 'delay', 'reason'];

class TaskPage extends Page {
  #refused = /** @type {unknown} */ (undefined);
  #isBusy = false;
  /** What was sent, and the id of its run: the same form sent again makes no second run. */
  #sent = { source: '', runId: '' };
  #isJson = false;
  /** What the form began with, as JSON and as a value: what was filled into the other one. */
  #source = '{}';
  #value = /** @type {any} */ (undefined);
  #isWithoutTags = false;

  heading() {
    return html`<span class="faint">Task</span> <bdi>${plain(this.place.parts[1], 120)}</bdi>`;
  }

  isBusy() {
    return super.isBusy() || this.querySelector('form :focus') !== null;
  }

  async load(signal) {
    const id = this.place.parts[1];
    const [task, schedules, series] = await Promise.all([
      get(path`tasks/${id}`, {}, signal), all('schedules', MANY, signal), readSeries(rangeOf(this.place), { by: 'queue', task: id }, signal)]);
    return { task, schedules: mergedSchedules(schedules.data.filter((each) => each.taskId === id), [task]), series };
  }

  view({ task, schedules, series }) {
    return html`<p class="summary"><span class="faint">in</span> ${task.queue ? queueLink(task.queue) : html`<span class="faint">the default queue</span>`}
        <span class="faint">· payload</span> <span class="mono">${text(task.payloadType, 120)}</span>${task.attemptTimeout ? html` <span class="faint">· an attempt at most ${task.attemptTimeout}</span>` : nothing}
        ${task.isLocal ? (task.hasHandler ? nothing : html`<span class="badge">worked on elsewhere</span>`) : html`<span><span class="faint">· known from</span> <span class="mono">${text(task.publishedBy ?? '', 60)}</span>, ${time(task.publishedAt)}</span>`}</p>
      <p class="buttons start"><a class="button quiet" href="/runs?task=${encodeURIComponent(task.id)}">Its runs</a>
        <a class="button quiet" href="/runs?task=${encodeURIComponent(task.id)}&status=failed">Failed runs</a>
        <a class="button quiet" href="/failures?task=${encodeURIComponent(task.id)}">How it fails</a></p>
      <div class="bar-head"><h2>How it went</h2>${rangeChoice(this.place)}</div>
      <div class="charts three">${throughputCharts(series, this.place)}</div>${cutNote(series)}
      ${this.session?.role === 'viewer' ? nothing : this.form(task)}
      ${schedules.map((schedule) => schedulePanel(schedule, this.session, () => this.reload(), false))}
      ${task.payloadSchema === undefined ? nothing : json('JSON Schema of the payload', JSON.stringify(task.payloadSchema, null, 2))}`;
  }

  form(task) {
    const hasFields = kindOf(task.payloadSchema) === 'object' && Object.keys(task.payloadSchema.properties).length > 0;
    const isJson = this.#isJson || !hasFields;
    const needed = task.isLocal ? [] : task.keys; // by what it said, since its code is not here
    const tags = task.isLocal ? [] : task.tags ?? []; // a server of a release before tells of none
    return html`<section class="panel"><h2>Trigger a run</h2><form class="stack" @submit=${(submit) => this.trigger(submit, task, isJson)}>
      ${isJson ? html`<label><span>Payload, as JSON <span class="faint">${text(task.payloadType ?? '', 120)}</span></span>
          <textarea name="payload" class="mono" rows="8" spellcheck="false" .value=${this.#source}></textarea></label>`
        : html`<div class="fields">${fields(task.payloadSchema, 'payload', this.#value)}</div>`}
      <details ?open=${needed.length + tags.length > 0}><summary>Keys, tags, delay and reason</summary>
        ${needed.length > 0 ? html`<p class="faint">The task’s code is in another process and makes ${needed.map((name) => KEYS[name].toLowerCase()).join(' and ')} of a payload: say what it would make.</p>` : nothing}
        <div class="filters">${Object.entries(KEYS).map(([name, title]) => html`<label>${title}<input name=${name} maxlength="512" ?required=${needed.includes(name)}></label>`)}
          <label>Keep the idempotency key<input name="idempotencyTtl" placeholder="${`${task.idempotencyTtl ?? '30d'}, as the task says`}" title="A time such as 12h, or active: until the run has ended" maxlength="40"></label>
          <label>Delay<input name="delay" placeholder="at once, or 30s" maxlength="40"></label><label>Reason<input name="reason" maxlength="2000"></label></div>
        ${tags.length > 0 ? html`<p class="faint">It makes tags too, by which people find its runs and webhooks choose them.</p>
          <div class="filters">${tags.map((name) => html`<label><span>Tag ${text(name, 64)}</span><input name=${`tag/${name}`} maxlength="256" ?required=${!this.#isWithoutTags}></label>`)}
            <label class="check"><input type="checkbox" name="withoutTags" @change=${(change) => { this.#isWithoutTags = change.target.checked; this.draw(); }}> Without those that are empty</label></div>` : nothing}
        <label>${tags.length > 0 ? 'Other tags' : 'Tags'}, one a line<textarea name="tags" rows="2" spellcheck="false" placeholder="customer:acme"></textarea></label></details>
      ${this.#refused === undefined ? nothing : failed(this.#refused)}
      <p class="buttons start"><button class="primary" ?disabled=${this.#isBusy}>Trigger</button>
        ${hasFields ? html`<button type="button" class="quiet" @click=${(click) => this.turn(click.target.form, task.payloadSchema)}>${isJson ? 'With fields' : 'As JSON'}</button>` : nothing}</p></form></section>`;
  }

  /** From fields to JSON and back: what was filled in goes with it, or all stays as it is. */
  turn(form, schema) {
    this.#refused = undefined;
    try {
      if (this.#isJson) {
        this.fill(form, schema, checked(String(form.elements.payload.value)));
      } else {
        this.#source = indented(sourceOf(new FormData(form), schema, 'payload') ?? '{}');
        this.#isJson = true;
      }
    } catch (failure) {
      this.#refused = failure;
    }
    this.draw();
  }

  fill(form, schema, source) {
    this.#value = JSON.parse(source);
    this.#isJson = false;
    this.draw();
    if (!saysAllOf(sourceOf(new FormData(form), schema, 'payload'), source)) {
      this.#source = source;
      this.#isJson = true;
      throw new Error('It has what the fields cannot show, so it stays as JSON.');
    }
  }

  /** Those of the lines, and before them those that the task's code would make. */
  tagsGiven(form, task) {
    const made = (task.tags ?? []).map((name) => [name, String(form.get(`tag/${name}`) ?? '').trim()]).filter(([, value]) => value !== '');
    return { ...tagsOf(String(form.get('tags'))), ...Object.fromEntries(made) };
  }

  async trigger(submit, task, isJson) {
    submit.preventDefault();
    if (this.#isBusy) {
      return;
    }
    const form = new FormData(submit.target);
    this.#isBusy = true;
    this.draw();
    try {
      const body = /** @type {Record<string, string | undefined>} */ ({ payload: isJson ? checked(String(form.get('payload'))) : sourceOf(form, task.payloadSchema, 'payload') });
      OPTIONS.filter((name) => form.get(name) !== '').forEach((name) => { body[name] = JSON.stringify(form.get(name)); });
      const tags = this.tagsGiven(form, task);
      body.tags = Object.keys(tags).length > 0 ? JSON.stringify(tags) : undefined;
      body.withoutTags = form.has('withoutTags') ? 'true' : undefined;
      const source = objectOf(body);
      if (source !== this.#sent.source) {
        this.#sent = { source, runId: newRunId() };
      }
      const { runId } = this.#sent;
      const id = await postText(path`tasks/${task.id}/trigger`, objectOf({ ...body, runId: JSON.stringify(runId) })).then(({ run }) => run.id, idIfMade(runId));
      if (this.isConnected) {
        go(`/runs/${encodeURIComponent(id)}`);
      }
    } catch (failure) {
      this.#refused = failure;
      this.#isBusy = false;
      this.draw();
      this.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
    }
  }
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id as the runtime makes them: ten digits of the time, and 80 bits that nobody guesses. */
function newRunId() {
  const time = Array.from(serverNow().toString(32).padStart(10, '0'), (digit) => DIGITS[parseInt(digit, 32)]);
  const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => DIGITS[byte % 32]);
  return `run_${[...time, ...random].join('')}`;
}

/** An answer that was lost had made the run: sent again, it is told that there is one. */
const idIfMade = (/** @type {string} */ runId) => (/** @type {unknown} */ failure) => {
  if (failure instanceof ApiError && failure.conflictKind === 'event_sequence') {
    return runId;
  }
  throw failure;
};

customElements.define('rl-task-page', TaskPage);
