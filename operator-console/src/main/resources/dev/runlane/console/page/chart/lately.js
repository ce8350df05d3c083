/** How it went in the last quarter of an hour, in few numbers. Pure but for the clock of {@link latelyRange}. */
import { serverNow } from '../lib/clock.js';
import { count } from '../lib/format.js';

const MINUTES = 15;
const MINUTE = 60_000;

/** The last minutes that are complete. */
export function latelyRange(now = serverNow()) {
  const until = Math.floor((now - MINUTE) / MINUTE) * MINUTE;
  return { from: until - MINUTES * MINUTE, until, minutes: MINUTES };
}

/**
 * The groups of which two or more, and a tenth, of what ended failed for good, with their shares in per cent.
 * @param {any[]} groups of a series of those minutes
 */
export const failing = (groups) => groups.map(({ name, points }) => {
  const failed = points.reduce((sum, point) => sum + point.failed + point.lost, 0);
  const ended = points.reduce((sum, point) => sum + point.succeeded + point.failed + point.lost, 0);
  return { name, failed, share: ended === 0 ? 0 : Math.round(failed / ended * 100) };
}).filter(({ share, failed }) => share >= 10 && failed >= 2);

/**
 * @param {any} [group] of a series of those minutes; none where nothing was counted
 * @returns {{rate: string, failed: number, waitedP50?: number, waitedP99?: number, attemptP50?: number, attemptP99?: number}}
 */
export function lately(group) {
  const points = group?.points ?? [];
  const sum = (number) => points.reduce((all, point) => all + number(point), 0);
  const most = (number) => points.map(number).filter((value) => value !== undefined).reduce((one, other) => Math.max(one ?? 0, other), undefined);
  const rate = sum((point) => point.succeeded + point.failed + point.cancelled) / MINUTES;
  return {
    rate: rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : count(Math.round(rate)),
    failed: sum((point) => point.failed + point.lost),
    waitedP50: most((point) => point.waited.p50Millis),
    waitedP99: most((point) => point.waited.p99Millis),
    attemptP50: most((point) => point.attempt.p50Millis),
    attemptP99: most((point) => point.attempt.p99Millis),
  };
}
