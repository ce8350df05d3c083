/** The shell: navigation, search, keys, and the page that belongs to the address. */
import { html, nothing, render } from './lib/html.js';
import { get, forgetToken, hasToken, path } from './lib/api.js';
import { followLinks, go, here } from './lib/location.js';
import { text } from './lib/elements.js';
import { live } from './pages/page.js';
import './pages/log-in.js';
import './pages/overview.js';
import './pages/runs.js';
import './pages/run.js';
import './pages/tasks.js';
import './pages/task.js';
import './pages/queues.js';
import './pages/workers.js';
import './pages/outbox.js';
import './pages/actions.js';
import './pages/bulk.js';

/** Address, name, and the key that follows `g`. */
const VIEWS = [
  ['/', 'Overview', 'o'], ['/runs', 'Runs', 'r'], ['/tasks', 'Tasks', 't'], ['/queues', 'Queues', 'q'],
  ['/workers', 'Workers', 'w'], ['/outbox', 'Outbox', 'x'], ['/bulk', 'Bulk actions', 'b'], ['/actions', 'Action log', 'a'],
];

const SECOND_KEY_MILLIS = 1_500;

class Console extends HTMLElement {
  #session = undefined;
  #wantsLogIn = false;
  #isMenuOpen = false;
  #firstKeyAt = 0;

  connectedCallback() {
    this.replaceChildren();
    followLinks();
    window.addEventListener('rl-moved', () => this.#moved());
    window.addEventListener('rl-unauthorized', () => this.#logIn());
    document.addEventListener('keydown', (key) => this.#pressed(key));
    this.#greet();
  }

  async #greet() {
    this.#draw();
    try {
      this.#session = await get('session');
      this.#wantsLogIn = false;
    } catch {
      this.#wantsLogIn = true;
    }
    this.#draw();
    this.#moved();
  }

  #logIn() {
    this.#session = undefined;
    this.#wantsLogIn = true;
    this.#draw();
  }

  #logOut() {
    forgetToken();
    this.#logIn();
  }

  #moved() {
    this.#isMenuOpen = false;
    this.#draw();
    const main = this.querySelector('main');
    if (this.#session === undefined || main === null) {
      return;
    }
    const place = here();
    const name = pageOf(place.parts);
    const shown = /** @type {any} */ (main.firstElementChild);
    if (shown?.localName === name && shown.place.parts.join('/') === place.parts.join('/')) {
      shown.moved(place);
      return;
    }
    const page = /** @type {any} */ (document.createElement(name));
    page.place = place;
    page.session = this.#session;
    main.replaceChildren(page);
    document.title = `${page.querySelector('h1')?.textContent ?? ''} · Runlane`;
    window.scrollTo(0, 0);
    page.querySelector('h1')?.focus({ preventScroll: true });
  }

  #draw() {
    if (this.#wantsLogIn) {
      render(html`<rl-log-in @rl-logged-in=${() => this.#greet()}></rl-log-in>`, this);
      return;
    }
    const first = here().parts[0] ?? '';
    render(html`<a class="skip" href="#main">Skip to content</a>
      <header><a class="brand" href="/"><span class="mark" aria-hidden="true">≡</span> Runlane</a>
        <form class="search" role="search" @submit=${(submit) => this.#search(submit)}>
          <input type="search" name="run" id="rl-search" aria-label="Find a run by its id or a key" placeholder="Run id or key  ( / )"
            autocomplete="off" spellcheck="false" maxlength="512"></form>
        <span class="who">${this.#session === undefined ? nothing : html`${text(this.#session.environment, 40)}
          <span class="faint">${text(this.#session.actor, 40)} · ${this.#session.role}</span>`}</span>
        <button class="quiet" aria-pressed=${live.isOn ? 'false' : 'true'} @click=${() => this.#toggleLive()}
          title="Whether pages renew themselves (p)">${live.isOn ? 'Pause' : 'Go on'}</button>
        ${hasToken() ? html`<button class="quiet" @click=${() => this.#logOut()}>Log out</button>` : nothing}
        <button class="quiet menu" aria-expanded=${this.#isMenuOpen} aria-controls="rl-views"
          @click=${() => { this.#isMenuOpen = !this.#isMenuOpen; this.#draw(); }}>☰ <span class="hidden">Views</span></button></header>
      <nav id="rl-views" aria-label="Views" class=${this.#isMenuOpen ? 'open' : ''}>${VIEWS.map(([address, name, key]) => html`
        <a href=${address} aria-current=${address === `/${first}` ? 'page' : 'false'} aria-keyshortcuts="g ${key}">${name}<kbd aria-hidden="true">g ${key}</kbd></a>`)}
        <button class="quiet" @click=${() => help()}>Keys<kbd aria-hidden="true">?</kbd></button></nav>
      <main id="main" tabindex="-1"></main>`, this);
  }

  #toggleLive() {
    live.isOn = !live.isOn;
    this.#draw();
  }

  async #search(submit) {
    submit.preventDefault();
    const wanted = String(new FormData(submit.target).get('run')).trim();
    if (wanted === '') {
      return;
    }
    submit.target.reset();
    try {
      await get(path`runs/${wanted}`);
      go(`/runs/${encodeURIComponent(wanted)}`);
    } catch {
      go(`/runs?concurrencyKey=${encodeURIComponent(wanted)}`); // no such run: the runs of that key
    }
  }

  #pressed(key) {
    const target = /** @type {Element} */ (key.target);
    if (key.ctrlKey || key.metaKey || key.altKey || target.closest('input, textarea, select, dialog')) {
      return;
    }
    if (Date.now() - this.#firstKeyAt < SECOND_KEY_MILLIS) {
      this.#firstKeyAt = 0;
      const view = VIEWS.find(([, , second]) => second === key.key);
      if (view) {
        go(view[0]);
      }
    } else if (key.key === 'g') {
      this.#firstKeyAt = Date.now();
    } else if (key.key === '/') {
      key.preventDefault();
      document.getElementById('rl-search')?.focus();
    } else if (key.key === '?') {
      help();
    } else if (key.key === 'p') {
      this.#toggleLive();
    }
  }
}

/** @param {string[]} parts of the address */
function pageOf([view = 'overview', id]) {
  if (id !== undefined && (view === 'runs' || view === 'tasks')) {
    return `rl-${view.slice(0, -1)}-page`;
  }
  return `rl-${view}-page`;
}

function help() {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'rl-keys');
  render(html`<h2 id="rl-keys">Keys</h2><dl class="keys">
    <dt><kbd>/</kbd></dt><dd>Find a run</dd><dt><kbd>p</kbd></dt><dd>Pause and go on</dd><dt><kbd>?</kbd></dt><dd>This help</dd>
    ${VIEWS.map(([, name, key]) => html`<dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${name}</dd>`)}</dl>
    <p class="buttons"><button class="primary" autofocus @click=${() => dialog.close()}>Close</button></p>`, dialog);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

customElements.define('rl-console', Console);
