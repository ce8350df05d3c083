/** What every page does: loads, shows itself, and asks again while it is looked at. */
import { html, render } from '../lib/html.js';
import { failed } from '../lib/elements.js';

/** How long after an answer the page asks again. */
const PAUSE_MILLIS = 3_000;

/** Whether pages ask again by themselves; the reader can stop it. */
export const live = { isOn: true };

/**
 * A page is an element: {@link load} answers its data, {@link view} makes of them what is shown.
 * @template T
 */
export class Page extends HTMLElement {
  /** @type {T | undefined} */ data = undefined;
  /** @type {unknown} */ failure = undefined;
  /** @type {import('../lib/location.js').Place} */ place = { parts: [], query: new URLSearchParams() };
  #abort = new AbortController();
  #timer = 0;

  connectedCallback() {
    this.#abort = new AbortController();
    this.draw();
    this.reload();
  }

  disconnectedCallback() {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  /** The same page at another address. */
  moved(place) {
    this.place = place;
    this.reload();
  }

  /** Asks anew, at once. */
  async reload() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    const abort = (this.#abort = new AbortController());
    try {
      const data = await this.load(abort.signal);
      if (abort.signal.aborted) {
        return;
      }
      this.data = data;
      this.failure = undefined;
    } catch (failure) {
      if (abort.signal.aborted) {
        return;
      }
      this.failure = failure;
    }
    this.draw();
    this.#reloadLater();
  }

  #reloadLater() {
    this.#timer = setTimeout(() => {
      if (live.isOn && !document.hidden && this.staysLive() && !document.querySelector('dialog[open]')) {
        this.reload();
      } else {
        this.#reloadLater();
      }
    }, PAUSE_MILLIS);
  }

  draw() {
    render(html`<h1 tabindex="-1">${this.heading()}</h1>
      ${this.failure === undefined ? '' : failed(this.failure)}
      ${this.data === undefined
        ? (this.failure === undefined ? html`<p class="loading" role="status">Loading …</p>` : '')
        : this.view(this.data)}`, this);
  }

  /** @returns {unknown} */
  heading() {
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
