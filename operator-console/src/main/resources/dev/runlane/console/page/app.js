/** The shell: navigation, search, keys, and the page that belongs to the address. */
import { takeAhead } from './ahead.js';
import { html, nothing, render } from './lib/html.js';
import { ApiError, get, forgetToken, hasToken, post } from './lib/api.js';
import { changes } from './lib/changes.js';
import { closeDialogs } from './lib/dialog.js';
import { followLinks, go, here } from './lib/location.js';
import { failed, text, times, turnTimes } from './lib/elements.js';
import { counted } from './lib/format.js';
import { find } from './lib/search.js';
import { logInAgain, returnAddress } from './pages/log-in.js';
import './pages/overview.js';

/** Address, name, the key that follows `g`, and what the console must serve for it. */
const VIEWS = [
  ['/', 'Overview', 'o'], ['/runs', 'Runs', 'r'], ['/failures', 'Failures', 'f'], ['/tasks', 'Tasks', 't'], ['/queues', 'Queues', 'q'], ['/schedules', 'Schedules', 's'],
  ['/workers', 'Workers', 'w'], ['/outbox', 'Outbox', 'x'], ['/jobs', 'Jobs', 'j', 'jobs'],
  ['/connectors', 'Connectors', 'c', 'connectors'], ['/alerts', 'Alerts', 'l'],
  ['/bulk', 'Bulk actions', 'b'], ['/actions', 'Action log', 'a'],
];

/** Pages of one thing of a view: the elements by the number of parts of the address. */
const DETAILS = {
  runs: [, , 'rl-run-page'], tasks: [, , 'rl-task-page'], queues: [, , 'rl-queue-page'], jobs: [, , 'rl-job-queue-page', 'rl-job-page'],
  connectors: [, , 'rl-connector-page', 'rl-connector-run-page'],
};

/** Modules of pages that the first page does not need: each is read when it is shown, or when nothing else is done. */
const PAGES = [
  'runs', 'run', 'failures', 'tasks', 'task', 'queues', 'queue', 'schedules', 'workers', 'outbox',
  'jobs', 'job-queue', 'job', 'connectors', 'connector', 'connector-run', 'actions', 'alerts', 'bulk',
];

const TIMES = { relative: 'Ago', local: 'Local', utc: 'UTC' };
const SECOND_KEY_MILLIS = 1_500;
const LATER_MILLIS = 3_000;
const AGAIN_MILLIS = 3_000;

/** The address for which all was loaded anew, since its page could not be read. */
const LOADED_ANEW = 'runlane.loadedAnew';

/** Who is logged in, and as what: another one sees a page of their own. */
const WHO = ['actor', 'role', 'environment'];

/** What leads to another part of the same list. */
const PARTS = ['cursor', 'skip'];

/** Whether letters and signs alone do something: who dictates types them by speaking. */
const keys = { areOn: localStorage.getItem('runlane.keys') !== 'off' };

class Console extends HTMLElement {
  #session = /** @type {any} */ (undefined);
  #wantsLogIn = false;
  #isAskedAgain = false;
  #failure = /** @type {unknown} */ (undefined);
  #isUnread = false; // the module of the page
  #again = 0; // the timer that has it read again
  #isMenuOpen = false;
  #firstKeyAt = 0;
  /** What a search found; undefined where it led there at once, or is over. */
  #found = /** @type {import('./lib/search.js').Found | undefined} */ (undefined);
  #touches = 0; // how often somebody went to a field or wrote in one
  #turn = 0; // of searches and of what else leads to another address: the last one is followed
  /** How people log in here; none is needed where there is none. */
  #logIns = (document.documentElement.dataset.logIns ?? '').split(' ').filter((way) => way !== '');

  connectedCallback() {
    this.replaceChildren();
    followLinks();
    window.addEventListener('rl-moved', (/** @type {any} */ { detail }) => this.#moved(detail?.top));
    window.addEventListener('rl-unauthorized', () => (this.#session === undefined ? this.#logIn() : this.#logInAgain()));
    window.addEventListener('rl-times', () => this.#draw());
    changes.addEventListener('state', () => this.#draw());
    document.addEventListener('keydown', (key) => this.#pressed(key));
    ['focusin', 'input'].forEach((touch) => document.addEventListener(touch, () => { this.#touches += 1; }));
    document.addEventListener('pointerdown', ({ target }) => target instanceof Element && target.closest('.search') === null && this.#leaveFound());
    load(pageOf(here().parts)).catch(() => undefined); // said when it is shown
    this.#greet();
  }

  async #greet() {
    this.#draw();
    try {
      this.#session = await (takeAhead('session') ?? get('session'));
      this.#wantsLogIn = false;
      this.#failure = undefined;
      const address = returnAddress();
      if (address !== null) {
        history.replaceState(null, '', address);
      }
    } catch (failure) {
      this.#wantsLogIn = failure instanceof ApiError && failure.status === 401;
      this.#failure = this.#wantsLogIn ? undefined : failure;
    }
    this.#draw();
    await this.#moved();
    if (this.#session !== undefined) {
      changes.start(); // behind what the page reads: a browser has few connections
    }
    later(() => PAGES.forEach((page) => load(`rl-${page}-page`).catch(() => undefined)));
  }

  #logIn() {
    closeDialogs();
    changes.stop();
    this.#session = undefined;
    this.#wantsLogIn = true;
    this.#draw();
  }

  /** Who was logged in may have written something: it stays behind the log-in. */
  #logInAgain() {
    if (this.#isAskedAgain) {
      return;
    }
    this.#isAskedAgain = true;
    changes.stop();
    logInAgain(this.#logIns, (session) => {
      this.#isAskedAgain = false;
      const page = /** @type {any} */ (this.querySelector('#rl-page')?.firstElementChild);
      if (page && WHO.every((name) => session[name] === this.#session[name])) {
        this.#session = page.session = session;
        page.reload();
        changes.start();
        return;
      }
      page?.remove();
      this.#greet();
    });
  }

  /** Where it fails the session may be open still: the page stays and says so. */
  async #logOut() {
    if (hasToken()) {
      forgetToken();
    } else {
      try {
        await post('/auth/log-out', {});
      } catch (failure) {
        this.#failure = failure;
        this.#draw();
        return;
      }
    }
    this.#failure = undefined;
    this.#logIn();
  }

  /** @param {number} [top] how far the page was scrolled that somebody comes back to */
  async #moved(top) {
    this.#turn += 1;
    closeDialogs();
    this.#isMenuOpen = false;
    clearTimeout(this.#again);
    this.#isUnread = false;
    if (this.#found !== undefined) {
      this.#found = undefined;
      /** @type {any} */ (this.querySelector('form.search'))?.reset();
    }
    this.#failure = this.#session === undefined ? this.#failure : undefined; // of a search, or of the page before
    this.#draw();
    const main = this.querySelector('#rl-page');
    if (this.#session === undefined || main === null) {
      return;
    }
    const place = here();
    const name = pageOf(place.parts);
    const shown = /** @type {any} */ (main.firstElementChild);
    if (shown?.localName === name && shown.place.parts.join('/') === place.parts.join('/')) {
      const isOtherPart = PARTS.some((part) => shown.place.query.get(part) !== place.query.get(part));
      shown.moved(place);
      if (top !== undefined) {
        scrollOnceShown(shown, top);
      } else if (isOtherPart) {
        window.scrollTo(0, 0);
        shown.querySelector('h1')?.focus({ preventScroll: true });
      }
      return;
    }
    const touches = this.#touches;
    if (customElements.get(name) === undefined) {
      const address = window.location.href;
      try {
        await load(name);
      } catch {
        this.#isUnread = window.location.href === address;
      }
      if (window.location.href !== address) {
        return; // shown by who moved on
      }
      if (this.#isUnread) {
        main.replaceChildren(); // the page before is none of this address
        this.#failure = new Error('This page could not be read. It shows itself once the console answers.');
        this.#draw();
        this.#again = setTimeout(() => this.#readAgain(), AGAIN_MILLIS);
        return;
      }
      sessionStorage.removeItem(LOADED_ANEW);
    }
    const page = /** @type {any} */ (document.createElement(name));
    page.place = place;
    page.session = this.#session;
    const isUndisturbed = this.#touches === touches; // else somebody types in the search already, or again
    main.replaceChildren(page);
    document.title = `${page.querySelector('h1')?.textContent ?? ''} · Runlane`;
    window.scrollTo(0, 0);
    if (top !== undefined) {
      scrollOnceShown(page, top);
    }
    if (isUndisturbed) {
      page.querySelector('h1')?.focus({ preventScroll: true });
    }
  }

  /**
   * Reads the module of the page again. A browser may keep that it could not be read, and another release has others: then
   * all is loaded anew, by itself but once for an address.
   * @param {boolean} [isAsked] by a click
   */
  async #readAgain(isAsked = false) {
    const address = window.location.href;
    clearTimeout(this.#again);
    const isRead = await load(pageOf(here().parts)).then(() => true, () => false);
    const isAnswered = isRead || await get('session').then(() => true, ({ status }) => status !== 0);
    if (!this.#isUnread || window.location.href !== address) {
      return; // somebody has moved on
    }
    if (isRead) {
      this.#moved();
    } else if (isAnswered && (isAsked || sessionStorage.getItem(LOADED_ANEW) !== address)) {
      sessionStorage.setItem(LOADED_ANEW, address);
      window.location.reload();
    } else {
      clearTimeout(this.#again);
      this.#again = setTimeout(() => this.#readAgain(), AGAIN_MILLIS);
    }
  }

  #draw() {
    if (this.#wantsLogIn) {
      render(html`<rl-log-in .ways=${this.#logIns} @rl-logged-in=${() => this.#greet()}></rl-log-in>`, this);
      return;
    }
    const first = here().parts[0] ?? '';
    render(html`<a class="skip" href="#main">Skip to content</a>
      <header><a class="brand" href="/"><span class="mark" aria-hidden="true">≡</span> Runlane</a>
        <form class="search" role="search" @submit=${(submit) => this.#search(submit)} @keydown=${(key) => this.#choose(key)}>
          <input type="search" name="run" id="rl-search" aria-label="Find runs by id, key or tag, jobs by id, tasks and queues by name" placeholder="Id, key, tag:value, task or queue  ( / )"
            autocomplete="off" spellcheck="false" maxlength="512">${this.#found === undefined ? nothing : places(this.#found)}</form>
        <span class="who">${this.#session === undefined ? nothing : html`${text(this.#session.environment, 40)}
          <span class="faint">${text(this.#session.actor, 40)} · ${this.#session.role}</span>`}</span>
        <button class="quiet" title="How times are written (u)" @click=${() => turnTimes()}><span class="hidden">Times: </span>${TIMES[times.style]}</button>
        <button class="quiet live ${changes.isOn ? (changes.isOpen ? 'open' : 'asking') : 'off'}" aria-pressed=${!changes.isOn} @click=${() => this.#toggleLive()}
          title=${liveTitle()}><span class="dot" aria-hidden="true"></span>${changes.isOn ? 'Pause' : 'Go on'}</button>
        ${this.#session !== undefined && this.#logIns.length > 0 ? html`<button class="quiet" @click=${() => this.#logOut()}>Log out</button>` : nothing}
        <button class="quiet menu" aria-expanded=${this.#isMenuOpen} aria-controls="rl-views"
          @click=${() => { this.#isMenuOpen = !this.#isMenuOpen; this.#draw(); }}>☰ <span class="hidden">Views</span></button></header>
      <nav id="rl-views" aria-label="Views" class=${this.#isMenuOpen ? 'open' : ''}>${this.#views().map(([address, name, key]) => html`
        <a href=${address} aria-current=${address === `/${first}` ? 'page' : 'false'} aria-keyshortcuts=${keys.areOn ? `g ${key}` : nothing}>${name}${keys.areOn ? html`<kbd aria-hidden="true">g ${key}</kbd>` : nothing}</a>`)}
        <button class="quiet" @click=${() => this.#help()}>Keys${keys.areOn ? html`<kbd aria-hidden="true">?</kbd>` : nothing}</button></nav>
      <main id="main" tabindex="-1">${this.#failure === undefined ? nothing : html`${failed(this.#failure)}
        ${this.#session === undefined || this.#isUnread ? html`<p><button class="primary" @click=${() => (this.#isUnread ? this.#readAgain(true) : this.#greet())}>Try again</button></p>` : nothing}`}<div id="rl-page"></div></main>`, this);
  }

  #help() {
    help(this.#views(), (areOn) => {
      keys.areOn = areOn;
      localStorage.setItem('runlane.keys', areOn ? 'on' : 'off');
      this.#draw();
    });
  }

  #views() {
    return VIEWS.filter(([, , , served]) => served === undefined || this.#session?.serves.includes(served));
  }

  #toggleLive() {
    changes.turn(!changes.isOn);
  }

  async #search(submit) {
    submit.preventDefault();
    const wanted = String(new FormData(submit.target).get('run')).trim();
    if (wanted === '') {
      return;
    }
    const turn = (this.#turn += 1);
    const form = submit.target;
    this.#found = undefined;
    this.#draw();
    try {
      const found = await find(wanted, this.#session?.serves);
      if (turn !== this.#turn) {
        return;
      }
      this.#failure = undefined;
      if (found.places.length === 1 && !found.isCut) {
        form.reset();
        go(found.places[0].address);
        return;
      }
      this.#found = found;
      this.#draw();
      if (form.contains(document.activeElement)) {
        form.querySelector('a')?.focus();
      }
    } catch (failure) {
      if (turn === this.#turn) {
        this.#failure = failure;
        this.#draw();
      }
    }
  }

  /** The arrow keys go from one that was found to the next, Escape back to what was typed. */
  #choose(key) {
    const stops = [...key.currentTarget.querySelectorAll('input, a')];
    const place = stops.indexOf(key.target);
    const step = { ArrowDown: 1, ArrowUp: -1, Escape: -place }[key.key];
    if (this.#found === undefined || step === undefined) {
      return;
    }
    key.preventDefault();
    stops[Math.min(Math.max(0, place + step), stops.length - 1)]?.focus();
    if (key.key === 'Escape') {
      this.#leaveFound();
    }
  }

  #leaveFound() {
    if (this.#found !== undefined) {
      this.#found = undefined;
      this.#draw();
    }
  }

  #pressed(key) {
    const target = /** @type {Element} */ (key.target);
    if (!keys.areOn || key.ctrlKey || key.metaKey || key.altKey || target.closest('input, textarea, select') || document.querySelector('dialog[open]') !== null) {
      return; // a click beside the fields of a dialog takes the focus out of it
    }
    if (Date.now() - this.#firstKeyAt < SECOND_KEY_MILLIS) {
      this.#firstKeyAt = 0;
      const view = this.#views().find(([, , second]) => second === key.key);
      if (view) {
        go(view[0]);
      }
    } else if (key.key === 'g') {
      this.#firstKeyAt = Date.now();
    } else if (key.key === '/') {
      key.preventDefault();
      document.getElementById('rl-search')?.focus();
    } else if (key.key === '?') {
      this.#help();
    } else if (key.key === 'p') {
      this.#toggleLive();
    } else if (key.key === 'u') {
      turnTimes();
    }
  }
}

/** What was found, each a way there; where there is none, what was looked for. */
const places = (/** @type {import('./lib/search.js').Found} */ found) => html`<div class="places"><p role="status" class="faint">${found.places.length === 0
    ? 'Nothing is called so. Runs are found by id, key and tag, those of triggers by run_ and six letters or more; jobs by id; tasks and queues by a part of their name.'
    : `${counted(found.places.length, 'place')}: choose with ↓ ↑ and Enter.`}${found.isCut ? ' There may be more: type more of it.' : ''}</p>
  ${found.places.length === 0 ? nothing : html`<ul class="plain">${found.places.map(({ kind, name, address }) => html`<li><a href=${address}><span class="faint">${text(kind, 80)}</span> ${text(name, 120)}</a></li>`)}</ul>`}</div>`;

function liveTitle() {
  if (!changes.isOn) {
    return 'The page stands still (p)';
  }
  return changes.isOpen ? 'Changes are shown as they happen (p)' : 'The page asks every few seconds (p)';
}

/** @param {string[]} parts of the address */
function pageOf([view = 'overview', ...rest]) {
  return DETAILS[view]?.[rest.length + 1] ?? `rl-${view}-page`;
}

/** @param {string} name of the element of a page */
async function load(name) {
  const page = name.slice('rl-'.length, -'-page'.length);
  if (PAGES.includes(page)) {
    await import(`./pages/${page}.js`);
  }
}

/** As far down as it was, when it is as long again, unless its reader has scrolled it meanwhile. */
function scrollOnceShown(/** @type {Element} */ page, /** @type {number} */ top) {
  const from = window.scrollY;
  page.addEventListener('rl-shown', () => {
    if (page.isConnected && window.scrollY === from) {
      window.scrollTo(0, top);
    }
  }, { once: true });
}

/** Not while the page that is shown reads what it shows. */
function later(action) {
  setTimeout(() => (window.requestIdleCallback ?? setTimeout)(action), LATER_MILLIS);
}

function help(views, turn) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'rl-keys');
  render(html`<h2 id="rl-keys">Keys</h2><dl class="keys">
    <dt><kbd>/</kbd></dt><dd>Find runs by id, key or <code>tag:value</code>, jobs by id, tasks and queues by a part of their name</dd><dt><kbd>p</kbd></dt><dd>Pause and go on</dd>
    <dt><kbd>u</kbd></dt><dd>Times: how long ago, local, UTC</dd><dt><kbd>?</kbd></dt><dd>This help</dd>
    ${views.map(([, name, key]) => html`<dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${name}</dd>`)}</dl>
    <p><label class="check"><input type="checkbox" .checked=${keys.areOn} @change=${(change) => turn(change.target.checked)}> Letters and signs alone do this</label></p>
    <p class="buttons"><button class="primary" autofocus @click=${() => dialog.close()}>Close</button></p>`, dialog);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

customElements.define('rl-console', Console);
