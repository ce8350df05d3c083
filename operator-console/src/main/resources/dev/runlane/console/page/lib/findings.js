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
 * The tasks that no living process works on: none where not all processes are known.
 * @param {{id: string}[]} tasks
 * @param {{isGone: boolean, tasks: string[]}[]} processes
 * @param {boolean} isCut whether there are more processes
 */
export const withoutWorker = (tasks, processes, isCut) => {
  const worked = new Set(processes.flatMap((process) => (process.isGone ? [] : process.tasks)));
  return isCut ? [] : tasks.filter((task) => !worked.has(task.id));
};
