import { test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.localStorage = { getItem: () => null };
const { repeats } = await import('./lib/format.js');

test('a limited schedule is told with its first run, which the limit does not count', () => {
  assert.equal(repeats({ cron: '0 2 * * *', tz: 'Europe/Vienna' }), 'cron 0 2 * * * in Europe/Vienna');
  assert.equal(repeats({ cron: '0 2 * * *', limit: 0 }), 'cron 0 2 * * *, once');
  assert.equal(repeats({ cron: '0 2 * * *', limit: 2 }), 'cron 0 2 * * *, 3 times at most');
  assert.match(repeats({ every: 60_000, limit: 1 }), /, 2 times at most$/);
});
