/** Where something is that a person typed: a run, the runs of a tag or a key, a task, a queue, a job. */
import { ApiError, get, path } from './api.js';
import { serverNow } from './clock.js';
import { queueNames } from './findings.js';

const MOST_PAGES = 5;
/** So many of a kind are told one by one. */
const MOST_OF_A_KIND = 10;
/** Dots alone in an address lead elsewhere. */
const DOTS = /^\.{1,2}$/;
const KEYS = { concurrencyKey: 'Runs with the concurrency key', idempotencyKey: 'Runs with the idempotency key', singletonKey: 'Runs with the singleton key' };

/** The letters of ids, of which the first ten are when a run was made, and how many are enough to look for it. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const BEGINNING = /^run_[0-9a-hjkmnp-tv-z]{6,25}$/;
const LETTERS_OF_TIME = 10;
/** So long before or after its id a run is made: by one clock, or else at the most. */
const APART_MILLIS = [50, 1_500];
const PAGE = 200;
/** Jobs have no longer ids, and the API refuses to look for them. */
const LONGEST_JOB_ID = 255;
/** What is made later than that is no time. */
const DAY_MILLIS = 86_400_000;

/**
 * @typedef {{kind: string, name: string, address: string}} Place
 * @typedef {{places: Place[], isCut: boolean}} Found
 */

/**
 * All that may be meant, what is called exactly so first. Fails where the API does.
 * @param {string} wanted
 * @param {string[]} [serves] what the console serves beside runs
 * @returns {Promise<Found>}
 */
export async function find(wanted, serves = []) {
  const isTag = wanted.includes(':'); // which neither ids nor names of runs have: the API refuses them
  if (!isTag && !DOTS.test(wanted)) {
    const { data: events } = await get(path`runs/${wanted}/events`, { limit: 1 }); // none where there is no such run
    if (events.length > 0) {
      return whole([runPlace(wanted)]);
    }
  }
  const found = await Promise.all([...(isTag ? [tag(wanted)] : [keys(wanted), tasksAndQueues(wanted), runsThatBegin(wanted)]), ...(serves.includes('jobs') ? [jobQueues(wanted), job(wanted)].map((each) => each.catch(restWhereAway)) : [])]);
  const places = found.flatMap((each) => each.places);
  const isMeant = (/** @type {Place} */ place) => (place.name === wanted ? 0 : 1);
  return { places: places.sort((one, other) => isMeant(one) - isMeant(other)), isCut: found.some((each) => each.isCut) };
}

const whole = (/** @type {Place[]} */ places) => ({ places, isCut: false });

/** @returns {Place} */
const runPlace = (/** @type {string} */ id) => ({ kind: 'Run', name: id, address: `/runs/${encodeURIComponent(id)}` });

/** A tag is a place though no run has it: the list says so. */
async function tag(/** @type {string} */ wanted) {
  await anyOf('tag', wanted).catch(noneIfMasked);
  return whole([{ kind: 'Runs with the tag', name: wanted, address: `/runs?${new URLSearchParams({ tag: wanted })}` }]);
}

/** Keys by which runs are found; those of which a run is further back than was looked too. */
async function keys(/** @type {string} */ wanted) {
  const found = await Promise.all(Object.entries(KEYS).map(async ([name, kind]) => ((await anyOf(name, wanted).catch(noneIfMasked))
    ? [{ kind, name: wanted, address: `/runs?${new URLSearchParams({ [name]: wanted })}` }] : [])));
  return whole(found.flat());
}

/**
 * Whether a list has a run, or may have one further back than a few pages. A page may have none and still a next one, since
 * the storage looks at a bounded number of runs for it.
 */
async function anyOf(/** @type {string} */ name, /** @type {string} */ wanted) {
  let cursor;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await get('runs', { [name]: wanted, limit: 1, cursor });
    if (answer.data.length > 0) {
      return true;
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) {
      return false;
    }
  }
  return true;
}

/** Who may not see what is asked for finds it by the rest. */
function noneIfMasked(/** @type {unknown} */ failure) {
  if (failure instanceof ApiError && failure.code === 'filter_masked') {
    return undefined;
  }
  throw failure;
}

/** The names that have the text, in upper or lower case, as places below an address: no more than are told. */
function named(/** @type {Iterable<string>} */ names, /** @type {string} */ wanted, /** @type {string} */ kind, /** @type {string} */ below) {
  const fitting = [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted.toLowerCase())).sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
  return { places: fitting.slice(0, MOST_OF_A_KIND).map((name) => ({ kind, name, address: `${below}/${encodeURIComponent(name)}` })), isCut: fitting.length > MOST_OF_A_KIND };
}

/** Jobs may be of another database: where that is down, the rest is told, and that there may be more. */
function restWhereAway(/** @type {unknown} */ failure) {
  if (failure instanceof ApiError && failure.status >= 500) {
    return { places: [], isCut: true };
  }
  throw failure;
}

async function tasksAndQueues(/** @type {string} */ wanted) {
  const [tasks, known, paused, depths, names] = await Promise.all([get('tasks'), get('queues'), get('paused-queues'), get('depths'), get('process-names')]);
  const found = [
    named(tasks.data.map((/** @type {any} */ task) => task.id), wanted, 'Task', '/tasks'),
    named(queueNames(known.data, paused.data, depths.sample, names), wanted, 'Queue', '/queues'),
  ];
  return { places: found.flatMap((each) => each.places), isCut: found.some((each) => each.isCut) };
}

async function jobQueues(/** @type {string} */ wanted) {
  return named((await get('job-queues')).data.map((/** @type {any} */ queue) => queue.name), wanted, 'Job queue', '/jobs');
}

async function job(/** @type {string} */ id) {
  const found = id.length > LONGEST_JOB_ID || DOTS.test(id) ? undefined : await get(path`jobs/${id}`).catch(noneIfMasked);
  return whole((found?.data ?? []).map((/** @type {any} */ each) => ({ kind: `Job of ${each.queueName}`, name: id, address: `/jobs/${encodeURIComponent(each.queueName)}/${encodeURIComponent(id)}` })));
}

/** The runs whose id, which has the time in it, begins so: no index has the beginnings, but one has when they were made. */
async function runsThatBegin(/** @type {string} */ wanted) {
  if (!BEGINNING.test(wanted) || madeWithin(wanted)[0] > serverNow() + DAY_MILLIS) {
    return whole([]);
  }
  const near = await begunAround(wanted, APART_MILLIS[0]);
  return near.places.length > 0 || near.isCut ? near : begunAround(wanted, APART_MILLIS[1]);
}

/** @returns {Promise<Found>} */
async function begunAround(/** @type {string} */ wanted, /** @type {number} */ apart) {
  const [from, until] = madeWithin(wanted);
  const found = [];
  let cursor;
  for (let page = 0; page < MOST_PAGES && found.length <= MOST_OF_A_KIND; page++) {
    const answer = await get('runs', { createdFrom: instant(from - apart), createdBefore: instant(until + apart), direction: 'asc', limit: PAGE, cursor });
    found.push(...answer.data.map((/** @type {any} */ run) => run.id).filter((/** @type {string} */ id) => id.startsWith(wanted)));
    cursor = answer.nextCursor;
    if (cursor === undefined) {
      break;
    }
  }
  return { places: found.slice(0, MOST_OF_A_KIND).map(runPlace), isCut: cursor !== undefined || found.length > MOST_OF_A_KIND };
}

const instant = (/** @type {number} */ millis) => new Date(Math.max(0, millis)).toISOString();

/**
 * Between which instants ids were made that begin so, in epoch milliseconds.
 * @param {string} beginning of an id
 * @returns {[number, number]} the earliest, and the first behind the latest
 */
export function madeWithin(beginning) {
  const letters = beginning.slice('run_'.length).slice(0, LETTERS_OF_TIME);
  const first = [...letters].reduce((sum, letter) => sum * LETTERS.length + LETTERS.indexOf(letter), 0);
  const step = LETTERS.length ** (LETTERS_OF_TIME - letters.length);
  return [first * step, (first + 1) * step];
}
