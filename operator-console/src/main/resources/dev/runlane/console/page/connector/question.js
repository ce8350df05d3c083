/** What a connector asks its owner: a form, how long there is time, and the answer. */
import { html, nothing, render } from '../lib/html.js';
import { path, postText } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { ask } from '../lib/dialog.js';
import { failed, keepFocus, text } from '../lib/elements.js';
import { duration, words } from '../lib/format.js';
import { objectOf } from '../lib/json-source.js';
import { fields, sourceOf } from '../lib/schema-form.js';
import { KINDS } from './parts.js';
import { answerSchema } from './story.js';

const SECOND_MILLIS = 1_000;

/**
 * One question. It stays as it is while its page renews itself around it, so that nothing is lost that was typed; what
 * was typed is in its fields alone, and they are emptied once it is sent.
 */
class Question extends HTMLElement {
  /** @type {string} */ runId = '';
  #question = /** @type {import('./story.js').Question | undefined} */ (undefined);
  #failure = /** @type {unknown} */ (undefined);
  #state = /** @type {'open' | 'sending' | 'sent'} */ ('open');
  #timer = 0;
  #place = document.createElement('div');

  connectedCallback() {
    this.#timer = setInterval(() => this.#tick(), SECOND_MILLIS);
    this.#draw();
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  /** @param {import('./story.js').Question} question */
  set question(question) {
    if (question.id !== this.#question?.id) {
      this.#place = document.createElement('div'); // nothing of an earlier question's fields stays
      this.replaceChildren(this.#place);
      this.#question = question;
      this.#failure = undefined;
      this.#state = 'open';
      this.#draw();
    }
  }

  #left() {
    return this.#question?.endsAt === undefined ? undefined : this.#question.endsAt - serverNow();
  }

  #tick() {
    const timer = this.querySelector('.timer');
    const left = this.#left();
    if (timer !== null && left !== undefined) {
      timer.textContent = left > 0 ? duration(Math.ceil(left / SECOND_MILLIS) * SECOND_MILLIS) : 'no time any more';
    }
  }

  #draw() {
    const question = this.#question;
    if (question === undefined || !this.isConnected) {
      return;
    }
    const schema = answerSchema(question);
    const hasFields = schema !== undefined;
    const left = this.#left();
    render(html`<section class="panel asks" aria-labelledby="rl-asks"><h2 id="rl-asks">It asks you <span class="badge queued">${KINDS[question.kind] ?? words(question.kind)}</span>
        ${question.stream === undefined ? nothing : html`<span class="faint">for stream ${text(question.stream, 80)}</span>`}</h2>
      <p class="message">${text(question.message, 2_000)}</p>
      ${left === undefined ? html`<p class="faint">It waits as long as the run may last.</p>` : html`<p>Time left: <strong class="timer number" role="timer"></strong></p>`}
      ${question.isSchemaOmitted ? html`<p class="notice">What it wants filled in is not kept, since it is too large or holds what must not be shown. Answer as JSON.</p>` : nothing}
      ${this.#state === 'sent' ? html`<p role="status">Your answer was handed to the connector.</p>` : html`<form class="stack" autocomplete="off" @submit=${(submit) => this.#answer(submit)}>
        ${hasFields ? html`<div class="fields">${fields(schema, 'answer')}</div>` : question.isSchemaOmitted
          ? html`<label>Answer, as JSON<textarea name="answer" class="mono" rows="4" spellcheck="false"></textarea></label>` : nothing}
        ${hasFields ? html`<p class="faint">It goes to the connector alone: it is not stored, and not shown again.</p>` : nothing}
        ${this.#failure === undefined ? nothing : failed(this.#failure)}
        <p class="buttons start"><button class="primary" ?disabled=${this.#state === 'sending'}>${hasFields || question.isSchemaOmitted ? 'Answer' : 'I have done it'}</button>
          <button type="button" class="danger" ?disabled=${this.#state === 'sending'} @click=${() => this.#refuse(question)}>Refuse …</button></p></form>`}</section>`, this.#place);
    this.#tick();
  }

  #answer(submit) {
    submit.preventDefault();
    const question = /** @type {import('./story.js').Question} */ (this.#question);
    try {
      const form = new FormData(submit.target);
      const schema = answerSchema(question);
      this.#send('success', schema === undefined && !question.isSchemaOmitted ? undefined : sourceOf(form, schema, 'answer'));
    } catch (failure) {
      this.#failure = failure;
      this.#draw();
    }
  }

  /** Of the question that was seen: another one may be asked meanwhile. */
  #refuse(question) {
    ask({
      title: 'Refuse to answer?', effect: 'The connector is told so. Mostly it cannot go on, and its run fails.', verb: 'Refuse', isDangerous: true, wantsReason: false,
      act: async () => {
        if (question === this.#question) {
          await this.#send('cancelled', undefined);
        }
      },
    });
  }

  /** The values live in the fields and in this call; after it the fields are empty, however it went. */
  async #send(status, data) {
    const question = /** @type {import('./story.js').Question} */ (this.#question);
    const isWithin = this.contains(document.activeElement);
    this.#state = 'sending';
    this.#failure = undefined;
    this.#draw();
    try {
      await postText(path`/_ref/runs/${this.runId}/interaction`, objectOf({ interaction_id: JSON.stringify(question.id), status: JSON.stringify(status), data }));
      this.#state = 'sent';
    } catch (failure) {
      this.#failure = failure;
      this.#state = 'open';
    }
    this.querySelector('form')?.reset();
    if (question === this.#question) {
      this.#draw();
    }
    if (isWithin) {
      keepFocus();
    }
    this.dispatchEvent(new CustomEvent('rl-answered'));
  }
}

customElements.define('rl-question', Question);
