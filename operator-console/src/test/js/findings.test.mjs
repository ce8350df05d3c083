import { test } from 'node:test';
import assert from 'node:assert/strict';
import { depthNow, lateSteps, longestDue, queueNames, uncountedSince, withoutWorker } from './lib/findings.js';
import { comingFires, hasLeft, mergedSchedules, nextFire } from './lib/schedules.js';

const at = (minute) => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const now = Date.parse(at(30));

test('what waits longest is what is due, by when it was to begin, whatever its status', () => {
  const runs = [{ id: 'delayed to tomorrow', createdAt: at(0), runAt: at(31) }, { id: 'new', createdAt: at(29) },
    { id: 'retried', createdAt: at(1), runAt: at(25) }, { id: 'old', createdAt: at(20) }, { id: 'due now', createdAt: at(2), runAt: at(30) }];
  assert.deepEqual(longestDue(runs, now).map(({ id, dueAt }) => [id, dueAt]),
    [['old', at(20)], ['retried', at(25)], ['new', at(29)], ['due now', at(30)]]);
});

test('what a queue has is counted of its runs where all are read, else what was counted last, but no less than what is read', () => {
  const waiting = [{ createdAt: at(29) }, { createdAt: at(1), runAt: at(25) }, { createdAt: at(1), runAt: at(31) }];
  const sampled = { waiting: 0, later: 40_000, held: 7, oldestDueAt: at(3) };
  const told = (/** @type {any} */ { waiting: due, later, held, oldestDueAt }) => [...[due, later, held].map(({ value, isLeast }) => (isLeast ? `${value}+` : value)), oldestDueAt];
  assert.deepEqual(told(depthNow(waiting, [{}, {}], false, sampled, now)), [2, 1, 2, at(25)]);
  assert.deepEqual(told(depthNow(waiting, [{}, {}], true, sampled, now)), ['2+', 40_000, 7, at(3)]);
  assert.deepEqual(told(depthNow(waiting, [], true, undefined, now)), ['2+', '1+', 0, at(25)]);
  assert.deepEqual(told(depthNow([], [], false, undefined, now)), [0, 0, 0, undefined]);
});

test('queues are known of this process, of those that live, and where something waits or is paused', () => {
  const names = queueNames([{ name: 'own' }], [{ queue: 'paused' }], { queues: [{ queue: 'deep' }] }, { queues: ['theirs'] });
  assert.deepEqual([names, queueNames([], [], undefined, { queues: [] })], [['own', 'paused', 'theirs', 'deep'], []]);
});

test('of a schedule that left the program, is disabled or paused no fire is announced', () => {
  const yesterday = '2026-02-28T10:29:59Z';
  const state = (scheduleId, rest = {}) => ({ taskId: 'mail', scheduleId, lastSeen: at(29), nextFire: at(45), ...rest });
  const local = (id, enabled = true) => ({ id, enabled, nextFires: [at(40), at(50)] });
  const schedules = mergedSchedules(
    [state('elsewhere'), state('gone', { lastSeen: yesterday }), state('off', { nextFire: undefined }), state('paused', { pause: {} })],
    [{ id: 'mail', schedules: [local('paused'), local('off', false), local('new')] }]);
  assert.deepEqual(schedules.map((each) => [each.scheduleId, hasLeft(each, now), comingFires(each, now)]), [
    ['elsewhere', false, [at(45)]], ['gone', true, []], ['off', false, []], ['paused', false, [at(40), at(50)]], ['new', false, [at(40), at(50)]]]);
  const named = (/** @type {string} */ id) => nextFire(schedules.filter((each) => each.scheduleId === id), now);
  assert.deepEqual([nextFire(schedules, now), named('paused'), named('gone'), named('elsewhere')], [at(40), undefined, undefined, at(45)]);
});

test('a task is without a worker where all processes are known, none that lives works on it, and it was there within a day', () => {
  const tasks = [{ id: 'mail' }, { id: 'ship' }, { id: 'stock', publishedAt: at(0) }, { id: 'removed', publishedAt: '2026-02-28T10:29:59Z' }];
  assert.deepEqual(withoutWorker(tasks, { tasks: ['mail'], isCut: false }, now).map(({ id }) => id), ['ship', 'stock']);
  assert.deepEqual(withoutWorker(tasks, { tasks: ['mail'], isCut: true }, now), []);
});

test('it is told where nobody counts what waits, and where nobody works on remote steps', () => {
  assert.equal(uncountedSince(undefined, now), undefined);
  assert.equal(uncountedSince({ takenAt: at(25) }, now), undefined);
  assert.equal(uncountedSince({ takenAt: at(24) }, now), at(24));
  const steps = [{ group: 'new', waiting: 9, oldestAt: at(20) }, { group: 'dead', waiting: 4_000, oldestAt: at(19) }];
  assert.deepEqual(lateSteps({ steps }, now).map(({ group }) => group), ['dead']);
  assert.deepEqual([lateSteps(undefined, now), lateSteps({}, now)], [[], []]); // a release before says nothing of steps
});
