/** What an operator should look at, found in what the API answers. Pure: no page and no clock. */

/** What may be due besides `queued`: a pause, or a queue without a free slot, keeps runs where they are when their time comes. */
export const MAY_BE_DUE = ['retrying', 'released', 'scheduled'];

/**
 * The runs that are due, the longest first: by when each was to begin, which of a retry is not when it was made.
 * @param {{createdAt: string, runAt?: string}[]} runs
 * @param {number} now epoch milliseconds
 */
export const longestDue = (runs, now) => runs.map((run) => ({ ...run, dueAt: run.runAt ?? run.createdAt }))
  .filter(({ dueAt }) => Date.parse(dueAt) <= now).sort((one, other) => Date.parse(one.dueAt) - Date.parse(other.dueAt));

/**
 * What a queue has now: counted of its runs where all of them are read. Where there are more, what was counted once a minute,
 * unless more than that are read; `isLeast` then says of which there may be more still.
 * @param {{createdAt: string, runAt?: string}[]} waiting
 * @param {unknown[]} held
 * @param {boolean} isCut whether there are more of them
 * @param {{waiting: number, later: number, held: number, oldestDueAt?: string} | undefined} sampled
 * @param {number} now epoch milliseconds
 */
export const depthNow = (waiting, held, isCut, sampled, now) => {
  const due = longestDue(waiting, now);
  const read = { waiting: due.length, later: waiting.length - due.length, held: held.length };
  const told = (/** @type {'waiting' | 'later' | 'held'} */ name) => {
    const counted = isCut ? sampled?.[name] ?? 0 : 0;
    return { value: Math.max(read[name], counted), isLeast: isCut && read[name] > counted };
  };
  return { waiting: told('waiting'), later: told('later'), held: told('held'), oldestDueAt: (isCut ? sampled?.oldestDueAt : undefined) ?? due[0]?.dueAt };
};

/** Processes and schedules are known for a day. */
const KNOWN_MILLIS = 86_400_000;

/**
 * The tasks that no living process works on: none where not all processes are known, and without those that
 * no process has told of for a day: they are none of the program any more.
 * @template {{id: string, publishedAt?: string}} T
 * @param {T[]} tasks those of this process without an instant
 * @param {{tasks: string[], isCut: boolean}} names of what living processes work on
 * @param {number} now epoch milliseconds
 * @returns {T[]}
 */
export const withoutWorker = (tasks, names, now) => {
  const worked = new Set(names.tasks);
  return names.isCut ? [] : tasks.filter((task) => !worked.has(task.id) && !(now - Date.parse(task.publishedAt ?? '') > KNOWN_MILLIS));
};

/** Depths are counted once a minute. */
const LONGEST_UNCOUNTED_MILLIS = 300_000;
/** Workers of remote steps answer within this, or are asked again. */
const LATE_STEP_MILLIS = 600_000;

/** Since when nobody has counted what waits, where that is too long. @param {{takenAt: string} | undefined} sample @param {number} now epoch milliseconds */
export const uncountedSince = (sample, now) => (sample !== undefined && now - Date.parse(sample.takenAt) > LONGEST_UNCOUNTED_MILLIS ? sample.takenAt : undefined);

/**
 * The groups whose workers have not answered for long.
 * @param {{steps?: {group: string, waiting: number, oldestAt: string}[]} | undefined} sample
 * @param {number} at epoch milliseconds
 */
export const lateSteps = (sample, at) => (sample?.steps ?? []).filter((group) => at - Date.parse(group.oldestAt) > LATE_STEP_MILLIS);

/** The queues of this process and of those that live, and in which something waits or is paused. @returns {string[]} */
export const queueNames = (/** @type {any[]} */ known, /** @type {any[]} */ paused, /** @type {any} */ sample, /** @type {{queues: string[]}} */ names) => [known.map((queue) => queue.name),
  paused.map((queue) => queue.queue), names.queues, (sample?.queues ?? []).map((/** @type {any} */ queue) => queue.queue)].flat();
