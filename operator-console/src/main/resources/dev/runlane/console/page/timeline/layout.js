/** What a run's history looks like as bars on a scale of time. Pure: no page and no clock. */

/**
 * @typedef {object} Bar
 * @property {'scheduled'|'queued'|'attempt'|'pause'|'released'|'step'|'step-wait'|'sleep'|'cancelling'|'branches'} kind
 * @property {number} from epoch milliseconds
 * @property {number} to
 * @property {string} text
 * @property {number} sequence of the event that tells of it
 * @property {'succeeded'|'failed'|'retried'|'released'|'cancelled'|'lost'|'open'} [outcome] none where it is not known
 *
 * @typedef {{label: string, depth: number, bars: Bar[]}} Row
 * @typedef {{from: number, to: number, rows: Row[], heartbeats: number, stepsLeftOut: number}} Layout
 * @typedef {{name: string, from: number, to: number, bars: Bar[]}} Step
 */

/** Rows of steps beyond are left out, and their steps counted. */
const MOST_ROWS = 200;

/** What became of an attempt by the event that ended it. */
const OUTCOMES = {
  'run.succeeded': 'succeeded', 'run.failed': 'failed', 'run.retry_scheduled': 'retried',
  'run.released': 'released', 'run.cancelled': 'cancelled',
};

/**
 * @param {any[]} events in order; of a long history the latest
 * @param {number} now where what goes on ends
 * @param {any} [ended] the run, where it has ended: its history may be longer than these events
 * @returns {Layout}
 */
export function layout(events, now, ended) {
  const ordered = events.filter((event) => event.type !== 'run.lease_heartbeat');
  if (ordered.length === 0) {
    return { from: now, to: now, rows: [], heartbeats: events.length, stepsLeftOut: 0 };
  }
  const from = at(ordered[0]);
  const last = ordered[ordered.length - 1];
  const over = isEnd(last.type) ? at(last) : instant(ended?.finishedAt);
  const to = Math.max(over ?? now, from + 1);
  const known = over === undefined ? to : Math.max(at(last), from + 1); // how far the events tell
  const steps = stepsOf(ordered, known, over === undefined ? 'open' : undefined);
  const rows = rowsOf(steps);
  const shown = rows.slice(0, MOST_ROWS);
  return {
    from,
    to,
    rows: [
      { label: 'waiting', depth: 0, bars: waits(ordered, known) },
      { label: 'attempts', depth: 0, bars: attempts(ordered, { to, known, ended }) },
      ...shown.map(({ label, depth, bars }) => ({ label, depth, bars })),
    ],
    heartbeats: events.length - ordered.length,
    stepsLeftOut: rows.slice(MOST_ROWS).reduce((sum, row) => sum + row.steps, 0),
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

/**
 * How the attempt ended that no event ends: the last one as its run did, of another one it is not known.
 * @param {number} number of the attempt
 * @param {any} [ended] the run, where it has ended
 * @returns {'succeeded'|'failed'|'cancelled'|'open'|undefined}
 */
export function outcomeWithoutEnd(number, ended) {
  return ended === undefined ? 'open' : ended.counters.attempts === number ? ended.status : undefined;
}

/** The attempt that goes on where a history begins that is cut. */
function begunBefore(events) {
  const next = events.findIndex(({ type }) => ['run.created', 'run.lease_claimed', 'run.started'].includes(type));
  const event = events.slice(0, next < 0 ? undefined : next).find(({ attempt }) => attempt !== undefined);
  return event && {
    kind: 'attempt', from: at(events[0]), text: `attempt ${event.attempt}, begun before`, sequence: events[0].sequence, number: event.attempt,
  };
}

function attempts(events, { to, known, ended }) {
  const bars = [];
  let worker = '';
  let open = begunBefore(events);
  let number = open?.number ?? 0;
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
      number = event.attempt;
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
  const outcome = outcomeWithoutEnd(number, ended);
  for (const each of [open, cancelling]) {
    if (each) {
      bars.push({ ...each, to: outcome === undefined ? known : to, outcome });
    }
  }
  return bars;
}

/** @returns {Step[]} in the order of their begin */
function stepsOf(events, to, open) {
  const found = new Map();
  for (const event of events) {
    if (event.type === 'run.step_requested') {
      found.set(event.stepId, { requested: event, completed: undefined });
    } else if (event.type === 'run.step_completed' && found.has(event.stepId)) {
      found.get(event.stepId).completed = event;
    }
  }
  return [...found.values()]
    .map(({ requested, completed }) => stepOf(requested, completed, to, open))
    .sort((one, other) => one.from - other.from);
}

/** A step of the run's own owner is recorded when it has ended: it began before its request was stored. */
function stepOf(requested, completed, to, open) {
  const asked = at(requested);
  const until = completed ? at(completed) : to;
  const sequence = (completed ?? requested).sequence;
  const outcome = completed ? (completed.failure || completed.outcome === 'failed' ? 'failed' : 'succeeded') : open;
  const name = requested.name;
  if (requested.dueAt !== undefined) {
    const from = Math.min(instant(completed?.startedAt) ?? asked, asked); // a short one is stored when it is over
    return { name, from, to: until, bars: [{ kind: 'sleep', from, to: until, text: name === 'sleep' ? 'sleeps' : `${name}: sleeps`, sequence, outcome }] };
  }
  const said = instant(completed?.startedAt) ?? asked;
  if (requested.group === undefined) {
    const from = Math.min(said, until);
    return { name, from, to: until, bars: [{ kind: 'step', from, to: until, text: name + tries(completed), sequence, outcome }] };
  }
  const begun = Math.min(Math.max(said, asked), until);
  const work = { kind: 'step', from: begun, to: until, text: `${name}: worked on by ${requested.group}${tries(completed)}`, sequence, outcome };
  const waited = completed?.startedAt === undefined ? until : begun;
  const bars = waited > asked ? [{ kind: 'step-wait', from: asked, to: waited, text: `${name}: waits for a worker of ${requested.group}`, sequence }] : [];
  return { name, from: asked, to: until, bars: completed?.startedAt === undefined ? bars : [...bars, work] };
}

const tries = (completed) => (completed?.tries > 1 ? `, ${completed.tries} tries` : '');

/**
 * A row for each step that goes on alone; what goes on at the same time are branches of their own below one row, each
 * with its steps one after the other. The history does not name branches: a step goes on with the branch that came to
 * an end last before it began.
 */
function rowsOf(steps) {
  const rows = [];
  const groups = overlapping(steps);
  for (let place = 0; place < groups.length; place++) {
    const branches = branchesOf(groups[place]);
    while (lastIsShortest(branches) && groups[place + 1]?.length === 1) {
      lastEnded(branches).push(groups[++place][0]);
    }
    const group = branches.flat();
    if (branches.length === 1) {
      rows.push(...branches[0].map((step) => ({ label: step.name, depth: 0, bars: step.bars, steps: 1 })));
      continue;
    }
    const from = Math.min(...group.map((step) => step.from));
    const to = Math.max(...group.map((step) => step.to));
    rows.push({
      label: `${branches.length} branches`, depth: 0, steps: 0,
      bars: [{ kind: 'branches', from, to, text: `${branches.length} branches beside each other`, sequence: group[0].bars[0]?.sequence ?? 0 }],
    });
    rows.push(...branches.map((branch) => ({
      label: branch.map((step) => step.name).join(' → '), depth: 1, bars: branch.flatMap((step) => step.bars), steps: branch.length,
    })));
  }
  return rows;
}

/** The branch that came to an end last. */
const lastEnded = (branches) => branches.reduce((last, branch) => (branch[branch.length - 1].to > last[last.length - 1].to ? branch : last));

/**
 * Whether the branch that ended last has fewer steps than each of the others. A step that goes on from there, alone,
 * looks like one behind all branches; branches are mostly alike, so that it belongs to this one.
 */
function lastIsShortest(branches) {
  const last = branches.length > 1 ? lastEnded(branches) : undefined;
  return last !== undefined && branches.every((branch) => branch === last || branch.length > last.length);
}

/** Steps that overlap, directly or by others between them. */
function overlapping(steps) {
  const groups = [];
  let until = -Infinity;
  for (const step of steps) {
    if (step.from >= until) {
      groups.push([]);
    }
    groups[groups.length - 1].push(step);
    until = Math.max(until, step.to);
  }
  return groups;
}

function branchesOf(group) {
  const branches = [];
  for (const step of group) {
    const free = branches.filter((branch) => branch[branch.length - 1].to <= step.from);
    const next = free.reduce((best, branch) => (best === undefined || branch[branch.length - 1].to > best[best.length - 1].to ? branch : best), undefined);
    if (next === undefined) {
      branches.push([step]);
    } else {
      next.push(step);
    }
  }
  return branches;
}

const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 432e5,
  864e5, 1728e5, 6048e5, 12096e5];

/**
 * The texts that have room beside their lines, from the left. One that the edge would cut stands on the other side.
 * @param {{at: number, text: string}[]} texts at their places from 0 to 1
 * @param {number} letters how many fit into the whole width
 * @returns {{at: number, text: string, isLast: boolean}[]}
 */
export function withRoom(texts, letters) {
  let free = 0;
  return texts.flatMap(({ at, text }) => {
    const wide = text.length + 1;
    const isLast = at * letters + wide > letters;
    const from = isLast ? at * letters - wide : at * letters;
    if (from < free) {
      return [];
    }
    free = from + wide;
    return [{ at, text, isLast }];
  });
}

/**
 * Where lines of the scale stand, as milliseconds since its begin.
 * @param {number} length of the scale in milliseconds
 * @param {number} most lines
 */
export function ticks(length, most) {
  const step = NICE.find((each) => length / each <= most) ?? NICE[NICE.length - 1] * Math.ceil(length / NICE[NICE.length - 1] / most);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, place) => place * step);
}
