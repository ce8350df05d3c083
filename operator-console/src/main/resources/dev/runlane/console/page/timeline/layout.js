/** What a run's history looks like as bars on a scale of time. Pure: no page and no clock. */

/**
 * @typedef {object} Bar
 * @property {'scheduled'|'queued'|'claimed'|'attempt'|'pause'|'released'|'step'|'step-wait'|'sleep'|'cancelling'} kind
 * @property {number} from epoch milliseconds
 * @property {number} to
 * @property {string} text
 * @property {number} sequence of the event that began it
 * @property {'succeeded'|'failed'|'retried'|'released'|'cancelled'|'lost'|'open'} [outcome]
 *
 * @typedef {{label: string, bars: Bar[]}} Row
 * @typedef {{from: number, to: number, rows: Row[], heartbeats: number, stepsLeftOut: number}} Layout
 */

/** Steps beyond are left out, and counted. */
const MOST_STEPS = 200;

/** What became of an attempt by the event that ended it. */
const OUTCOMES = {
  'run.succeeded': 'succeeded', 'run.failed': 'failed', 'run.retry_scheduled': 'retried',
  'run.released': 'released', 'run.cancelled': 'cancelled',
};

/**
 * @param {any[]} events in order, the first is `run.created`
 * @param {number} now where what goes on ends
 * @returns {Layout}
 */
export function layout(events, now) {
  const ordered = events.filter((event) => event.type !== 'run.lease_heartbeat');
  if (ordered.length === 0) {
    return { from: now, to: now, rows: [], heartbeats: events.length, stepsLeftOut: 0 };
  }
  const from = at(ordered[0]);
  const last = ordered[ordered.length - 1];
  const to = Math.max(isEnd(last.type) ? at(last) : now, from + 1);
  const steps = stepRows(ordered, to);
  return {
    from,
    to,
    rows: [
      { label: 'waiting', bars: waits(ordered, to) },
      { label: 'attempts', bars: attempts(ordered, to) },
      ...steps.slice(0, MOST_STEPS),
    ],
    heartbeats: events.length - ordered.length,
    stepsLeftOut: Math.max(0, steps.length - MOST_STEPS),
  };
}

/** @param {{occurredAt: string}} event */
const at = (event) => Date.parse(event.occurredAt);

const isEnd = (/** @type {string} */ type) => ['run.succeeded', 'run.failed', 'run.cancelled'].includes(type);

/** From each event after which nobody works to the next attempt; up to when it is due it waits for its time. */
function waits(events, to) {
  const bars = [];
  let waiting;
  for (const event of events) {
    if (waiting && (event.type === 'run.started' || event.type === 'run.lease_claimed' || isEnd(event.type))) {
      bars.push(...wait(waiting, at(event)));
      waiting = undefined;
    }
    waiting = waitAfter(event) ?? waiting;
  }
  return waiting ? [...bars, ...wait(waiting, to)] : bars;
}

function waitAfter(event) {
  switch (event.type) {
    case 'run.created':
      return { kind: 'scheduled', text: 'waits for its time', since: at(event), due: instant(event.runAt), event };
    case 'run.retry_scheduled':
      return { kind: 'pause', text: 'pauses before its next attempt', since: at(event), due: instant(event.retryAt), event };
    case 'run.released':
      return {
        kind: 'released', text: event.reason ? `released: ${event.reason}` : 'released', since: at(event), due: instant(event.resumeAt), event,
      };
    default:
      return undefined;
  }
}

const instant = (/** @type {string | undefined} */ text) => (text === undefined ? undefined : Date.parse(text));

function wait({ kind, text, since, due, event }, until) {
  const turn = Math.min(Math.max(due ?? since, since), until);
  const bars = [];
  if (turn > since) {
    bars.push({ kind, from: since, to: turn, text, sequence: event.sequence });
  }
  if (until > turn) {
    bars.push({ kind: 'queued', from: turn, to: until, text: 'due, waits for a worker', sequence: event.sequence });
  }
  return bars;
}

function attempts(events, to) {
  const bars = [];
  let worker = '';
  let open;
  let cancelling;
  for (const event of events) {
    if (event.type === 'run.lease_claimed') {
      worker = event.lease?.workerId ?? '';
    }
    if (open && (event.type === 'run.started' || event.type === 'run.lease_claimed')) {
      bars.push({ ...open, to: at(event), outcome: 'lost' });
      open = undefined;
    }
    if (event.type === 'run.started') {
      open = {
        kind: 'attempt', from: at(event), text: `attempt ${event.attempt}${worker ? ` by ${worker}` : ''}`, sequence: event.sequence,
      };
    }
    if (event.type === 'run.cancellation_requested') {
      cancelling = { kind: 'cancelling', from: at(event), text: 'asked to stop', sequence: event.sequence };
    }
    const outcome = OUTCOMES[event.type];
    if (open && outcome) {
      bars.push({ ...open, to: at(event), outcome });
      open = undefined;
    }
    if (cancelling && isEnd(event.type)) {
      bars.push({ ...cancelling, to: at(event) });
      cancelling = undefined;
    }
  }
  for (const each of [open, cancelling]) {
    if (each) {
      bars.push({ outcome: 'open', ...each, to });
    }
  }
  return bars;
}

/** A row for each step: side by side is what went on at the same time. */
function stepRows(events, to) {
  const rows = new Map();
  for (const event of events) {
    if (event.type === 'run.step_requested') {
      rows.set(event.stepId, { requested: event, completed: undefined });
    } else if (event.type === 'run.step_completed' && rows.has(event.stepId)) {
      rows.get(event.stepId).completed = event;
    }
  }
  return [...rows.values()].map(({ requested, completed }) => ({
    label: requested.name,
    bars: stepBars(requested, completed, to),
  }));
}

function stepBars(requested, completed, to) {
  const from = at(requested);
  const until = completed ? at(completed) : to;
  const sequence = requested.sequence;
  const outcome = completed ? (completed.failure ? 'failed' : 'succeeded') : 'open';
  if (requested.dueAt !== undefined) {
    return [{ kind: 'sleep', from, to: until, text: `${requested.name}: sleeps`, sequence, outcome }];
  }
  const begun = Math.min(Math.max(instant(completed?.startedAt) ?? from, from), until);
  const work = { kind: 'step', from: begun, to: until, text: requested.name, sequence, outcome };
  return requested.group !== undefined && begun > from
    ? [{ kind: 'step-wait', from, to: begun, text: `${requested.name}: waits for a worker of ${requested.group}`, sequence }, work]
    : [work];
}

const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 432e5,
  864e5, 1728e5, 6048e5, 12096e5];

/**
 * Where lines of the scale stand, as milliseconds since its begin.
 * @param {number} length of the scale in milliseconds
 * @param {number} most lines
 */
export function ticks(length, most) {
  const step = NICE.find((each) => length / each <= most) ?? NICE[NICE.length - 1] * Math.ceil(length / NICE[NICE.length - 1] / most);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, place) => place * step);
}
