/** What happens in the system, told as it happens: one stream for the tab, whichever page it shows. */
import { openStream } from './api.js';

const FIRST_PAUSE_MILLIS = 1_000;
const LONGEST_PAUSE_MILLIS = 30_000;
/** A stream has a line every 15 s at least: one that has none for so long is dead, whatever its connection says. */
const LONGEST_SILENCE_MILLIS = 45_000;

/** Whether the reader wants pages to renew themselves, and whether the stream tells them to. */
class Changes extends EventTarget {
  isOn = true;
  isOpen = false;
  #abort = /** @type {AbortController | undefined} */ (undefined);
  #lastId = /** @type {string | undefined} */ (undefined);
  #pause = FIRST_PAUSE_MILLIS;
  #timer = 0;
  #isWanted = false;

  /** Listens from now on, as long as the tab is seen. */
  start() {
    this.#isWanted = true;
    document.addEventListener('visibilitychange', this.#look);
    this.#look();
  }

  /** Listens no more: nobody is logged in. */
  stop() {
    this.#isWanted = false;
    document.removeEventListener('visibilitychange', this.#look);
    this.#look();
  }

  /** @param {boolean} isOn */
  turn(isOn) {
    this.isOn = isOn;
    this.#look();
    this.#tell();
  }

  #look = () => {
    const isNeeded = this.#isWanted && this.isOn && !document.hidden;
    if (isNeeded && this.#abort === undefined) {
      this.#read();
    } else if (!isNeeded && this.#abort !== undefined) {
      clearTimeout(this.#timer);
      this.#abort.abort();
      this.#abort = undefined;
      this.#opened(false);
    }
  };

  async #read() {
    const abort = (this.#abort = new AbortController());
    const silence = new AbortController();
    let timer = 0;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), LONGEST_SILENCE_MILLIS);
    };
    heard();
    try {
      const lines = await openStream('changes', this.#lastId, AbortSignal.any([abort.signal, silence.signal]));
      this.#pause = FIRST_PAUSE_MILLIS;
      this.#opened(true);
      this.dispatchEvent(new CustomEvent('change', { detail: { kind: 'opened' } })); // what was missed is read again
      for await (const event of events(each(lines, heard))) {
        this.#lastId = event.id ?? this.#lastId;
        if (event.kind !== undefined) {
          this.dispatchEvent(new CustomEvent('change', { detail: event }));
        }
      }
    } catch {
      // refused, or broken off: pages ask by themselves meanwhile, and say what they are refused
    } finally {
      clearTimeout(timer);
      silence.abort(); // nobody reads the stream any more: its connection ends, whatever ended the reading
    }
    if (this.#abort === abort) {
      this.#opened(false);
      this.#timer = setTimeout(() => this.#read(), this.#pause);
      this.#pause = Math.min(LONGEST_PAUSE_MILLIS, this.#pause * 2);
    }
  }

  #opened(isOpen) {
    if (this.isOpen !== isOpen) {
      this.isOpen = isOpen;
      this.#tell();
    }
  }

  #tell() {
    this.dispatchEvent(new CustomEvent('state'));
  }
}

/** The lines, each told of as it comes. */
async function* each(/** @type {AsyncIterable<string>} */ lines, /** @type {() => void} */ heard) {
  for await (const line of lines) {
    heard();
    yield line;
  }
}

/** The tab's one. */
export const changes = new Changes();

/**
 * @param {AsyncIterable<string>} lines
 * @returns {AsyncGenerator<{id?: string, kind?: string, data?: any}>}
 */
export async function* events(lines) {
  let event = /** @type {{id?: string, kind?: string, data?: any}} */ ({});
  for await (const line of lines) {
    if (line === '') {
      if (event.id !== undefined || event.kind !== undefined) {
        yield event;
      }
      event = {};
      continue;
    }
    const [, name, value] = /^([a-z]*): ?(.*)$/s.exec(line) ?? [];
    if (name === 'id') {
      event.id = value;
    } else if (name === 'event') {
      event.kind = value;
    } else if (name === 'data') {
      event.data = JSON.parse(value);
    }
  }
}
