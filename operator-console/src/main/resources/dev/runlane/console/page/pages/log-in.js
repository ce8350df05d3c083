/** Asks for a token, which stays in this tab, or leads to the provider that knows people. */
import { html, nothing, render } from '../lib/html.js';
import { forgetToken, get, keepToken } from '../lib/api.js';
import { failed } from '../lib/elements.js';

const RETURN = 'runlane.return';

/** Where the browser was before it went to the provider; told once. */
export function returnAddress() {
  const address = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  return address;
}

class LogIn extends HTMLElement {
  /** @type {string[]} */ ways = ['token'];

  connectedCallback() {
    document.title = 'Log in · Runlane';
    this.draw(undefined);
    /** @type {HTMLElement | null} */ (this.querySelector('input, a'))?.focus();
  }

  draw(failure) {
    render(html`<main class="log-in"><h1><span class="mark" aria-hidden="true">≡</span> Runlane</h1>
      ${this.ways.includes('oidc') ? html`<p><a class="button primary" href="/auth/log-in" @click=${() => sessionStorage.setItem(RETURN, location.pathname + location.search)}>Log in with your organisation</a></p>` : nothing}
      ${this.ways.includes('oidc') && this.ways.includes('token') ? html`<p class="faint">or</p>` : nothing}
      ${this.ways.includes('token') ? html`<form @submit=${(submit) => this.#logIn(submit)}><label>Access token
        <input type="password" name="token" required maxlength="900" autocomplete="off"></label>
        <p class="faint">It is kept in this tab alone, until you close it or log out.</p>
        ${failure === undefined ? '' : failed(failure)}
        <button class="primary">Log in</button></form>` : nothing}</main>`, this);
  }

  async #logIn(submit) {
    submit.preventDefault();
    keepToken(String(new FormData(submit.target).get('token')).trim());
    try {
      await get('session');
      this.dispatchEvent(new CustomEvent('rl-logged-in'));
    } catch (failure) {
      forgetToken();
      this.draw(failure);
    }
  }
}

customElements.define('rl-log-in', LogIn);
