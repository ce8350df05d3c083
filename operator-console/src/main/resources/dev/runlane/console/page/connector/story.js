/** What the timeline of a connector's run tells, put together. Pure: no page and no clock. */

/**
 * @typedef {object} StreamStory
 * @property {string} name
 * @property {number} from epoch milliseconds; NaN where nothing was heard of it
 * @property {number} to
 * @property {number} sequence of its latest event
 * @property {string} [message] the latest it said
 * @property {number} [count] how far it says to be
 * @property {number} [total]
 * @property {number} stored records
 * @property {number} rejected records
 * @property {'staged'|'committed'|'not_committed'|'not_staged'|'disabled'} [checkpoint]
 * @property {string} [skipped] why
 *
 * @typedef {object} Question
 * @property {string} id
 * @property {string} kind
 * @property {string} message
 * @property {string} [stream]
 * @property {any} [schema]
 * @property {boolean} isSchemaOmitted
 * @property {number} [endsAt] epoch milliseconds
 *
 * @typedef {object} Story
 * @property {number} from
 * @property {number} to
 * @property {any} started what the first event says
 * @property {any} [ended] the terminal event
 * @property {StreamStory[]} streams
 * @property {Question} [question] the one that waits
 * @property {{id: string, message: string, at: string}[]} notes to the owner that are open
 * @property {any[]} gaps
 * @property {import('../timeline/layout.js').Bar[]} waits for answers
 */

const ENDS = ['run.completed', 'run.failed', 'run.cancelled', 'run.abandoned'];

/** How a question ended, as bars are told apart. */
const ANSWERS = { success: 'succeeded', cancelled: 'cancelled', timeout: 'failed' };

/**
 * @param {any[]} events in order
 * @param {number} now where what goes on ends
 * @param {{status: string, at: string | null, data: any}} [over] how it ended, for a run
 *   that has: told where no event is an end that is known
 * @returns {Story}
 */
export function story(events, now, over) {
  const ended = events.find((event) => ENDS.includes(event.event_type)) ?? (over === undefined ? undefined : endOf(over, events[events.length - 1], now));
  const from = events.length > 0 ? at(events[0]) : now;
  const whole = /** @type {Story} */ ({
    from, to: Math.max(ended === undefined ? now : at(ended), from + 1), started: {}, ended, streams: [], notes: [], gaps: [], waits: [],
  });
  const streams = new Map();
  events.forEach((event) => tell(whole, streams, event));
  if (ended !== undefined) {
    whole.question = undefined;
    whole.notes = [];
    whole.gaps = ended.data.known_gaps ?? whole.gaps;
    ended.data.collection_facts?.streams?.forEach((/** @type {any} */ facts) => settle(streamOf(streams, facts.stream), facts));
    whole.waits.filter((wait) => wait.outcome === 'open').forEach((wait) => { wait.to = at(ended); });
  }
  whole.streams = [...streams.values()];
  return whole;
}

/** An end that another release has told in its own way: at the latest event where nothing says when. */
const endOf = ({ status, at: instant, data }, last, /** @type {number} */ now) => ({
  event_type: `run.${status}`, event_seq: last?.event_seq ?? 0, occurred_at: instant ?? last?.occurred_at ?? new Date(now).toISOString(), data,
});

/**
 * The events without the oldest reports of progress, of which a long run has most and whose latest alone count.
 * @param {any[]} events in order
 * @param {number} most more are left only where others than those are more
 * @returns {any[]}
 */
export function latest(events, most) {
  let left = events.length - most;
  return left <= 0 ? events : events.filter((event) => event.event_type !== 'run.progress_reported' || left-- <= 0);
}

const at = (/** @type {any} */ event) => Date.parse(event.occurred_at);

/** @returns {StreamStory} */
function streamOf(streams, name) {
  if (!streams.has(name)) {
    streams.set(name, { name, from: NaN, to: NaN, sequence: 0, stored: 0, rejected: 0 });
  }
  return streams.get(name);
}

function tell(whole, streams, event) {
  const { data } = event;
  const name = event.stream_id ?? data.stream_id ?? data.stream;
  const stream = typeof name === 'string' && event.event_type !== 'run.started' ? heardOf(streamOf(streams, name), event) : undefined;
  switch (event.event_type) {
    case 'run.started':
      whole.started = data;
      data.scope_streams?.forEach((/** @type {string} */ each) => streamOf(streams, each));
      break;
    case 'run.progress_reported':
      if (stream !== undefined) {
        Object.assign(stream, { message: data.message, count: data.count, total: data.total });
      }
      break;
    case 'run.batch_ingested':
      if (stream !== undefined) {
        stream.stored += data.records_accepted ?? 0;
        stream.rejected += data.records_rejected ?? 0;
      }
      break;
    case 'run.state_staged':
      if (stream !== undefined) {
        stream.checkpoint = 'staged';
      }
      break;
    case 'run.state_advanced':
      if (stream !== undefined) {
        stream.checkpoint = 'committed';
      }
      break;
    case 'run.stream_skipped':
      if (stream !== undefined) {
        stream.skipped = data.reason;
      }
      whole.gaps.push(...gapOf(data));
      break;
    case 'run.detail_gap_recorded':
      whole.gaps.push(...gapOf(data));
      break;
    case 'run.interaction_required':
      whole.question = asked(event);
      whole.waits.push({ kind: 'queued', from: at(event), to: whole.to, text: `asks: ${data.message}`, sequence: event.event_seq, outcome: 'open' });
      break;
    case 'run.interaction_completed':
      whole.question = undefined;
      Object.assign(whole.waits[whole.waits.length - 1] ?? {}, { to: at(event), outcome: ANSWERS[data.status] ?? 'failed' });
      break;
    case 'run.assistance_requested':
      if (data.response_contract === 'none') {
        whole.notes.push({ id: data.assistance_request_id, message: data.message, at: event.occurred_at });
      }
      break;
    case 'run.assistance_resolved':
    case 'run.assistance_cancelled':
    case 'run.assistance_timed_out':
      whole.notes = whole.notes.filter((/** @type {any} */ note) => note.id !== data.assistance_request_id);
      break;
    default:
  }
}

function heardOf(stream, event) {
  stream.from = Number.isNaN(stream.from) ? at(event) : stream.from;
  stream.to = at(event);
  stream.sequence = event.event_seq;
  return stream;
}

const gapOf = (data) => (data.known_gap === undefined ? [] : [data.known_gap]);

/** @returns {Question} */
function asked(event) {
  const { data } = event;
  return {
    id: data.interaction_id, kind: data.kind, message: data.message, stream: data.stream ?? undefined, schema: data.schema, isSchemaOmitted: data.schema_omitted === true,
    endsAt: data.timeout_seconds === undefined ? undefined : at(event) + data.timeout_seconds * 1_000,
  };
}

/** What the end of the run says of a stream counts more than what was heard on the way. */
function settle(stream, facts) {
  stream.stored = facts.collected ?? stream.stored;
  stream.checkpoint = facts.checkpoint ?? stream.checkpoint;
  stream.skipped = facts.skipped?.reason ?? stream.skipped;
}

/**
 * The story as bars to scale.
 * @param {Story} whole
 * @returns {import('../timeline/layout.js').Layout}
 */
export function storyLayout(whole) {
  const outcome = whole.ended === undefined ? 'open' : { 'run.completed': 'succeeded', 'run.cancelled': 'cancelled', 'run.abandoned': 'lost' }[whole.ended.event_type] ?? 'failed';
  const run = { kind: 'attempt', from: whole.from, to: whole.to, text: whole.ended === undefined ? 'under way' : words(whole.ended.event_type), sequence: whole.ended?.event_seq ?? 0, outcome };
  return /** @type {any} */ ({
    from: whole.from,
    to: whole.to,
    rows: [
      { label: 'run', depth: 0, bars: [run] },
      ...(whole.waits.length === 0 ? [] : [{ label: 'questions', depth: 0, bars: whole.waits }]),
      ...whole.streams.map((stream) => ({ label: stream.name, depth: 0, bars: Number.isNaN(stream.from) ? [] : [barOf(stream, whole)] })),
    ],
    heartbeats: 0,
    stepsLeftOut: 0,
  });
}

const words = (/** @type {string} */ type) => type.replace('run.', '');

function barOf(stream, whole) {
  return {
    kind: 'step', from: stream.from, to: stream.to, text: stream.skipped === undefined ? stream.message ?? stream.name : `skipped: ${stream.skipped}`, sequence: stream.sequence,
    outcome: stream.skipped !== undefined ? 'failed' : whole.ended === undefined ? 'open' : stream.checkpoint === 'not_committed' ? 'failed' : 'succeeded',
  };
}

/** What a question asks for where the connector gives no schema, by the protocol. */
const USUAL = {
  credentials: { type: 'object', required: ['username', 'password'], properties: { username: { type: 'string', title: 'Username' }, password: { type: 'string', title: 'Password', format: 'password' } } },
  otp: { type: 'object', required: ['code'], properties: { code: { type: 'string', title: 'Code' } } },
};
const SECRET_NAME = /pass|pin|secret|token|puk|cvv|cvc|key/i;

/**
 * The schema of the form, in which what may be a secret is written as one; undefined where nothing is to be filled in.
 * @param {{kind: string, schema?: any}} question
 */
export function answerSchema({ kind, schema }) {
  const asked = schema ?? USUAL[/** @type {'otp'} */ (kind)];
  if (asked?.properties === undefined) {
    return asked;
  }
  const properties = Object.entries(asked.properties).map(([name, each]) => [name, kind === 'credentials' && isPlainText(each) && SECRET_NAME.test(name) ? { ...each, format: 'password' } : each]);
  return { ...asked, properties: Object.fromEntries(properties) };
}

const isPlainText = (/** @type {any} */ schema) => schema?.type === 'string' && schema.enum === undefined && schema.format === undefined;
