import { test } from 'node:test';
import assert from 'node:assert/strict';

const kept = new Map();
globalThis.sessionStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value), removeItem: (name) => kept.delete(name) };
const told = [];
globalThis.window = { dispatchEvent: ({ type }) => told.push(type) };
const { allSkipping, ApiError, get, hasToken, keepToken, post } = await import('./lib/api.js');

const answering = (status, body) => { globalThis.fetch = async () => new Response(body, { status }); };
const silent = () => { globalThis.fetch = async () => { throw new DOMException('it takes too long', 'TimeoutError'); }; };
const refused = async (request) => request.then(() => assert.fail('it was answered'), (failure) => failure);

test('a change that is not answered in time may be done, and is told so with where to look', async () => {
  silent();
  const failure = await refused(post('outbox/redrive', { reason: 'r' }));
  assert.ok(failure instanceof ApiError);
  assert.equal(failure.status, 0);
  assert.equal(failure.mayBeDone, true);
  assert.match(failure.message, /does not answer.*may be under way, or done: look at it, or in the log of actions/s);
});

test('so may one that the console or a proxy gave up, or whose answer broke off', async () => {
  answering(503, JSON.stringify({ error: { code: 'operation_cancelled', message: 'it took longer than it may' } }));
  assert.equal((await refused(post('job-queues/a/drain', {}))).mayBeDone, true);
  answering(504, '<html>');
  assert.match((await refused(post('job-queues/a/drain', {}))).message, /504 of a proxy[.] What was asked for may be under way/);
  globalThis.fetch = async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError('cut off')) }));
  assert.equal((await refused(post('job-queues/a/drain', {}))).mayBeDone, true);
});

test('what is refused was not done, and what reads or counts changes nothing', async () => {
  answering(503, JSON.stringify({ error: { code: 'storage_unavailable', message: 'the storage is away' } }));
  assert.equal((await refused(post('outbox/redrive', {}))).mayBeDone, false);
  answering(503, 'full');
  assert.equal((await refused(post('outbox/redrive', {}))).mayBeDone, false);
  silent();
  for (const request of [get('runs'), post('bulk-actions', { dryRun: true }), post('/auth/log-out', {})]) {
    const failure = await refused(request);
    assert.equal(failure.mayBeDone, false);
    assert.doesNotMatch(failure.message, /under way/);
  }
});

test('rows behind the first page are read too, up to the most', async () => {
  const asked = [];
  globalThis.fetch = async (address) => {
    const { searchParams } = new URL(address, 'http://console');
    asked.push(searchParams.get('skip'));
    return new Response(JSON.stringify({ data: Array.from({ length: 450 }, (_, place) => `line ${place}`).slice(Number(searchParams.get('skip'))).slice(0, 200) }));
  };
  const lines = await allSkipping('job-queues/a/jobs/b/log', 1_000);
  assert.deepEqual([lines.length, lines[449], asked], [450, 'line 449', ['0', '200', '400']]);
  assert.equal((await allSkipping('job-queues/a/jobs/b/log', 400)).length, 400);
});

test('a token that is refused is forgotten and told of, but not one that was kept meanwhile', async () => {
  keepToken('ended');
  globalThis.fetch = async () => {
    keepToken('another');
    return new Response('{}', { status: 401 });
  };
  await refused(get('session'));
  assert.deepEqual([hasToken(), told], [true, []]);

  answering(401, '{}');
  await refused(get('session'));
  assert.deepEqual([hasToken(), told], [false, ['rl-unauthorized']]);
});
