import { test } from 'node:test';
import assert from 'node:assert/strict';
import { attemptsOf } from './timeline/attempts.js';
import { layout, ticks, withRoom } from './timeline/layout.js';
import { absolute, clockOf, dayOf, duration, every, minuteOf, minutesText, plain, relative, secondsOf, shortMoment, spokenDuration, zoned } from './lib/format.js';

const START = Date.parse('2026-03-01T10:00:00Z');
let sequence = 0;
const event = (type, second, rest = {}) => ({ type, sequence: ++sequence, occurredAt: instant(second), ...rest });
const instant = (second) => new Date(START + second * 1_000).toISOString();
const bars = (row) => row.bars.map(({ kind, from, to, outcome }) => [kind, (from - START) / 1_000, (to - START) / 1_000, outcome]);

test('a retried run: due, tried, paused, due again, tried with success', () => {
  const drawn = layout([
    event('run.created', 0), event('run.lease_claimed', 2, { lease: { workerId: 'w1' } }), event('run.started', 2, { attempt: 1 }),
    event('run.retry_scheduled', 3, { retryAt: instant(8) }),
    event('run.lease_claimed', 10, { lease: { workerId: 'w2' } }), event('run.started', 10, { attempt: 2 }), event('run.lease_heartbeat', 11),
    event('run.succeeded', 12),
  ], START + 100_000);
  assert.deepEqual(bars(drawn.rows[0]), [['queued', 0, 2, undefined], ['pause', 3, 8, undefined], ['queued', 8, 10, undefined]]);
  assert.deepEqual(bars(drawn.rows[1]), [['attempt', 2, 3, 'retried'], ['attempt', 10, 12, 'succeeded']]);
  assert.equal(drawn.rows[1].bars[1].text, 'attempt 2 by w2');
  assert.equal(drawn.to, START + 12_000);
  assert.equal(drawn.heartbeats, 1);
});

test('an attempt whose worker died ends as lost where the next worker begins', () => {
  const drawn = layout([
    event('run.created', 0), event('run.lease_claimed', 1, { lease: { workerId: 'w1' } }), event('run.started', 1, { attempt: 1 }),
    event('run.lease_claimed', 30, { lease: { workerId: 'w2' } }), event('run.started', 31, { attempt: 2 }),
  ], START + 40_000);
  assert.deepEqual(bars(drawn.rows[1]), [['attempt', 1, 30, 'lost'], ['attempt', 31, 40, 'open']]);
});

test('an ended run whose history is cut ends when it did, and its last attempt as it did', () => {
  const events = [
    event('run.created', 0), event('run.lease_claimed', 1, { lease: { workerId: 'w1' } }), event('run.started', 1, { attempt: 1 }),
    event('run.step_requested', 4, { stepId: 'r:0', name: 'charge', group: 'node' })];
  const run = (/** @type {number} */ attempts, /** @type {string} */ status) => ({ status, finishedAt: instant(9), counters: { attempts } });
  const last = layout(events, START + 40_000, run(1, 'failed'));
  assert.equal(last.to, START + 9_000);
  assert.deepEqual(bars(last.rows[1]), [['attempt', 1, 9, 'failed']]);
  assert.deepEqual(bars(layout(events, START + 40_000, run(3, 'succeeded')).rows[1]), [['attempt', 1, 4, undefined]]);
  assert.deepEqual(bars(layout([...events, event('run.retry_scheduled', 5, { retryAt: instant(6) })], START + 40_000, run(2, 'failed')).rows[0]), [['queued', 0, 1, undefined]]);
  const ends = (/** @type {any} */ ended) => attemptsOf(events, ended).map(({ outcome, endedAt }) => [outcome, endedAt]);
  assert.deepEqual([ends(run(1, 'failed')), ends(run(3, 'succeeded')), ends(undefined)], [[['failed', instant(9)]], [[undefined, undefined]], [['open', undefined]]]);
});

test('the attempt that goes on where a cut history begins is drawn from there', () => {
  sequence = 4_000;
  const tail = [event('run.step_requested', 60, { stepId: 'r:9', name: 'charge', attempt: 2 }), event('run.retry_scheduled', 70, { attempt: 2, retryAt: instant(71) }),
    event('run.lease_claimed', 72, { lease: { workerId: 'w2' } }), event('run.started', 72, { attempt: 3 })];
  const drawn = layout(tail, START + 80_000);
  assert.equal(drawn.from, START + 60_000);
  assert.deepEqual(bars(drawn.rows[1]), [['attempt', 60, 70, 'retried'], ['attempt', 72, 80, 'open']]);
  assert.equal(drawn.rows[1].bars[0].text, 'attempt 2, begun before');
});

const local = (id, name, from, to) => [
  event('run.step_requested', to, { stepId: `r:${id}`, name }), event('run.step_completed', to, { stepId: `r:${id}`, startedAt: instant(from) })];
const rows = (drawn) => drawn.rows.slice(2).map(({ label, depth }) => `${'  '.repeat(depth)}${label}`);

test('a step of the owner, stored when it ends, is drawn from its begin', () => {
  const drawn = layout([event('run.created', 0), event('run.started', 0, { attempt: 1 }), ...local(0, 'charge', 1, 5)], START + 10_000);
  assert.deepEqual(bars(drawn.rows[2]), [['step', 1, 5, 'succeeded']]);
});

test('a remote step has wait and work apart, a sleep is one bar', () => {
  const drawn = layout([
    event('run.created', 0), event('run.started', 0, { attempt: 1 }),
    event('run.step_requested', 1, { stepId: 'r:0', name: 'charge', group: 'node' }), event('run.step_completed', 6, { stepId: 'r:0', startedAt: instant(4) }),
    event('run.step_requested', 7, { stepId: 'r:2', name: 'rest', dueAt: instant(9) }), event('run.step_completed', 9, { stepId: 'r:2' }),
    event('run.step_requested', 9, { stepId: 'r:3', name: 'mail', group: 'node' }),
  ], START + 10_000);
  assert.deepEqual(drawn.rows.slice(2).map(bars), [
    [['step-wait', 1, 4, undefined], ['step', 4, 6, 'succeeded']], [['sleep', 7, 9, 'succeeded']], [['step-wait', 9, 10, undefined]]]);
});

test('a short sleep, stored when it is over, is drawn from its begin', () => {
  const drawn = layout([
    event('run.created', 0), event('run.started', 0, { attempt: 1 }),
    event('run.step_requested', 5, { stepId: 'r:0', name: 'sleep', dueAt: instant(5) }), event('run.step_completed', 5, { stepId: 'r:0', startedAt: instant(2) }),
  ], START + 10_000);
  assert.deepEqual(bars(drawn.rows[2]), [['sleep', 2, 5, 'succeeded']]);
});

test('branches stand beside each other, each with its steps one after the other', () => {
  const drawn = layout([
    event('run.created', 0), event('run.started', 0, { attempt: 1 }), ...local(0, 'reserve', 0, 1),
    ...local(1, 'pack A', 1, 4), ...local(2, 'label A', 4, 5), ...local(3, 'pack B', 1, 7), ...local(4, 'label B', 7, 8), ...local(5, 'ship', 8, 9),
  ], START + 10_000);
  assert.deepEqual(rows(drawn), ['reserve', '2 branches', '  pack A → label A', '  pack B → label B', 'ship']);
  assert.deepEqual(bars(drawn.rows[4]), [['step', 1, 4, 'succeeded'], ['step', 4, 5, 'succeeded']]);
  const joined = layout([event('run.created', 0), ...local(0, 'one', 0, 2), ...local(1, 'other', 0, 3), ...local(2, 'join', 3, 4)], START + 5_000);
  assert.deepEqual(rows(joined), ['2 branches', '  one', '  other', 'join']);
});

test('ten thousand steps leave a page that can be drawn', () => {
  const events = [event('run.created', 0)];
  for (let step = 0; step < 10_000; step++) {
    events.push(...local(step, `step ${step}`, step, step + 1));
  }
  const drawn = layout(events, START + 20_000_000);
  assert.equal(drawn.rows.length, 202);
  assert.equal(drawn.stepsLeftOut, 9_800);
});

test('the scale has few lines for a millisecond and for a month', () => {
  for (const length of [1, 999, 60_000, 86_400_000, 30 * 86_400_000, 4_000 * 86_400_000]) {
    assert.ok(ticks(length, 8).length <= 9, `${length}: ${ticks(length, 8).length}`);
  }
});

test('texts of others show what they hide', () => {
  assert.equal(plain('a\u202eb\u0000'), 'a⟨U+202E⟩b⟨U+0000⟩');
  assert.equal(plain('xxxxx', 2), 'xx … (3 more characters)');
  assert.equal(plain('pay\u00ad\u3164\u{e0041}roll'), 'pay⟨U+00AD⟩⟨U+3164⟩⟨U+E0041⟩roll');
  assert.equal(plain('Ζ\u{1f600}é한नि'), 'Ζ\u{1f600}é한नि');
  assert.equal(plain('ab\u{1f600}cd', 3), 'ab … (4 more characters)'); // no half of a character is shown
  assert.equal(duration(90_061_000), '1 d 1 h');
  assert.equal(relative(instant(0), START + 65_000), '1 min ago');
});

test('texts of a scale neither touch each other nor are cut by its edge', () => {
  const texts = [0, 0.33, 0.65, 0.97].map((at) => ({ at, text: '+80 ms' }));
  assert.deepEqual(withRoom(texts, 60).map(({ at, isLast }) => [at, isLast]), [[0, false], [0.33, false], [0.65, false], [0.97, true]]);
  assert.deepEqual(withRoom(texts, 30).map(({ at, isLast }) => [at, isLast]), [[0, false], [0.33, false], [0.65, false]]);
  assert.deepEqual(withRoom(texts, 14).map(({ at, isLast }) => [at, isLast]), [[0, false]]);
});

test('lengths of time are rounded, and told as people say them', () => {
  assert.deepEqual([0, 0.4, 12, 999, 1_250, 4_096, 9_999, 16_384, 59_960, 131_072].map(duration),
    ['0 ms', '0.4 ms', '12 ms', '999 ms', '1.25 s', '4.1 s', '10 s', '16.4 s', '1 min', '2 min 11 s']);
  assert.deepEqual([3_600_000, 86_400_000, 5_400_000].map(every), ['every hour', 'every day', 'every 1 h 30 min']);
  assert.deepEqual(['10m', 'PT1H30M', 'P2D', '90s', 'soon', ''].map(spokenDuration), ['10 min', '1 h 30 min', '2 d', '1 min 30 s', 'soon', '']);
});

test('what is a few hours or days away is told with minutes or hours', () => {
  const away = (hours) => relative(instant(0), START - hours * 3_600_000);
  assert.deepEqual([0.5, 1.5, 9, 14.5, 47, 263].map(away), ['in 30 min', 'in 1 h 30 min', 'in 9 h', 'in 14 h', 'in 1 d 23 h', 'in 10 d']);
});

test('a sentence tells instants of today by the time of the day', () => {
  const noon = new Date(2026, 2, 1, 12, 30, 15);
  assert.equal(shortMoment(noon.toISOString(), noon.getTime() + 60_000), '12:30:15');
  assert.equal(shortMoment(noon.toISOString(), noon.getTime() + 86_400_000), '2026-03-01 12:30:15');
});

test('an instant is told in every zone that Java has, and in UTC where the browser lacks it', () => {
  const utc = 'Sun 2026-03-01 10:00:00 UTC';
  for (const zone of ['Z', 'UTC', 'GMT', 'UT', 'Asia/Nowhere']) {
    assert.equal(zoned(instant(0), zone), utc, zone);
  }
  for (const zone of ['+02:00', 'UTC+02:00', 'GMT+02:00', 'UT+02:00']) { // an older browser has no offsets
    assert.equal(zoned(instant(0), zone), 'Sun 2026-03-01 12:00:00 GMT+2', zone);
  }
  assert.equal(zoned(instant(0), '+02:00:30'), 'Sun 2026-03-01 12:00:30 GMT+2:00:30');
  assert.match(zoned(instant(0), 'Europe/Berlin'), /^Sun 2026-03-01 11:00:00 /);
});

test('instants are written with one formatter for each zone', () => {
  const made = [];
  const { DateTimeFormat } = Intl;
  Intl.DateTimeFormat = class extends DateTimeFormat {
    constructor(...given) {
      super(...given);
      made.push(given);
    }
  };
  try {
    for (let second = 0; second < 500; second++) {
      absolute(instant(second));
      zoned(instant(second), 'Asia/Kathmandu');
    }
  } finally {
    Intl.DateTimeFormat = DateTimeFormat;
  }
  assert.ok(made.length <= 2, `${made.length} were made`);
});

test('times of charts are written in UTC or in the zone of the reader, and say which', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'Asia/Tokyo';
  try {
    const at = Date.parse('2026-03-01T15:03:00Z');
    assert.deepEqual([minuteOf(at, true), minuteOf(at, false)], ['2026-03-01 15:03 UTC', '2026-03-02 00:03 GMT+9']);
    assert.deepEqual([clockOf(at, true), clockOf(at, false), clockOf(at, true, true), clockOf(at, false, true)], ['15:03', '00:03', '1 Mar 15:03', '2 Mar 00:03']);
    assert.deepEqual([dayOf(at, true), dayOf(at, false)], ['1 Mar', '2 Mar']);
  } finally {
    process.env.TZ = zone ?? '';
  }
});

test('seconds in a field of minutes stay what they were where nobody touches it', () => {
  assert.deepEqual([90, 3_600, 100, 29, 0].map(minutesText), ['1.5', '60', '1.67', '0.48', '0']);
  assert.deepEqual([secondsOf('1.67', 100), secondsOf('0.48', 29), secondsOf('1.5', 100), secondsOf('2', 100), secondsOf('0.02', 100)], [100, 29, 90, 120, 1]);
});
