/** The time of the console's process, which instants are held against: the clock of a browser may be wrong by hours. */

/** By how much that is ahead of the browser's clock, as far as answers tell. */
let aheadMillis = 0;

/** Epoch milliseconds. */
export const serverNow = () => Date.now() + aheadMillis;

/**
 * An answer says when its request was begun, which was between its sending and its coming: what is known of the clock
 * stays so long as it agrees with that, however long the answer took.
 * @param {string | null} date to the second, as HTTP has it
 * @param {number} sentAt by the browser's clock
 * @param {number} cameAt
 */
export function heard(date, sentAt, cameAt) {
  const begun = Date.parse(date ?? '');
  if (!Number.isNaN(begun)) {
    aheadMillis = Math.min(begun + 1_000 - sentAt, Math.max(begun - cameAt, aheadMillis));
  }
}
