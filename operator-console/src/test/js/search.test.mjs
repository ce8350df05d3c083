import { test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.sessionStorage = { getItem: () => null };
const { find, madeWithin } = await import('./lib/search.js');

const EMPTY = { data: [], queues: [], tasks: [] };

/** Answers by what is below the API, with its query; what is not named is empty. */
const answering = (answers) => {
  const asked = [];
  globalThis.fetch = async (address) => {
    const url = new URL(address, 'http://console');
    const path = url.pathname.slice('/api/v1/'.length);
    asked.push(path + url.search);
    const answer = answers[path] ?? EMPTY;
    const body = typeof answer === 'function' ? answer(url.searchParams) : answer;
    return new Response(JSON.stringify(body), { status: body.error?.status ?? (body.error ? 403 : 200) });
  };
  return asked;
};

const told = (found) => found.places.map(({ kind, name, address }) => [kind, name, address]);

test('a run is led to by its id, and nothing else is asked for', async () => {
  const asked = answering({ 'runs/run_1/events': { data: [{}] } });
  assert.deepEqual(told(await find('run_1', ['jobs'])), [['Run', 'run_1', '/runs/run_1']]);
  assert.deepEqual(asked, ['runs/run_1/events?limit=1']);
});

test('tasks and queues are found by a part of their name in any case, jobs by their id, what is called exactly so first', async () => {
  answering({
    tasks: { data: [{ id: 'orders.Mail' }, { id: 'mail' }, { id: 'stock' }] },
    queues: { data: [{ name: 'mails' }] }, 'process-names': { queues: ['MAILS-late', 'mails'], tasks: [], isCut: false },
    'job-queues': { data: [{ name: 'mailbox' }, { name: 'other' }] }, 'jobs/mail': { data: [{ queueName: 'other', id: 'mail' }] },
  });
  assert.deepEqual(told(await find('mail', ['jobs'])), [
    ['Task', 'mail', '/tasks/mail'], ['Job of other', 'mail', '/jobs/other/mail'], ['Task', 'orders.Mail', '/tasks/orders.Mail'],
    ['Queue', 'mails', '/queues/mails'], ['Queue', 'MAILS-late', '/queues/MAILS-late'], ['Job queue', 'mailbox', '/jobs/mailbox'],
  ]);
  assert.deepEqual((await find('mail')).places.map((place) => place.kind), ['Task', 'Task', 'Queue', 'Queue'], 'a console without jobs');
});

test('no more than ten of a kind are told, and that there are more', async () => {
  answering({ tasks: { data: Array.from({ length: 11 }, (_, number) => ({ id: `task${number}` })) } });
  const found = await find('task');
  assert.deepEqual([found.places.length, found.isCut], [10, true]);
});

test('runs of a key that is further back than was looked are a place too, and a key that is hidden is none', async () => {
  let pages = 0;
  answering({ runs: (query) => {
    if (query.has('concurrencyKey')) {
      pages++;
      return { data: [], nextCursor: 'further' };
    }
    return query.has('singletonKey') ? { error: { code: 'filter_masked' } } : EMPTY;
  } });
  assert.deepEqual(told(await find('acme')), [['Runs with the concurrency key', 'acme', '/runs?concurrencyKey=acme']]);
  assert.equal(pages, 5);
});

test('a tag is a place though no run has it, beside jobs that are called so', async () => {
  answering({ 'jobs/x%3Ay': { data: [{ queueName: 'a:b', id: 'x:y' }] } });
  assert.deepEqual(told(await find('x:y', ['jobs'])), [['Runs with the tag', 'x:y', '/runs?tag=x%3Ay'], ['Job of a:b', 'x:y', '/jobs/a%3Ab/x%3Ay']]);
});

test('where jobs cannot be read the rest is told, and that there may be more', async () => {
  const away = { error: { status: 503, code: 'storage_unavailable' } };
  answering({ tasks: { data: [{ id: 'mail' }] }, 'job-queues': away, 'jobs/mail': away });
  const found = await find('mail', ['jobs']);
  assert.deepEqual([told(found), found.isCut], [[['Task', 'mail', '/tasks/mail']], true]);
});

test('a run is found by the beginning of its id among those that were made then', async () => {
  const [from, until] = madeWithin('run_01k9p4w3e8r2m6x0c7d1h5t9fz');
  assert.equal(until - from, 1);
  assert.deepEqual(madeWithin('run_01k9p4w3e8'), [from, until]);
  assert.deepEqual(madeWithin('run_01k9p4w3'), [from - (from % 1024), from - (from % 1024) + 1024]);
  const id = 'run_01k9p4w3e8r2m6x0c7d1h5t9fz';
  const asked = answering({ runs: (query) => {
    const isThen = Date.parse(query.get('createdFrom')) <= from + 700 && Date.parse(query.get('createdBefore')) > from + 700;
    return query.has('createdFrom') && isThen ? { data: [{ id }, { id: 'run_01k9p4w3zz' }] } : EMPTY;
  } });
  assert.deepEqual(told(await find(id.slice(0, 16))), [['Run', id, `/runs/${id}`]], 'made 700 ms behind its id');
  assert.equal(asked.filter((each) => each.includes('createdFrom')).length, 2);
  assert.deepEqual(told(await find('run_7zzzzzzz')), [], 'of a time that is far ahead');
  assert.equal(asked.filter((each) => each.includes('createdFrom')).length, 2);
});
