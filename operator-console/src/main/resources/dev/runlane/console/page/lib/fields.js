/** Instants as fields of forms have them, in the zone that all times are written in. Pure: no page and no clock. */
import { local } from './format.js';

/** Clocks are put back by an hour at most, but for a few that were moved to another zone for good. */
const LONGEST_BACK = 3 * 3_600_000;

/**
 * An instant as a field has it, to the second.
 * @param {string | undefined} instant
 * @param {boolean} isUtc else in the reader's zone
 */
export const fieldOf = (instant, isUtc) => (instant === undefined ? '' : (isUtc ? new Date(instant).toISOString() : local(instant)).slice(0, '2026-01-01 00:00:00'.length).replace(' ', 'T'));

/**
 * The other way about; what was not touched stays as exact as it was. A time of the day that comes twice, since clocks
 * are put back, is the first of them where a range begins and the second where it ends: nothing is left out that may be
 * meant.
 * @param {unknown} said
 * @param {string | undefined} before
 * @param {boolean} isUtc
 * @param {boolean} isEnd whether a range ends there
 */
export function instantOf(said, before, isUtc, isEnd) {
  if (said === fieldOf(before, isUtc)) {
    return before;
  }
  if (said === '') {
    return undefined;
  }
  const first = new Date(isUtc ? `${said}Z` : String(said));
  const back = isUtc ? 0 : (new Date(first.getTime() + LONGEST_BACK).getTimezoneOffset() - first.getTimezoneOffset()) * 60_000;
  const second = new Date(first.getTime() + back);
  return (isEnd && back > 0 && local(second.toISOString()).slice(0, 19) === local(first.toISOString()).slice(0, 19) ? second : first).toISOString();
}
