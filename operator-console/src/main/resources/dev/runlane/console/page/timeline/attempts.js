/** The attempts of a run, each with what became of it. Pure: no page and no clock. */
import { outcomeWithoutEnd } from './layout.js';

/**
 * @typedef {object} Attempt
 * @property {number} number
 * @property {string} worker
 * @property {string} startedAt
 * @property {string} [endedAt]
 * @property {'succeeded'|'failed'|'retried'|'released'|'cancelled'|'lost'|'open'} [outcome] none where it is not known
 * @property {{code: string, message: string}} [failure]
 * @property {string} [reason] why it was released
 * @property {string} [nextAt] when the next is due
 * @property {number} sequence of the event that it began with
 */

const ENDS = {
  'run.succeeded': 'succeeded', 'run.failed': 'failed', 'run.retry_scheduled': 'retried', 'run.released': 'released', 'run.cancelled': 'cancelled',
};

/**
 * @param {any[]} events in order
 * @param {any} [ended] the run, where it has ended: its history may be longer than these events
 * @returns {Attempt[]} the first one first
 */
export function attemptsOf(events, ended) {
  const all = /** @type {Attempt[]} */ ([]);
  let worker = '';
  for (const event of events) {
    const open = all[all.length - 1]?.outcome === 'open' ? all[all.length - 1] : undefined;
    if (event.type === 'run.lease_claimed') {
      worker = event.lease?.workerId ?? '';
    }
    if (open !== undefined && (event.type === 'run.lease_claimed' || event.type === 'run.started')) {
      Object.assign(open, { outcome: 'lost', endedAt: event.occurredAt });
    }
    if (event.type === 'run.started') {
      all.push({ number: event.attempt, worker, startedAt: event.occurredAt, outcome: 'open', sequence: event.sequence });
    } else if (open !== undefined && ENDS[event.type] !== undefined) {
      Object.assign(open, { outcome: ENDS[event.type], endedAt: event.occurredAt, failure: event.failure, reason: event.reason, nextAt: event.retryAt ?? event.resumeAt });
    }
  }
  const last = all[all.length - 1];
  if (last?.outcome === 'open') {
    last.outcome = outcomeWithoutEnd(last.number, ended);
    last.endedAt = last.outcome === 'open' || last.outcome === undefined ? undefined : ended.finishedAt;
  }
  return all;
}
