/** Asks for a token, which stays in this tab, or leads to the provider that knows people. */
import { html, nothing, render } from '../lib/html.js';
import { forgetToken, get, keepToken } from '../lib/api.js';
import { holdOpen } from '../lib/dialog.js';
import { failed } from '../lib/elements.js';

const RETURN = 'runlane.return';

/** Where the browser was before it went to the provider; told once. */
export function returnAddress() {
  const address = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  return address;
}

/**
 * Asks whose log-in has ended for another one, in front of what they were at: it stays as it is, with all that was
 * written, and is not seen until then.
 * @param {string[]} ways
 * @param {(session: any) => void} cameBack
 */
export function logInAgain(ways, cameBack) {
  const dialog = document.createElement('dialog');
  dialog.className = 'again';
  dialog.setAttribute('aria-labelledby', 'rl-again');
  holdOpen(dialog, () => true);
  render(html`<rl-log-in .ways=${ways} .isAgain=${true} @rl-logged-in=${(/** @type {CustomEvent} */ event) => {
    dialog.close(); // what had the focus has it again
    dialog.remove();
    if (document.activeElement === document.body) { // the button of a question, which is off while it is carried out
      /** @type {HTMLElement | null} */ (document.querySelector('dialog[open] :is(textarea, input)'))?.focus();
    }
    cameBack(event.detail);
  }}></rl-log-in>`, dialog);
  document.body.append(dialog);
  dialog.showModal();
  /** @type {HTMLElement | null} */ (dialog.querySelector('input, a'))?.focus();
}

class LogIn extends HTMLElement {
  /** @type {string[]} */ ways = ['token'];
  isAgain = false;
  #isOver = false;
  /** A log-in in another tab is one of this tab too. */
  #look = () => this.#greet().catch(() => undefined);

  connectedCallback() {
    if (!this.isAgain) {
      document.title = 'Log in · Runlane';
    } else if (!this.ways.includes('token') || this.ways.length > 1) {
      window.addEventListener('focus', this.#look);
    }
    this.draw(undefined);
    /** @type {HTMLElement | null} */ (this.querySelector('input, a'))?.focus();
  }

  disconnectedCallback() {
    window.removeEventListener('focus', this.#look);
  }

  draw(failure) {
    if (this.isAgain) {
      render(html`<div class="log-in"><h1 id="rl-again">Your log-in has ended</h1>
        <p>Log in again. What you were at stays as it is, with what you have written.</p>${this.#waysIn(failure)}</div>`, this);
    } else {
      render(html`<main class="log-in"><h1><span class="mark" aria-hidden="true">≡</span> Runlane</h1>${this.#waysIn(failure)}</main>`, this);
    }
  }

  #waysIn(failure) {
    const isElsewhere = this.ways.length === 0; // by what is in front of the console
    return html`${!isElsewhere && !this.ways.includes('oidc') ? nothing : this.isAgain
        ? html`<p><a class="button primary" href=${isElsewhere ? '/' : '/auth/log-in'} target="_blank" rel="noopener">${isElsewhere ? 'Log in' : 'Log in with your organisation'}</a></p><p class="faint">That opens another tab. Come back to this one then.</p>`
        : isElsewhere ? html`<p>Load this page again to log in.</p>` : html`<p><a class="button primary" href="/auth/log-in" @click=${() => sessionStorage.setItem(RETURN, location.pathname + location.search)}>Log in with your organisation</a></p>`}
      ${this.ways.includes('oidc') && this.ways.includes('token') ? html`<p class="faint">or</p>` : nothing}
      ${this.ways.includes('token') ? html`<form @submit=${(submit) => this.#logIn(submit)}><label>Access token
        <input type="password" name="token" required maxlength="900" autocomplete="off"></label>
        <p class="faint">It is kept in this tab alone, until you close it or log out.</p>
        ${failure === undefined ? '' : failed(failure)}
        <button class="primary">Log in</button></form>` : nothing}`;
  }

  async #logIn(submit) {
    submit.preventDefault();
    keepToken(String(new FormData(submit.target).get('token')).trim());
    try {
      await this.#greet();
    } catch (failure) {
      forgetToken();
      this.draw(failure);
    }
  }

  async #greet() {
    const session = await get('session');
    if (!this.#isOver) {
      this.#isOver = true;
      this.dispatchEvent(new CustomEvent('rl-logged-in', { detail: session }));
    }
  }
}

customElements.define('rl-log-in', LogIn);
