import { test } from 'node:test';
import assert from 'node:assert/strict';
import { answerSchema, latest, story, storyLayout } from './connector/story.js';

const START = Date.parse('2026-03-01T10:00:00Z');
let sequence = 0;
const event = (type, second, data = {}, rest = {}) => ({ event_type: `run.${type}`, event_seq: ++sequence, occurred_at: new Date(START + second * 1_000).toISOString(), data, ...rest });
const bars = (layout) => layout.rows.map(({ label, bars: all }) => [label, ...all.map(({ from, to, outcome }) => [(from - START) / 1_000, (to - START) / 1_000, outcome])]);

test('a run that waits for its owner has one question with its end, and its streams as far as they are', () => {
  const whole = story([
    event('started', 0, { scope_streams: ['books', 'loans'] }),
    event('progress_reported', 1, { message: 'page 1', count: 1, total: 4 }, { stream_id: 'books' }),
    event('batch_ingested', 2, { stream: 'books', records_accepted: 50, records_rejected: 1 }),
    event('batch_ingested', 3, { stream: 'books', records_accepted: 25, records_rejected: 0 }),
    event('interaction_required', 4, { interaction_id: 'q1', kind: 'otp', message: 'code', stream: null, timeout_seconds: 30 }),
  ], START + 10_000);
  assert.equal(whole.question.id, 'q1');
  assert.equal(whole.question.endsAt, START + 34_000);
  assert.deepEqual(whole.streams.map(({ name, message, count, total, stored, rejected }) => [name, message, count, total, stored, rejected]),
    [['books', 'page 1', 1, 4, 75, 1], ['loans', undefined, undefined, undefined, 0, 0]]);
  assert.deepEqual(bars(storyLayout(whole)), [['run', [0, 10, 'open']], ['questions', [4, 10, 'open']], ['books', [1, 3, 'open']], ['loans']]);
});

test('what the end says of streams and gaps counts, and no question is left', () => {
  const whole = story([
    event('started', 0, { scope_streams: ['books', 'loans'] }),
    event('interaction_required', 1, { interaction_id: 'q1', kind: 'otp', message: 'code' }),
    event('interaction_completed', 3, { status: 'timeout', kind: 'otp' }, { stream_id: null }),
    event('interaction_required', 4, { interaction_id: 'q2', kind: 'otp', message: 'code' }),
    event('stream_skipped', 5, { stream: 'loans', reason: 'closed', known_gap: { kind: 'skip_result', reason: 'closed' } }),
    event('failed', 6, { known_gaps: [{ kind: 'run_failed', reason: 'x' }, { kind: 'skip_result', reason: 'closed' }], collection_facts: { streams: [
      { stream: 'books', collected: 9, checkpoint: 'not_committed', skipped: null }, { stream: 'loans', collected: 0, checkpoint: 'not_staged', skipped: { reason: 'closed' } }] } }),
  ], START + 100_000);
  assert.equal(whole.question, undefined);
  assert.equal(whole.gaps.length, 2);
  assert.deepEqual(whole.streams.map(({ stored, checkpoint, skipped }) => [stored, checkpoint, skipped]), [[9, 'not_committed', undefined], [0, 'not_staged', 'closed']]);
  assert.deepEqual(bars(storyLayout(whole)).slice(0, 2), [['run', [0, 6, 'failed']], ['questions', [1, 3, 'failed'], [4, 6, 'open']]]);
});

test('of a run of very many events the oldest reports of progress are left out, and nothing else', () => {
  const many = [event('started', 0), ...Array.from({ length: 6 }, (_, place) => event(place % 2 === 0 ? 'progress_reported' : 'batch_ingested', place)),
    event('interaction_required', 9, { interaction_id: 'q1', kind: 'otp', message: 'code' })];
  const kept = (/** @type {number} */ most) => latest(many, most).map(({ event_seq: place }) => place - many[0].event_seq);
  assert.deepEqual(kept(8), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(kept(6), [0, 2, 4, 5, 6, 7]);
  assert.deepEqual(kept(2), [0, 2, 4, 6, 7]);
  assert.equal(story(latest(many, 2), START + 10_000).question.id, 'q1');
});

test('an end that a later release has told in its own way is that of the run', () => {
  const events = [
    event('started', 0, { scope_streams: ['books'] }), event('progress_reported', 1, { message: 'page 1' }, { stream_id: 'books' }),
    event('interaction_required', 2, { interaction_id: 'q1', kind: 'otp', message: 'code' }), event('given_up', 6)];
  const over = { status: 'failed', at: new Date(START + 5_000).toISOString(), data: { reason: 'given_up', known_gaps: [{ kind: 'run_failed', reason: 'x' }] } };
  const whole = story(events, START + 100_000, over);
  assert.deepEqual([whole.question, whole.ended.data.reason, whole.gaps.length], [undefined, 'given_up', 1]);
  assert.deepEqual(bars(storyLayout(whole)), [['run', [0, 5, 'failed']], ['questions', [2, 5, 'open']], ['books', [1, 1, 'succeeded']]]);
  assert.deepEqual(bars(storyLayout(story(events, START + 100_000, { ...over, status: 'timed_out', at: null, data: {} })))[0], ['run', [0, 6, 'failed']]);
  const known = [...events, event('completed', 7)];
  assert.deepEqual(bars(storyLayout(story(known, START + 100_000, over)))[0], ['run', [0, 7, 'succeeded']]);
});

test('notes to the owner are shown until they end', () => {
  const noted = [
    event('assistance_requested', 1, { assistance_request_id: 'a', response_contract: 'none', message: 'watch your phone' }),
    event('assistance_requested', 2, { assistance_request_id: 'q', response_contract: 'response_required', message: 'code' }),
  ];
  assert.deepEqual(story(noted, START + 9_000).notes.map(({ message }) => message), ['watch your phone']);
  assert.deepEqual(story([...noted, event('assistance_resolved', 3, { assistance_request_id: 'a' })], START + 9_000).notes, []);
});

test('what may be a secret is asked for as one', () => {
  const asked = answerSchema({ kind: 'credentials', schema: { type: 'object', properties: { card: { type: 'string' }, pin: { type: 'string' }, apiToken: { type: 'string' }, branch: { enum: ['a'] } } } });
  assert.deepEqual(Object.entries(asked.properties).map(([name, { format }]) => [name, format]), [['card', undefined], ['pin', 'password'], ['apiToken', 'password'], ['branch', undefined]]);
  assert.deepEqual(Object.keys(answerSchema({ kind: 'credentials' }).properties), ['username', 'password']);
  assert.equal(answerSchema({ kind: 'credentials' }).properties.password.format, 'password');
  assert.deepEqual(Object.keys(answerSchema({ kind: 'otp' }).properties), ['code']);
  assert.equal(answerSchema({ kind: 'manual_action' }), undefined);
});
