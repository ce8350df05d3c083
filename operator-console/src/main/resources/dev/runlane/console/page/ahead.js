/** What the first page reads, asked for while the modules that show it are still on their way. */
import { get } from './lib/api.js';
import { here } from './lib/location.js';
import { readOverview } from './pages/overview-read.js';

/** What was asked longer ago is asked anew. */
const LONGEST_MILLIS = 5_000;

const askedAt = performance.now();
const session = get('session');

/** Answers that nobody has taken yet, by name. @type {Map<string, Promise<any>>} */
const answers = new Map([['session', session]]);
if (here().parts.length === 0) {
  const isOpen = document.documentElement.dataset.logIns === ''; // else a refusal is told once, by the session
  answers.set('overview', isOpen ? readOverview(here()) : session.then(() => readOverview(here())));
}
session.catch(() => answers.delete('overview')); // who logs in reads it then
answers.forEach((answer) => answer.catch(() => undefined)); // told to who takes it

/**
 * The answer to what was asked ahead: to the first who wants it soon, and undefined to all others.
 * @param {'session' | 'overview'} name
 * @returns {Promise<any> | undefined}
 */
export function takeAhead(name) {
  const answer = answers.get(name);
  answers.delete(name);
  return performance.now() - askedAt > LONGEST_MILLIS ? undefined : answer;
}
