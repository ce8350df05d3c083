import { test } from 'node:test';
import assert from 'node:assert/strict';
import { failuresAlike, NO_CODE, shapeOf } from './lib/failures.js';
import { attemptsOf } from './timeline/attempts.js';

const at = (minute) => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const failed = (id, minute, message, taskId = 'mail', code = 'task_failed') => ({ id, taskId, createdAt: at(minute - 90), updatedAt: at(minute), failure: { code, message } });

test('messages that differ in numbers, ids and quoted words are alike, others are not', () => {
  assert.equal(shapeOf('order 17 of run_01m8av431ba29b1e9ctwazndgx: 503'), shapeOf('order 18 of run_01m8av431ba29b1e9ctwaznxyz: 504'));
  assert.equal(shapeOf('no such user "ada"'), shapeOf('no such user "bob"'));
  assert.notEqual(shapeOf('connection refused'), shapeOf('connection reset'));
  assert.equal(shapeOf('x'.repeat(400)).length, 300);
  assert.ok(shapeOf(`"${'a'.repeat(1_000)}`.repeat(1_000)).length <= 300); // and does not look for ever
});

test('failures are counted by task, code and shape, the largest group first', () => {
  const groups = failuresAlike([
    failed('r5', 50, 'timeout after 31 s'), failed('r4', 40, 'no such user', 'mail', 'validation_failed'), failed('r3', 30, 'timeout after 30 s'),
    failed('r2', 20, 'timeout after 30 s', 'ship'), failed('r1', 0, 'timeout after 29 s'),
  ], Date.parse(at(0)), Date.parse(at(60)), 6);
  assert.deepEqual(groups.map(({ taskId, code, number, latestRun }) => [taskId, code, number, latestRun]),
    [['mail', 'task_failed', 3, 'r5'], ['mail', 'validation_failed', 1, 'r4'], ['ship', 'task_failed', 1, 'r2']]);
  assert.deepEqual([groups[0].createdFrom, groups[0].first, groups[0].latest, groups[0].shares], [at(-90), at(0), at(50), [1, 0, 0, 1, 0, 1]]);
});

test('a way to fail without a code has a name that no run is looked for by', () => {
  const [group] = failuresAlike([{ id: 'r1', taskId: 'mail', createdAt: at(0), updatedAt: at(1) }], Date.parse(at(0)), Date.parse(at(60)), 6);
  assert.deepEqual([group.code, group.message], [NO_CODE, '']);
});

test('each attempt has its worker, its outcome and its own failure', () => {
  let sequence = 0;
  const event = (type, minute, rest = {}) => ({ type: `run.${type}`, sequence: ++sequence, occurredAt: at(minute), ...rest });
  const attempts = attemptsOf([
    event('created', 0), event('lease_claimed', 1, { lease: { workerId: 'w1' } }), event('started', 1, { attempt: 1 }),
    event('retry_scheduled', 2, { failure: { code: 'task_failed', message: 'busy' }, retryAt: at(5) }),
    event('lease_claimed', 6, { lease: { workerId: 'w2' } }), event('started', 6, { attempt: 2 }), event('lease_heartbeat', 7),
    event('lease_claimed', 9, { lease: { workerId: 'w3' } }), event('started', 9, { attempt: 3 }),
  ]);
  assert.deepEqual(attempts.map(({ number, worker, outcome, failure, nextAt, endedAt }) => [number, worker, outcome, failure?.message, nextAt, endedAt]), [
    [1, 'w1', 'retried', 'busy', at(5), at(2)], [2, 'w2', 'lost', undefined, undefined, at(9)], [3, 'w3', 'open', undefined, undefined, undefined]]);
});
