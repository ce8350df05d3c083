/** What the overview reads of every console. */
import { all, get, MANY } from '../lib/api.js';
import { latelyRange } from '../chart/lately.js';
import { rangeOf, readSeries } from '../chart/range.js';

/** Told one by one; one more is read to know whether there are. */
export const OPEN_ALERTS = 10;

/**
 * @param {import('../lib/location.js').Place} place
 * @param {AbortSignal} [signal]
 */
export async function readOverview(place, signal) {
  const [depths, history, processes, names, paused, tasks, schedules, failures, series, recent, alerts, full] = await Promise.all([
    get('depths', {}, signal), get('depths/history', {}, signal), all('processes', MANY, signal, { names: 0 }), get('process-names', {}, signal), get('paused-queues', {}, signal), get('tasks', {}, signal),
    all('schedules', MANY, signal), get('runs', { status: 'failed', sort: 'updatedAt', limit: 50 }, signal), readSeries(rangeOf(place), {}, signal), readSeries(latelyRange(), {}, signal),
    get('alerts', { state: 'open', limit: OPEN_ALERTS + 1 }, signal), get('full-partitions', {}, signal),
  ]);
  return {
    sample: depths.sample, history: history.data, processes: processes.data, hasMoreProcesses: processes.isCut, names, paused: paused.data, tasks: tasks.data, schedules: schedules.data,
    failures: failures.data, series, recent, alerts: alerts.data, full: full.data,
  };
}
