/** The charts of what became of runs, for a page: drawn by queue or by task. */
import { html, nothing } from '../lib/html.js';
import { count, duration, minuteOf, zonesOf } from '../lib/format.js';
import { text, times } from '../lib/elements.js';
import { changedQuery, go } from '../lib/location.js';
import { chart } from './chart.js';
import { MINUTE, RANGES, rangeOf } from './range.js';
import { counts, depths, largest, measures, perMinute } from './series.js';

/** Counted once a minute, and looked at every half. */
const LONGEST_BETWEEN_DEPTHS = 2.5 * MINUTE;

/** The choice of the time that is shown. */
export function rangeChoice(place) {
  const range = rangeOf(place);
  const address = (more) => `${location.pathname}${changedQuery(place.query, { from: undefined, until: undefined, ...more })}`;
  return html`<span class="chips" role="group" aria-label="Time that is shown">${RANGES.map(([minutes, name]) => html`
      <a class="chip" href=${address({ minutes })} aria-current=${!range.isChosen && range.minutes === minutes}>${name}</a>`)}
    ${range.isChosen ? html`<a class="chip" href=${address({})} aria-current="true" title="Back to the latest">${duration(range.until - range.from)} until ${minuteOf(range.until, times.style === 'utc')} ✕</a>` : nothing}
    <span class="faint">times in ${zonesOf(range.from, range.until, times.style === 'utc')}</span></span>`;
}

const ended = (point) => point.succeeded + point.failed + point.cancelled;

const rate = (value) => (value >= 10 || value === 0 ? count(Math.round(value)) : String(Math.round(value * 100) / 100));

/**
 * Throughput, failures and start latency, side by side.
 * @param {any} series as {@link readSeries} answers it
 * @param {import('../lib/location.js').Place} place whose range a drag over a chart changes
 */
export function throughputCharts(series, place) {
  const choose = (from, until) => go(`${location.pathname}${changedQuery(place.query, {
    minutes: undefined,
    from: new Date(Math.floor(from / MINUTE) * MINUTE).toISOString(), until: new Date(Math.ceil(until / MINUTE) * MINUTE).toISOString(),
  })}`);
  const names = largest(series.groups, ended);
  const each = perMinute(series.times, series.stepMinutes, series.range.until);
  const shared = { times: series.times, choose };
  const step = series.stepMinutes === 1 ? 'per minute' : `per minute, over ${duration(series.stepMinutes * MINUTE)}`;
  return html`
    ${chart({ ...shared, title: 'Runs ended', note: step, format: rate,
      lines: names.map(({ name, groups }, colour) => ({ name, colour, values: counts(series.times, groups, ended).map(each) })) })}
    ${chart({ ...shared, title: 'Attempts failed', note: step, format: rate, lines: series.groups.length === 0 ? [] : [
      { name: 'for good', isBad: true, isBars: true, values: counts(series.times, series.groups, (point) => point.failed + point.lost).map(each) },
      { name: 'tried again', colour: 5, isStepped: true, values: counts(series.times, series.groups, (point) => point.retried).map(each) }] })}
    ${chart({ ...shared, title: 'Start latency', note: 'due to started; p99, dashed p50', format: duration, isTime: true,
      empty: 'No attempt began in this time.',
      lines: names.flatMap(({ name, groups }, colour) => [
        { name: `${name} p99`, colour, values: measures(series.times, groups, (point) => point.waited.p99Millis) },
        { name: `${name} p50`, colour, isDashed: true, values: measures(series.times, groups, (point) => point.waited.p50Millis) }]) })}`;
}

/** @param {any[]} samples @param {string} [queue] this one alone */
export function depthChart(samples, queue) {
  const found = depths(queue === undefined ? samples : samples.map((sample) => ({ ...sample, queues: sample.queues.filter((each) => each.queue === queue) })),
    LONGEST_BETWEEN_DEPTHS);
  return chart({
    title: 'Due and waiting', note: 'once a minute, since this console began', format: (value) => count(Math.round(value)), times: found.times,
    empty: samples.length === 0 ? 'Nothing has been counted yet.' : 'Nothing waited in any queue.',
    lines: found.names.map((name, colour) => ({ name, colour, values: found.values.get(name) ?? [] })),
  });
}

/** Says what is missing from the charts. */
export const cutNote = (series) => series.isCut
  ? html`<p class="faint">There is too much to add up for all of this time: the charts begin at ${text(minuteOf(Date.parse(series.from), times.style === 'utc'))}.</p>` : nothing;
