import { beforeEach, mock, test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.sessionStorage = { getItem: () => null };
globalThis.window = { dispatchEvent() {} };
const { serverNow } = await import('./lib/clock.js');
const { get } = await import('./lib/api.js');
const { latelyRange } = await import('./chart/lately.js');
const { rangeOf } = await import('./chart/range.js');

const NOON = Date.parse('2026-05-01T12:00:00Z');
const HOUR = 3_600_000;

/** A console whose clock is right and which takes so long, beside a browser whose clock is ahead by so much. */
async function ask({ at, browserAhead, takes = 0 }) {
  mock.timers.setTime(at + browserAhead);
  globalThis.fetch = async () => {
    mock.timers.setTime(at + browserAhead + takes);
    return new Response('{}', { headers: { date: new Date(at).toUTCString() } });
  };
  await get('session');
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now: NOON });
});

test('a browser whose clock is wrong by hours asks for the minutes that have been, and tells how long ago by the server', async () => {
  for (const browserAhead of [-9 * HOUR, 9 * HOUR]) {
    await ask({ at: NOON, browserAhead });
    assert.ok(Math.abs(serverNow() - NOON) <= 1_000, String(serverNow() - NOON));
    assert.ok(Math.abs(latelyRange().until - NOON) <= 2 * 60_000);
    assert.ok(Math.abs(rangeOf({ parts: [], query: new URLSearchParams() }).until - NOON) <= 2 * 60_000);
  }
});

test('a clock that is right stays so however long answers take', async () => {
  await ask({ at: NOON, browserAhead: 0 });
  for (const takes of [0, 400, 59_000]) {
    await ask({ at: NOON, browserAhead: 0, takes });
    assert.ok(Math.abs(serverNow() - (NOON + takes)) <= 1_000, String(serverNow() - NOON - takes));
  }
});

test('a clock that is set right while the page is open is believed again, and an answer without a date tells nothing', async () => {
  await ask({ at: NOON, browserAhead: 2 * HOUR });
  await ask({ at: NOON, browserAhead: 0 });
  globalThis.fetch = async () => new Response('{}');
  await get('session');
  assert.ok(Math.abs(serverNow() - NOON) <= 1_000);
});
