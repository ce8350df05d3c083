/** What is known of a run's history, read on from where it was read to. Pure: how it is read is given. */

/** Rows of a page, and of the first one behind what is known: mostly little is new. */
const PAGE = 200;
const FEW = 20;

/** So many events are kept, the latest, and so many log lines, the first. */
const MOST_EVENTS = 2_000;
const MOST_LINES = 10_000;

/**
 * @typedef {{data: any[], nextCursor?: string}} Rows
 * @typedef {(query: Record<string, string | number | undefined>, signal?: AbortSignal) => Promise<Rows>} Read
 */

/**
 * The events of a run, the latest of a long history. Of a run that has worked for hours most are heartbeats: they are
 * left out unless they are wanted, and only counted.
 */
export class RunEvents {
  /** @type {any[]} in order */ data = [];
  #read;
  #withHeartbeats;
  #lookedTo = 0; // the sequence up to which all is known
  #most;

  /** @param {Read} read a page of events, which knows direction, heartbeats, limit and cursor */
  constructor(read, withHeartbeats = false, most = MOST_EVENTS) {
    this.#read = read;
    this.#withHeartbeats = withHeartbeats;
    this.#most = most;
  }

  /** How many events before these were not read. */
  get earlier() {
    return this.data.length === 0 ? 0 : this.data[0].sequence - 1;
  }

  /** How many heartbeats among and behind these are left out. */
  get folded() {
    return this.data.length === 0 ? 0 : this.#lookedTo - this.earlier - this.data.length;
  }

  /** Reads what is new, the latest first. @param {AbortSignal} [signal] */
  async readOn(signal) {
    const from = this.#lookedTo;
    const newest = from > 0 ? undefined : await this.#read({ direction: 'desc', limit: 1 }, signal);
    signal?.throwIfAborted();
    // a renewal looks at heartbeats, of which there are few since: without them it would find the same events again
    const heartbeats = from > 0 || this.#withHeartbeats ? undefined : 'false';
    const found = [];
    let cursor;
    let lookedTo = newest?.data[0]?.sequence ?? from;
    do {
      const page = await this.#read({ direction: 'desc', heartbeats, limit: from > 0 && cursor === undefined ? FEW : PAGE, cursor }, signal);
      signal?.throwIfAborted();
      const unknown = page.data.filter(({ sequence }) => sequence > from);
      lookedTo = Math.max(lookedTo, unknown[0]?.sequence ?? 0);
      found.push(...unknown.filter(({ type }) => this.#withHeartbeats || type !== 'run.lease_heartbeat'));
      cursor = unknown.length === page.data.length ? page.nextCursor : undefined;
    } while (cursor !== undefined && found.length < this.#most);
    const known = cursor === undefined ? this.data : []; // else there are others between
    this.data = [...known, ...found.reverse()].slice(-this.#most);
    this.#lookedTo = lookedTo;
  }
}

/** The lines that a run's handlers wrote, by attempt and place. */
export class RunLines {
  /** @type {any[]} */ data = [];
  /** Whether later lines are not read. */
  isCut = false;
  #read;
  #most;
  #whole = /** @type {any[]} */ ([]); // of pages behind which there is another
  #cursor = /** @type {string | undefined} */ (undefined);

  /** @param {Read} read a page of lines, which knows limit and cursor */
  constructor(read, most = MOST_LINES) {
    this.#read = read;
    this.#most = most;
  }

  /** Reads the last page again, and what is behind it. @param {AbortSignal} [signal] */
  async readOn(signal) {
    while (!this.isCut) {
      const page = await this.#read({ limit: PAGE, cursor: this.#cursor }, signal);
      signal?.throwIfAborted();
      this.data = [...this.#whole, ...page.data];
      if (page.nextCursor === undefined) {
        return;
      }
      this.#whole = this.data;
      this.#cursor = page.nextCursor;
      this.isCut = this.#whole.length >= this.#most;
    }
  }
}

/**
 * Events and lines by time; of very many the latest.
 * @param {any[]} events
 * @param {any[]} lines
 * @param {number} most
 * @returns {{moments: {at: string, event?: any, line?: any}[], earlier: number}} and how many there were before
 */
export function momentsOf(events, lines, most) {
  const all = [...events.map((event) => ({ at: event.occurredAt, event })), ...lines.map((line) => ({ at: line.at, line }))]
    .map((moment) => ({ ...moment, millis: Date.parse(moment.at) }))
    .sort((one, other) => one.millis - other.millis || rank(one) - rank(other));
  return { moments: all.slice(-most), earlier: Math.max(0, all.length - most) };
}

/** Within a millisecond a line stands behind what began, and before what came of it. */
const rank = (/** @type {any} */ { event }) => (event === undefined ? 1 : ['run.created', 'run.lease_claimed', 'run.started'].includes(event.type) ? 0 : 2);
