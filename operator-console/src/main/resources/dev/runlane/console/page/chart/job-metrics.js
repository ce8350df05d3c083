/** The charts of what ended in a job queue. */
import { html } from '../lib/html.js';
import { get, path } from '../lib/api.js';
import { count, duration } from '../lib/format.js';
import { chart } from './chart.js';
import { rangeOf } from './range.js';
import { counts, measures, steps } from './series.js';

const MINUTE = 60_000;

/** @param {string} queue @param {import('../lib/location.js').Place} place whose range is asked for */
export async function readJobMetrics(queue, place, /** @type {AbortSignal} */ signal) {
  const { from, until } = rangeOf(place);
  const answer = await get(path`job-queues/${queue}/metrics`, { from: new Date(from).toISOString(), until: new Date(until).toISOString() }, signal);
  const step = answer.stepMinutes * MINUTE;
  return { ...answer, times: steps(Math.ceil(from / step) * step, until, step) };
}

export function jobMetricsCharts(/** @type {any} */ { isKept, stepMinutes, times, data }) {
  if (!isKept) {
    return html`<p class="faint">This job store keeps no metrics: its option <code>metricsEnabled</code> has them kept.</p>`;
  }
  const groups = data.length === 0 ? [] : [{ points: data }];
  const note = stepMinutes === 1 ? 'per minute' : 'per hour';
  const whole = (/** @type {number} */ value) => count(Math.round(value));
  return html`<div class="charts">${chart({ times, title: 'Jobs ended', note, format: whole, empty: 'No job ended in this time; the minute that goes on is not shown yet.', lines: groups.length === 0 ? [] : [
      { name: 'completed', colour: 0, values: counts(times, groups, (point) => point.completed) },
      { name: 'failed', isBad: true, isBars: true, values: counts(times, groups, (point) => point.failed) }] })}
    ${chart({ times, title: 'How long they took', note: 'from fetch to end', format: duration, isTime: true, empty: 'No job ended in this time; the minute that goes on is not shown yet.', lines: groups.length === 0 ? [] : [
      { name: 'longest', colour: 1, values: measures(times, groups, (point) => point.longestMillis) },
      { name: 'average', colour: 0, values: measures(times, groups, (point) => point.averageMillis) }] })}</div>`;
}
