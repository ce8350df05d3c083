/** What every page does: loads, shows itself, and asks again while it is looked at. */
import { html, render } from '../lib/html.js';
import { changes } from '../lib/changes.js';
import { serverNow } from '../lib/clock.js';
import { failed, keepFocus, time } from '../lib/elements.js';

/** How long after an answer the page asks again where nobody tells it of changes, and where somebody does. */
const PAUSE_MILLIS = 3_000;
const PAUSE_WITH_STREAM_MILLIS = 10_000;

/** How soon after an answer a change may have the page ask again: most read much, or what changes slowly. */
const LEAST_MILLIS = 3_000;

/** On a phone a row is a card, whose values have the heads of their columns beside them. */
function nameCells(page) {
  for (const table of page.querySelectorAll('.scroll:not(.chart-table) table')) {
    const heads = [...table.querySelectorAll('thead th')].map((head) => head.textContent.trim());
    for (const row of table.tBodies[0]?.rows ?? []) {
      [...row.cells].forEach((cell, place) => {
        if (cell.dataset.label !== heads[place]) {
          cell.dataset.label = heads[place] ?? '';
        }
      });
    }
  }
}

/** How old times may get that are told by how long ago they were, on a page that does not ask. */
const REDRAW_MILLIS = 60_000;

/** For so long behind the last letter a page is not renewed under who writes in a filter. */
const WRITING_MILLIS = 60_000;

/** An answer to another address that takes so long is waited for: what is shown is said to be of the one before. */
const SOON_MILLIS = 300;

/** Rows that others may come above. */
const ROWS = 'tr, .history li';

/**
 * The row at the upper edge of the window stays where it is, where its reader has scrolled down: the browser holds none
 * that is in a box which scrolls by itself, as tables do.
 */
function holdingRows(/** @type {Element} */ page, /** @type {() => void} */ draw) {
  const row = window.scrollY > 0 ? [...page.querySelectorAll(ROWS)].find((each) => each.getBoundingClientRect().top >= 0) : undefined;
  const before = row?.getBoundingClientRect().top ?? 0;
  draw();
  const moved = row?.isConnected ? row.getBoundingClientRect().top - before : 0;
  if (moved !== 0) {
    window.scrollBy(0, moved);
  }
}

/** The fields of filters, whose defaults are what the address has. @returns {any[]} */
const fieldsOf = (/** @type {Element} */ page) => [...page.querySelectorAll('form.filters :is(input, select)')];

/** What an address asks for, whichever part of a timeline it shows. */
function subject(/** @type {import('../lib/location.js').Place} */ { parts, query }) {
  const asked = new URLSearchParams(query);
  asked.delete('zoom');
  return `${parts.join('/')}?${asked}`;
}

/**
 * A page is an element: {@link load} answers its data, {@link view} makes of them what is shown.
 * @template T
 */
export class Page extends HTMLElement {
  /** @type {T | undefined} */ data = undefined;
  /** @type {unknown} */ failure = undefined;
  #isRefused = false; // what a button did, which the next answer says nothing of
  /** @type {import('../lib/location.js').Place} */ place = { parts: [], query: new URLSearchParams() };
  #abort = new AbortController();
  #timer = 0;
  #answeredAt = 0;
  #readAt = /** @type {string | undefined} */ (undefined); // when the data were answered
  #drawnAt = 0;
  #answered = this.place; // what the data are of
  #isAsking = false;
  #left = /** @type {Map<any, string> | undefined} */ (undefined); // what fields had as the address before was left
  #late = 0; // the timer of an answer to another address
  #isStale = false; // something changed that the present answer may not know
  #writtenAt = 0;
  #redraw = () => this.draw();
  #written = () => {
    this.#writtenAt = Date.now();
  };
  #changed = (/** @type {CustomEvent} */ change) => {
    if (!this.concerns(change.detail)) {
      return;
    }
    if (this.#isAsking) {
      this.#isStale = true;
    } else {
      this.#reloadLater(Math.max(0, this.#answeredAt + this.shortestPause() - Date.now()));
    }
  };

  connectedCallback() {
    this.#abort = new AbortController();
    changes.addEventListener('change', this.#changed);
    window.addEventListener('rl-times', this.#redraw);
    this.addEventListener('input', this.#written);
    this.draw();
    this.reload();
  }

  disconnectedCallback() {
    this.#abort.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#late);
    changes.removeEventListener('change', this.#changed);
    window.removeEventListener('rl-times', this.#redraw);
  }

  /** The same page at another address; another part of a timeline is drawn of what is known. */
  moved(place) {
    const isZoom = subject(place) === subject(this.place) && place.query.get('zoom') !== this.place.query.get('zoom');
    this.place = place;
    if (isZoom) {
      this.draw();
      return;
    }
    this.#isRefused = false;
    this.#left = new Map(fieldsOf(this).map((field) => [field, field.value]));
    clearTimeout(this.#late);
    this.#late = setTimeout(() => this.setAttribute('aria-busy', 'true'), SOON_MILLIS);
    this.#drawOrSay(); // what was chosen, before its answer
    this.reload();
  }

  /** Asks anew, at once, after something was done: what could not be done before is told no more. Not for a page that is left. */
  reload() {
    if (this.#isRefused) {
      this.#isRefused = false;
      this.failure = undefined;
    }
    return this.#renew();
  }

  async #renew() {
    if (!this.isConnected) {
      return;
    }
    clearTimeout(this.#timer);
    this.#abort.abort();
    const abort = (this.#abort = new AbortController());
    const place = this.place;
    this.#isAsking = true;
    this.#isStale = false;
    try {
      const data = await this.load(abort.signal);
      if (abort.signal.aborted) {
        return;
      }
      this.data = data;
      this.#readAt = new Date(serverNow()).toISOString();
      this.#answered = place;
      this.failure = this.#isRefused ? this.failure : undefined;
    } catch (failure) {
      if (abort.signal.aborted) {
        return;
      }
      this.data = subject(this.#answered) === subject(place) ? this.data : undefined; // rows of another filter are none of this one
      this.failure = failure;
      this.#isRefused = false;
    }
    this.#isAsking = false;
    this.#answeredAt = Date.now();
    clearTimeout(this.#late);
    this.removeAttribute('aria-busy');
    holdingRows(this, () => this.#drawOrSay());
    this.dispatchEvent(new CustomEvent('rl-shown'));
    this.#reloadLater(this.#isStale ? this.shortestPause() : this.longestPause());
  }

  /**
   * What a button does; a failure is shown, unless the page is left.
   * @param {() => Promise<unknown>} action
   */
  async attempt(action) {
    try {
      await action();
      if (this.#isRefused) {
        this.failure = undefined;
        this.#isRefused = false;
        this.draw();
      }
      return;
    } catch (failure) {
      this.failure = failure;
      this.#isRefused = true;
    }
    if (this.isConnected) {
      this.draw();
      this.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
    }
  }

  /** What cannot be shown is told: the next answer may be one that can. */
  #drawOrSay() {
    this.#drawnAt = Date.now();
    try {
      this.draw();
    } catch (failure) {
      this.data = undefined;
      this.failure = failure;
      this.draw();
    }
  }

  #reloadLater(millis) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (changes.isOn && !document.hidden && (this.data === undefined || this.staysLive()) && !this.isBusy()) {
        this.#renew();
      } else {
        this.#redrawOld();
        this.#reloadLater(PAUSE_MILLIS);
      }
    }, millis);
  }

  /** What stands still says how long ago things were all the same. */
  #redrawOld() {
    if (Date.now() - this.#drawnAt >= REDRAW_MILLIS && !document.hidden && !this.isBusy()) {
      this.#drawOrSay();
    }
  }

  /** Whether what is shown would be pulled from under somebody's hands. */
  isBusy() {
    return document.querySelector('dialog[open]') !== null || this.#isWriting();
  }

  /** Whether somebody writes in a filter, and has not applied it. */
  #isWriting() {
    return Date.now() - this.#writtenAt < WRITING_MILLIS && fieldsOf(this).some((field) => field.type === 'text' && field.value !== field.defaultValue);
  }

  /**
   * Whether what happened may change what is shown.
   * @param {{kind: string, data?: any}} change
   */
  concerns(change) {
    return change.kind !== 'bulk-action';
  }

  /** How soon after an answer a change may have the page ask again, in milliseconds. */
  shortestPause() {
    return LEAST_MILLIS;
  }

  /** How long after an answer the page asks again where no change has it ask sooner, in milliseconds. */
  longestPause() {
    return changes.isOpen ? PAUSE_WITH_STREAM_MILLIS : PAUSE_MILLIS;
  }

  draw() {
    const isWithin = this.contains(document.activeElement);
    render(html`<h1 tabindex="-1">${this.heading()}</h1>
      ${this.failure === undefined ? '' : this.#isRefused ? failed(this.failure) : html`${failed(this.failure, 'This could not be read.')}
        ${this.data === undefined ? '' : html`<p class="notice">What stands below was read ${time(this.#readAt)}.</p>`}`}
      ${this.data === undefined
        ? (this.failure === undefined ? html`<p class="loading" role="status">Loading …</p>` : this.withoutData())
        : this.view(this.data)}`, this);
    nameCells(this);
    this.#resetFilters();
    if (isWithin) {
      keepFocus();
    }
  }

  /** Filters show what the new address has, and not what was written or chosen at the one before; what was written since stays. */
  #resetFilters() {
    const left = this.#left;
    if (left !== undefined) {
      this.#left = undefined;
      const since = fieldsOf(this).filter((field) => left.has(field) && left.get(field) !== field.value).map((field) => [field, field.value]);
      this.querySelectorAll('form.filters').forEach((form) => /** @type {HTMLFormElement} */ (form).reset());
      since.forEach(([field, value]) => { field.value = value; });
    }
  }

  /** @returns {unknown} */
  heading() {
    return '';
  }

  /** What is shown below a failure where there are no data: what the reader can put right. @returns {unknown} */
  withoutData() {
    return '';
  }

  /** Whether what is shown may still change. */
  staysLive() {
    return true;
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<T>}
   */
  load(signal) {
    throw new Error(`a page loads something ${signal}`);
  }

  /**
   * @param {T} data
   * @returns {unknown}
   */
  view(data) {
    throw new Error(`a page shows something ${data}`);
  }
}
