/** Asks before anything is changed: what will happen, and why it is wanted. */
import { html, nothing, render } from './html.js';
import { failed, keepFocus } from './elements.js';
import { go } from './location.js';

/**
 * @typedef {object} Question
 * @property {unknown} title names what is acted on
 * @property {unknown} effect what will happen, in words
 * @property {string} verb the text of the button
 * @property {boolean} [isDangerous]
 * @property {unknown} [fields] more fields of the form
 * @property {boolean} [wantsReason] true unless given
 * @property {(form: FormData) => Promise<string | void>} act answers the address that is shown then, unless somebody has moved on; fails with what the dialog shows
 */

/**
 * Asks, unless something is asked already: a second click is none for another dialog.
 * @param {Question} question
 */
export function ask(question) {
  if (document.querySelector('dialog[open]') !== null) {
    return;
  }
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'rl-question');
  document.body.append(dialog);
  holdOpen(dialog, () => dialog.querySelector('form[aria-busy=true]') !== null); // how it goes is told here
  dialog.addEventListener('close', () => {
    dialog.remove();
    keepFocus(); // the button that opened it may be gone
  });
  show(dialog, question, { isBusy: false, failure: undefined });
  dialog.showModal();
  /** @type {HTMLElement | null} */ (dialog.querySelector('[autofocus]'))?.focus();
}

/**
 * Has the Escape key close a dialog only where it may.
 * @param {HTMLDialogElement} dialog
 * @param {() => boolean} isHeld
 */
export function holdOpen(dialog, isHeld) {
  const stay = (/** @type {Event} */ event) => isHeld() && event.preventDefault();
  const pressed = (/** @type {KeyboardEvent} */ key) => key.key === 'Escape' && stay(key);
  dialog.addEventListener('cancel', stay);
  document.addEventListener('keydown', pressed); // a second Escape would close it without asking
  dialog.addEventListener('close', () => document.removeEventListener('keydown', pressed));
}

/** Of what is not seen any more nothing is asked, but who is there. */
export function closeDialogs() {
  document.querySelectorAll('dialog[open]:not(.again)').forEach((dialog) => /** @type {HTMLDialogElement} */ (dialog).close());
}

function show(dialog, question, { isBusy, failure }) {
  render(html`<form aria-busy=${isBusy} @submit=${(submit) => carryOut(submit, dialog, question)}>
    <h2 id="rl-question">${question.title}</h2>
    <p>${question.effect}</p>
    ${question.fields ?? nothing}
    ${question.wantsReason === false ? nothing : html`<label>Reason, kept with the action
      <textarea name="reason" required maxlength="2000" rows="2" autofocus></textarea></label>`}
    ${failure === undefined ? nothing : failed(failure)}
    <p class="buttons"><button type="button" class="quiet" ?disabled=${isBusy} @click=${() => dialog.close()}>Cancel</button>
      <button class=${question.isDangerous ? 'danger' : 'primary'} ?disabled=${isBusy}>${isBusy ? 'Working …' : question.verb}</button></p>
  </form>`, dialog);
}

async function carryOut(submit, dialog, question) {
  submit.preventDefault();
  if (submit.target.getAttribute('aria-busy') === 'true') {
    return; // by the enter key
  }
  const form = new FormData(submit.target);
  show(dialog, question, { isBusy: true, failure: undefined });
  try {
    const address = await question.act(form);
    const isLeft = !dialog.open;
    dialog.close();
    if (typeof address === 'string' && !isLeft) {
      go(address);
    }
  } catch (failure) {
    show(dialog, question, { isBusy: false, failure });
  }
}
