/** What charts are drawn of: steps of time without holes, one list of numbers a name. Pure: no page and no clock. */

/** Names beyond are added up as one. */
const MOST_NAMES = 5;

/**
 * The steps from one instant to another, as seconds since 1970, which charts count in.
 * @param {number} from epoch milliseconds
 * @param {number} until not included
 * @param {number} stepMillis
 */
export function steps(from, until, stepMillis) {
  const first = Math.floor(from / stepMillis) * stepMillis;
  return Array.from({ length: Math.max(0, Math.ceil((until - first) / stepMillis)) }, (_, place) => (first + place * stepMillis) / 1_000);
}

/**
 * The groups with the largest totals by themselves, the others as one list of groups.
 * @param {any[]} groups with points
 * @param {(point: any) => number} size
 * @returns {{name: string, groups: any[]}[]}
 */
export function largest(groups, size) {
  const total = (group) => group.points.reduce((sum, point) => sum + size(point), 0);
  const sorted = [...groups].sort((one, other) => total(other) - total(one) || (one.name < other.name ? -1 : 1));
  const alone = sorted.slice(0, sorted.length > MOST_NAMES ? MOST_NAMES - 1 : MOST_NAMES).sort((one, other) => (one.name < other.name ? -1 : 1));
  const rest = sorted.slice(alone.length);
  return [...alone.map((group) => ({ name: group.name, groups: [group] })),
    ...(rest.length > 0 ? [{ name: `${rest.length} others`, groups: rest }] : [])];
}

/**
 * A number for each step: a step without a point is 0, because nothing was counted in it.
 * @param {number[]} times
 * @param {any[]} groups
 * @param {(point: any) => number} number
 */
export function counts(times, groups, number) {
  const places = new Map(times.map((time, place) => [time, place]));
  const values = times.map(() => 0);
  groups.flatMap((group) => group.points).forEach((point) => {
    const place = places.get(Date.parse(point.at) / 1_000);
    if (place !== undefined) {
      values[place] += number(point);
    }
  });
  return values;
}

/**
 * Makes counts of steps those of a minute; the last step may have begun a few minutes before the end.
 * @param {number[]} times
 * @param {number} stepMinutes
 * @param {number} until epoch milliseconds
 * @returns {(number: number, place: number) => number}
 */
export const perMinute = (times, stepMinutes, until) => (number, place) => number / Math.min(stepMinutes, Math.max(1, (until / 1_000 - times[place]) / 60));

/**
 * As {@link counts}, of what has no number where nothing happened: a gap. Of several groups the largest counts.
 * @param {number[]} times
 * @param {any[]} groups
 * @param {(point: any) => number | undefined} number
 */
export function measures(times, groups, number) {
  const places = new Map(times.map((time, place) => [time, place]));
  const values = /** @type {(number | null)[]} */ (times.map(() => null));
  groups.flatMap((group) => group.points).forEach((point) => {
    const place = places.get(Date.parse(point.at) / 1_000);
    const value = number(point);
    if (place !== undefined && value !== undefined) {
      values[place] = Math.max(values[place] ?? 0, value);
    }
  });
  return values;
}

/**
 * Depths by queue at the times when they were counted; where a count was missed, a gap.
 * @param {any[]} samples oldest first
 * @param {number} longestMillis between two counts
 * @returns {{times: number[], names: string[], values: Map<string, (number | null)[]>}}
 */
export function depths(samples, longestMillis) {
  const times = [];
  const rows = [];
  for (const sample of samples) {
    const at = Date.parse(sample.takenAt);
    if (times.length > 0 && at - times[times.length - 1] * 1_000 > longestMillis) {
      times.push(times[times.length - 1] + 1);
      rows.push(undefined);
    }
    times.push(at / 1_000);
    rows.push(new Map(sample.queues.map((queue) => [queue.queue, queue.waiting])));
  }
  const totals = new Map();
  rows.forEach((row) => row?.forEach((waiting, name) => totals.set(name, (totals.get(name) ?? 0) + waiting)));
  const names = [...totals].sort(([one, size], [other, otherSize]) => otherSize - size || (one < other ? -1 : 1)).slice(0, MOST_NAMES).map(([name]) => name).sort();
  return { times, names, values: new Map(names.map((name) => [name, rows.map((row) => (row === undefined ? null : row.get(name) ?? 0))])) };
}

/**
 * The places of numbers between gaps: no line leads to them, so they are drawn as points.
 * @param {ArrayLike<number | null | undefined>} values
 */
export function alone(values) {
  const isGap = (/** @type {number} */ place) => values[place] === null || values[place] === undefined;
  return Array.from(values, (_value, place) => place).filter((place) => !isGap(place) && isGap(place - 1) && isGap(place + 1));
}

/** So many points are drawn at most. */
const MOST_POINTS = 200;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440];

/** @param {number} minutes of a chart @returns {number} minutes of a step */
export function stepOf(minutes) {
  return STEPS.find((step) => minutes / step <= MOST_POINTS) ?? STEPS[STEPS.length - 1];
}
