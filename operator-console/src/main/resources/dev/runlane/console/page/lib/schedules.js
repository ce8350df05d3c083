/** What the storage and this process know of schedules, put together. Pure: no page and no clock. */

/** A scheduler registers its schedules each minute: one that is not registered for a day is none of the program any more. */
const KNOWN_MILLIS = 86_400_000;

/**
 * @param {any[]} states of the storage
 * @param {any[]} tasks of which this process knows the schedules, each as `local`
 */
export function mergedSchedules(states, tasks) {
  const here = tasks.flatMap((task) => task.schedules.map((schedule) => ({ taskId: task.id, scheduleId: schedule.id, local: schedule })));
  const known = states.map((state) => ({ ...state, local: here.find((each) => each.taskId === state.taskId && each.scheduleId === state.scheduleId)?.local }));
  return [...known, ...here.filter((each) => !states.some((state) => state.taskId === each.taskId && state.scheduleId === each.scheduleId))];
}

/** Whether no process has the schedule any more. */
export const hasLeft = (/** @type {any} */ schedule, /** @type {number} */ now) => schedule.lastSeen !== undefined && now - Date.parse(schedule.lastSeen) > KNOWN_MILLIS;

/**
 * The instants at which it fires next, or would if it were not paused.
 * @param {any} schedule as {@link mergedSchedules} tells it
 * @param {number} now epoch milliseconds
 * @returns {string[]}
 */
export const comingFires = (schedule, now) => (hasLeft(schedule, now) || schedule.local?.enabled === false ? []
  : schedule.local?.nextFires ?? (schedule.nextFire === undefined ? [] : [schedule.nextFire]));

/** The next instant at which one of them makes a run. */
export const nextFire = (/** @type {any[]} */ schedules, /** @type {number} */ now) => schedules.filter((schedule) => schedule.pause === undefined)
  .flatMap((schedule) => comingFires(schedule, now).slice(0, 1)).sort((one, other) => Date.parse(one) - Date.parse(other))[0];
