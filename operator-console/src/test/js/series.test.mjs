import { test } from 'node:test';
import assert from 'node:assert/strict';
import { alone, counts, depths, largest, measures, perMinute, stepOf, steps } from './chart/series.js';
import { failing, latelyRange } from './chart/lately.js';
import { difference } from './lib/difference.js';

const at = (minute) => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const seconds = (minute) => Date.UTC(2026, 2, 1, 10, minute) / 1_000;
const group = (name, ...points) => ({ name, points: points.map(([minute, succeeded, p99Millis]) => ({ at: at(minute), succeeded, waited: { p99Millis } })) });

test('a minute in which nothing was counted is 0, and has no latency', () => {
  const times = steps(Date.parse(at(0)), Date.parse(at(4)), 60_000);
  const groups = [group('a', [0, 3, 8], [3, 1, 16])];
  assert.deepEqual(times, [seconds(0), seconds(1), seconds(2), seconds(3)]);
  assert.deepEqual(counts(times, groups, (point) => point.succeeded), [3, 0, 0, 1]);
  assert.deepEqual(measures(times, groups, (point) => point.waited.p99Millis), [8, null, null, 16]);
});

test('a step that goes on is told by its minutes so far', () => {
  const times = steps(Date.parse(at(0)), Date.parse(at(130)), 3_600_000);
  assert.deepEqual([600, 1_200, 100].map(perMinute(times, 60, Date.parse(at(130)))), [10, 20, 10]);
  assert.deepEqual([7, 9].map(perMinute(steps(Date.parse(at(0)), Date.parse(at(2)), 60_000), 1, Date.parse(at(2)))), [7, 9]);
});

test('the largest queues are drawn by themselves, all others as one', () => {
  const groups = Array.from({ length: 9 }, (_, place) => group(`q${place}`, [0, place]));
  const drawn = largest(groups, (point) => point.succeeded);
  assert.deepEqual(drawn.map(({ name }) => name), ['q5', 'q6', 'q7', 'q8', '5 others']);
  assert.deepEqual(counts([seconds(0)], drawn[4].groups, (point) => point.succeeded), [0 + 1 + 2 + 3 + 4]);
});

test('a count that was missed is a gap, a queue that was not counted had nothing', () => {
  const sample = (minute, ...queues) => ({ takenAt: at(minute), queues: queues.map(([queue, waiting]) => ({ queue, waiting })) });
  const drawn = depths([sample(0, ['a', 4]), sample(1, ['a', 5], ['b', 1]), sample(9, ['b', 2])], 150_000);
  assert.deepEqual(drawn.names, ['a', 'b']);
  assert.deepEqual(drawn.values.get('a'), [4, 5, null, 0]);
  assert.deepEqual(drawn.values.get('b'), [0, 1, null, 2]);
  assert.equal(drawn.times.length, 4);
});

test('a chart has few points, whatever time it shows', () => {
  for (const minutes of [1, 60, 180, 1_440, 10_080, 20_160]) {
    assert.ok(minutes / stepOf(minutes) <= 200, `${minutes}`);
  }
});

test('lines that are gone and new stand among those that stay', () => {
  const signs = (before, after) => difference(before, after).map(({ sign, line }) => sign + line);
  assert.deepEqual(signs('{\n  "a": 1\n}', '{\n  "a": 2,\n  "b": 1\n}'), [' {', '-  "a": 1', '+  "a": 2,', '+  "b": 1', ' }']);
  assert.deepEqual(signs('same\nsame', 'same'), [' same', '-same']);
});

test('a number between gaps is drawn as a point, others as lines', () => {
  assert.deepEqual(alone([null, 3, null, 4, 5, null, 6]), [1, 6]);
  assert.deepEqual(alone([7]), [0]);
  assert.deepEqual(alone([1, 2]), []);
  assert.deepEqual(alone([]), []);
});

test('very long texts are compared by looking each line up once', () => {
  const lines = (/** @type {string} */ name) => Array.from({ length: 30_000 }, (_, place) => `${name} ${place}`);
  let asked = 0;
  const { includes } = Array.prototype;
  Array.prototype.includes = function (...given) {
    asked++;
    return includes.apply(this, given);
  };
  try {
    const changed = difference(lines('a').join('\n'), [...lines('a').slice(0, 29_999), 'b'].join('\n'));
    assert.deepEqual(changed, [{ sign: '-', line: 'a 29999' }, { sign: '+', line: 'b' }]);
  } finally {
    Array.prototype.includes = includes;
  }
  assert.equal(asked, 0);
});

test('queues fail more than usual by what ended in the last quarter of an hour', () => {
  const { from, until, minutes } = latelyRange(Date.parse(at(40)) + 59_000);
  assert.deepEqual([new Date(from).toISOString(), new Date(until).toISOString(), minutes], [at(24), at(39), 15]);
  const ended = (name, ...points) => ({ name, points: points.map(([succeeded, failed, lost]) => ({ succeeded, failed, lost })) });
  assert.deepEqual(failing([ended('well', [90, 1, 0]), ended('once', [0, 1, 0]), ended('lost', [5, 0, 1], [5, 0, 1]), ended('broken', [0, 3, 0], [1, 0, 0]), ended('silent')]),
    [{ name: 'lost', failed: 2, share: 17 }, { name: 'broken', failed: 3, share: 75 }]);
});
