import { test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.localStorage = { getItem: () => null };
const { repeats, unbroken } = await import('./lib/format.js');

test('a limited schedule is told with its first run, which the limit does not count', () => {
  assert.equal(repeats({ cron: '0 2 * * *', tz: 'Europe/Vienna' }), 'cron 0 2 * * * in Europe/Vienna');
  assert.equal(repeats({ cron: '0 2 * * *', limit: 0 }), 'cron 0 2 * * *, once');
  assert.equal(repeats({ cron: '0 2 * * *', limit: 2 }), 'cron 0 2 * * *, 3 times at most');
  assert.match(repeats({ every: 60_000, limit: 1 }), /, 2 times at most$/);
});

test('a length of time is broken between its units alone', () => {
  assert.equal(unbroken('12 min 34 s ago'), '12\u00a0min 34\u00a0s ago');
  assert.equal(unbroken('in 5 d'), 'in 5\u00a0d');
  assert.equal(unbroken('2026-11-28 22:17:52.123 GMT+1'), '2026-11-28 22:17:52.123 GMT+1');
  assert.equal(unbroken('now'), 'now');
});
