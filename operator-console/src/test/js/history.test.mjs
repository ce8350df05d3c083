import { test } from 'node:test';
import assert from 'node:assert/strict';
import { momentsOf, RunEvents, RunLines } from './timeline/history.js';

const instant = (second) => new Date(Date.parse('2026-03-01T10:00:00Z') + second * 1_000).toISOString();

/** A history as the API tells it, which counts what is asked. */
function api(types) {
  const events = types.map((type, place) => ({ sequence: place + 1, type, occurredAt: instant(place) }));
  const asked = [];
  return {
    asked,
    append: (...more) => more.forEach((type) => events.push({ sequence: events.length + 1, type, occurredAt: instant(events.length) })),
    read: async (query) => {
      asked.push(query);
      const rows = events.filter(({ type }) => query.heartbeats !== 'false' || type !== 'run.lease_heartbeat').reverse()
        .filter(({ sequence }) => query.cursor === undefined || sequence < Number(query.cursor));
      const data = rows.slice(0, query.limit);
      return { data, nextCursor: rows.length > data.length ? String(data[data.length - 1].sequence) : undefined };
    },
  };
}

const beats = (number) => Array.from({ length: number }, () => 'run.lease_heartbeat');
const types = (events) => events.data.map(({ type }) => type.replace('run.', ''));

test('what happened after hours of heartbeats is there, and the heartbeats are counted', async () => {
  const history = api(['run.created', 'run.started', ...beats(2_100), 'run.cancellation_requested', ...beats(3)]);
  const events = new RunEvents(history.read);
  await events.readOn();
  assert.deepEqual(types(events), ['created', 'started', 'cancellation_requested']);
  assert.equal(events.folded, 2_103);
  assert.equal(events.earlier, 0);
  assert.equal(history.asked.length, 2);
});

test('a renewal asks for what is new alone, and finds it behind heartbeats', async () => {
  const history = api(['run.created', 'run.started', ...beats(400)]);
  const events = new RunEvents(history.read);
  await events.readOn();
  history.asked.length = 0;
  await events.readOn();
  assert.deepEqual(history.asked.map(({ limit }) => limit), [20]);

  history.append(...beats(5), 'run.retry_scheduled', ...beats(30));
  await events.readOn();
  assert.deepEqual(types(events), ['created', 'started', 'retry_scheduled']);
  assert.equal(events.folded, 435);
  assert.equal(history.asked.length, 3);
});

test('heartbeats are listed where they are wanted', async () => {
  const events = new RunEvents(api(['run.created', ...beats(3)]).read, true);
  await events.readOn();
  assert.deepEqual([types(events).length, events.folded], [4, 0]);
});

test('of a long history the latest events are kept, and it says how many came before', async () => {
  const history = api(['run.created', ...Array.from({ length: 999 }, () => 'run.step_completed')]);
  const events = new RunEvents(history.read, false, 400);
  await events.readOn();
  assert.deepEqual([events.data[0].sequence, events.data.length, events.earlier, events.folded], [601, 400, 600, 0]);

  history.append(...Array.from({ length: 900 }, () => 'run.step_completed'));
  await events.readOn();
  assert.deepEqual([events.data[0].sequence, events.data.length, events.earlier], [1_501, 400, 1_500]);
});

test('what was asked for before another question came adds nothing', async () => {
  const history = api(['run.created', 'run.started']);
  const events = new RunEvents(history.read);
  const abort = new AbortController();
  const first = events.readOn(abort.signal);
  abort.abort();
  await assert.rejects(first);
  await events.readOn();
  assert.deepEqual(types(events), ['created', 'started']);
});

test('log lines are read to the last one, page after page, and once', async () => {
  const written = Array.from({ length: 3_000 }, (_, place) => ({ text: `line ${place}` }));
  const asked = [];
  const lines = new RunLines(async ({ limit, cursor }) => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    return { data: written.slice(from, from + limit), nextCursor: from + limit < written.length ? String(from + limit) : undefined };
  });
  await lines.readOn();
  assert.equal(lines.data[lines.data.length - 1].text, 'line 2999');
  assert.equal(lines.isCut, false);

  asked.length = 0;
  written.push({ text: 'one more' });
  await lines.readOn();
  assert.deepEqual([lines.data.length, lines.data[3_000].text, asked], [3_001, 'one more', ['2800', '3000']]);
});

test('lines beyond the most are said to be left out', async () => {
  const lines = new RunLines(async ({ cursor }) => ({ data: [{ text: 'a' }, { text: 'b' }], nextCursor: String(Number(cursor ?? 0) + 2) }), 6);
  await lines.readOn();
  assert.deepEqual([lines.data.length, lines.isCut], [6, true]);
});

test('of very many moments the latest are listed, lines between what began and what came of it', () => {
  const events = [{ type: 'run.started', occurredAt: instant(1) }, { type: 'run.retry_scheduled', occurredAt: instant(1) }, { type: 'run.succeeded', occurredAt: instant(9) }];
  const lines = [{ at: instant(1), text: 'a' }, { at: instant(5), text: 'b' }];
  const told = ({ event, line }) => event?.type ?? line.text;
  assert.deepEqual(momentsOf(events, lines, 10).moments.map(told), ['run.started', 'a', 'run.retry_scheduled', 'b', 'run.succeeded']);
  const last = momentsOf(events, lines, 2);
  assert.deepEqual([last.moments.map(told), last.earlier], [['b', 'run.succeeded'], 3]);
});
