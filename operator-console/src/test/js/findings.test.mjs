import { test } from 'node:test';
import assert from 'node:assert/strict';
import { longestDue } from './lib/findings.js';

const at = (minute) => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const now = Date.parse(at(30));

test('what waits longest is what is due, by when it was to begin, whatever its status', () => {
  const runs = [{ id: 'delayed to tomorrow', createdAt: at(0), runAt: at(31) }, { id: 'new', createdAt: at(29) },
    { id: 'retried', createdAt: at(1), runAt: at(25) }, { id: 'old', createdAt: at(20) }, { id: 'due now', createdAt: at(2), runAt: at(30) }];
  assert.deepEqual(longestDue(runs, now).map(({ id, dueAt }) => [id, dueAt]),
    [['old', at(20)], ['retried', at(25)], ['new', at(29)], ['due now', at(30)]]);
});
