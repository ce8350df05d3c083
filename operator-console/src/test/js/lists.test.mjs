import { test } from 'node:test';
import assert from 'node:assert/strict';

process.env.TZ = 'Europe/Berlin';
globalThis.HTMLElement = class extends EventTarget { querySelectorAll() { return []; } };
globalThis.document = { addEventListener() {}, removeEventListener() {}, createTreeWalker() {}, createComment() {} };
globalThis.window = new EventTarget();
globalThis.localStorage = { getItem: () => null };
globalThis.sessionStorage = { getItem: () => null };
const pages = {};
globalThis.customElements = { define: (name, page) => { pages[name] = page; } };
const { forInput, fromInput } = await import('./pages/runs.js');
const { times } = await import('./lib/elements.js');
const { limitText, slots } = await import('./pages/queue.js');
const { reasonText } = await import('./pages/run.js');

/** What a template is written as. */
const written = (part) => (Array.isArray(part) ? part.map(written).join('') : typeof part === 'symbol' || typeof part === 'function' ? ''
  : part?.strings === undefined ? String(part ?? '') : part.strings.map((text, place) => text + (place < part.values.length ? written(part.values[place]) : '')).join(''));

/** What the filter of runs shows at an address. */
function filterAt(query) {
  const page = new pages['rl-runs-page']();
  page.place = { parts: ['runs'], query: new URLSearchParams(query) };
  return written(page.form(page.filter(), undefined));
}

/** The orders that are offered, the one that is shown as chosen with a mark. */
const orders = (query) => [...filterAt(query).matchAll(/<option value=(\w+ \w+) [?]selected=(\w+)>/g)].map(([, value, isChosen]) => value + (isChosen === 'true' ? ' *' : ''));

test('runs are listed in the order that is shown as chosen, of tags and of a search too', () => {
  assert.deepEqual(orders(''), ['createdAt desc *', 'createdAt asc', 'updatedAt desc']);
  assert.deepEqual(orders('sort=updatedAt&direction=desc'), ['createdAt desc', 'createdAt asc', 'updatedAt desc *']);
  assert.deepEqual(orders('tag=a:b&sort=updatedAt&direction=desc'), ['createdAt desc *', 'createdAt asc']);
  assert.deepEqual(orders('tag=a:b&direction=asc'), ['createdAt desc', 'createdAt asc *']);
  assert.deepEqual(orders('errorCode=task_failed&sort=updatedAt'), ['createdAt desc *', 'createdAt asc', 'updatedAt desc']);
});

test('the slots of keys that are hidden from the reader are counted, and their runs are not mixed', () => {
  const held = ['run_1', 'run_2'].map((id) => ({ id, concurrencyKey: '[masked]' }));
  const taken = (concurrencyKey) => written(slots({ concurrencyLimit: 2, data: [{ concurrencyKey, occupied: 1 }] }, [...held, { id: 'run_3', concurrencyKey: 'acme' }]));

  assert.match(taken('[masked]'), /\[masked\].*1 of 2/s);
  assert.doesNotMatch(taken('[masked]'), /href=|run_/);
  assert.match(taken('acme'), /concurrencyKey=acme.*run_3/s);
});

test('a field of an instant has it at the offset of its own date, under a label that tells none', () => {
  const labels = () => [...filterAt('createdFrom=2026-01-15T12:00:05Z').matchAll(/<label>Created (?:from|before) [(]([^)]*)[)]/g)].map(([, zone]) => zone);
  assert.deepEqual(labels(), ['your time', 'your time']);
  assert.deepEqual(['2026-01-15T12:00:05Z', '2026-07-15T12:00:05Z'].map(forInput), ['2026-01-15T13:00:05', '2026-07-15T14:00:05']);
  assert.equal(fromInput('2026-07-15T14:00:05', '2026-01-15T12:00:05Z'), '2026-07-15T12:00:05.000Z');

  times.style = 'utc';
  assert.deepEqual(labels(), ['UTC', 'UTC']);
  assert.equal(forInput('2026-01-15T12:00:05Z'), '2026-01-15T12:00:05');
  times.style = 'relative';
});

test('a queue of another process has the limit that the storage knows', () => {
  assert.match(limitText(undefined, { concurrencyLimit: 1 }), /^at most 1 at a time/);
  assert.match(limitText(undefined, {}), /without a limit that is known/);
  assert.equal(limitText({}, {}), 'without a limit');
});

test('the list of queues does not say of one of another process that it has no limit', () => {
  const page = new pages['rl-queues-page']();
  const limit = (known) => written(page.row({ name: 'print', known, counted: true, lately: { rate: '0', failed: 0 } }));
  assert.match(limit({}), />none</);
  assert.doesNotMatch(limit(undefined), />none</);
  assert.match(limit({ concurrencyLimit: 7 }), />7</);
});

test('what a failure says beside its message is told where it has lines of its own, once', () => {
  const meta = '{"stack":"at a\\nat b"}';
  const reason = { text: `It last failed at noon: task_failed, no paper ${meta}`, details: { meta } };
  assert.equal(reasonText(reason, { failure: { meta: {} } }), 'It last failed at noon: task_failed, no paper');
  assert.equal(reasonText(reason, {}), reason.text);
  assert.equal(reasonText({ text: 'It waits.' }, { failure: { meta: {} } }), 'It waits.');
});
