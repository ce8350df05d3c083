/** The time that charts show, and what became of runs in it: asked for once. */
import { get } from '../lib/api.js';
import { serverNow } from '../lib/clock.js';
import { stepOf, steps } from './series.js';

/** What is shown unless the address says something else. */
export const RANGES = [[60, '1 hour'], [180, '3 hours'], [1_440, '1 day'], [10_080, '7 days']];
export const MINUTE = 60_000;
/** A minute is complete about so long after its end. */
const SETTLES_MILLIS = MINUTE;

/**
 * @param {import('../lib/location.js').Place} place
 * @returns {{from: number, until: number, minutes: number, isChosen: boolean}}
 */
export function rangeOf(place, now = serverNow()) {
  const from = Date.parse(place.query.get('from') ?? '');
  const until = Date.parse(place.query.get('until') ?? '');
  if (from < until) {
    return { from, until, minutes: (until - from) / MINUTE, isChosen: true };
  }
  const minutes = Number(place.query.get('minutes')) || RANGES[1][0];
  const end = Math.floor((now - SETTLES_MILLIS) / MINUTE) * MINUTE;
  return { from: end - minutes * MINUTE, until: end, minutes, isChosen: false };
}

/**
 * @param {{from: number, until: number, minutes: number}} range
 * @param {{by?: 'none' | 'queue' | 'task', queue?: string, task?: string}} what
 * @param {AbortSignal} signal
 */
export async function readSeries(range, { by = 'queue', queue, task }, signal) {
  const stepMinutes = stepOf(range.minutes);
  const series = await get('throughput/series', {
    from: new Date(range.from).toISOString(), until: new Date(range.until).toISOString(), stepMinutes, by, queue, task,
  }, signal);
  const from = Math.max(range.from, Date.parse(series.from));
  return { ...series, range, times: steps(from, range.until, stepMinutes * MINUTE) };
}
