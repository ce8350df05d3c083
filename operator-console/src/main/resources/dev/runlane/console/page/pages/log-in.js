/** Asks for a token; it stays in this tab. */
import { html, render } from '../lib/html.js';
import { forgetToken, get, keepToken } from '../lib/api.js';
import { failed } from '../lib/elements.js';

class LogIn extends HTMLElement {
  connectedCallback() {
    document.title = 'Log in · Runlane';
    this.draw(undefined);
    this.querySelector('input')?.focus();
  }

  draw(failure) {
    render(html`<main class="log-in"><h1><span class="mark" aria-hidden="true">≡</span> Runlane</h1>
      <form @submit=${(submit) => this.#logIn(submit)}><label>Access token
        <input type="password" name="token" required maxlength="900" autocomplete="off"></label>
        <p class="faint">It is kept in this tab alone, until you close it or log out.</p>
        ${failure === undefined ? '' : failed(failure)}
        <button class="primary">Log in</button></form></main>`, this);
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
