/** Failures put together that are alike. Pure: no page and no clock. */

/**
 * @typedef {object} Group
 * @property {string} taskId
 * @property {string} code
 * @property {string} message with `…` where they differ in numbers and ids
 * @property {string} example a message as it stands
 * @property {string} latestRun
 * @property {number} number of runs
 * @property {string} createdFrom when the first of its runs was made
 * @property {string} first instant at which one failed
 * @property {string} latest
 * @property {number[]} shares of the time, runs in each
 */

/** Of runs that say none; no run is found by it. */
export const NO_CODE = 'unknown';

/** Ids and numbers: what differs from one run to the next of what failed in the same way. */
const DIFFERENT = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[a-z]+_[0-9a-z]{20,}\b|\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b|"[^"]{0,200}"|'[^']{0,200}'|[0-9]+(?:[.,:][0-9]+)*/gi;
const LONGEST = 300;

/** @param {string} message */
export const shapeOf = (message) => message.slice(0, LONGEST).replace(DIFFERENT, '…').replace(/…(?:[-\s/]*…)+/g, '…');

/**
 * @param {any[]} runs that failed, the latest first
 * @param {number} from epoch milliseconds
 * @param {number} to
 * @param {number} parts of the time
 * @returns {Group[]} the largest first
 */
export function failuresAlike(runs, from, to, parts) {
  const groups = new Map();
  for (const run of runs) {
    const at = run.finishedAt ?? run.updatedAt;
    const code = run.failure?.code ?? NO_CODE;
    const message = shapeOf(run.failure?.message ?? '');
    const key = JSON.stringify([run.taskId, code, message]);
    if (!groups.has(key)) {
      groups.set(key, { taskId: run.taskId, code, message, example: run.failure?.message ?? '', latestRun: run.id, number: 0, createdFrom: run.createdAt, first: at, latest: at, shares: new Array(parts).fill(0) });
    }
    const group = groups.get(key);
    group.number++;
    group.createdFrom = Date.parse(run.createdAt) < Date.parse(group.createdFrom) ? run.createdAt : group.createdFrom;
    group.first = at < group.first ? at : group.first;
    group.latest = at > group.latest ? at : group.latest;
    const part = Math.floor(((Date.parse(at) - from) / (to - from)) * parts);
    group.shares[Math.min(parts - 1, Math.max(0, part))]++;
  }
  return [...groups.values()].sort((one, other) => other.number - one.number || (one.latest < other.latest ? 1 : -1));
}
