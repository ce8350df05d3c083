import { mock, test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.HTMLElement = class { isConnected = true; contains() { return false; } addEventListener() {} dispatchEvent() {} removeAttribute() {} querySelectorAll() { return []; } };
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {}, querySelector: () => null, createTreeWalker() {}, createComment() {} };
globalThis.window = new EventTarget();
globalThis.localStorage = { getItem: () => null };
globalThis.sessionStorage = { getItem: () => null };
const pages = {};
globalThis.customElements = { define: (name, page) => { pages[name] = page; } };
await import('./pages/run.js');
await import('./pages/job.js');

const END = Date.parse('2026-03-01T12:00:00Z');

/** A page that asks whenever time has come for it, and is answered by the address. */
function opened(name, parts, answers) {
  globalThis.fetch = async (address) => {
    const { pathname } = new URL(address, 'http://console');
    const [, body] = Object.entries(answers).find(([end]) => pathname.endsWith(end)) ?? assert.fail(`nobody asks for ${pathname}`);
    return new Response(JSON.stringify(body()), { headers: { date: new Date(Date.now()).toUTCString() } });
  };
  const page = new pages[name]();
  page.draw = () => {};
  page.place = { parts, query: new URLSearchParams() };
  page.connectedCallback();
  return page;
}

/** Until what was asked for is answered. */
async function passes(millis) {
  mock.timers.tick(millis);
  for (let turn = 0; turn < 50; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a run that has ended is read until its last lines must have been stored', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: END + 100 });
  const lines = [];
  let asked = 0;
  const page = opened('rl-run-page', ['runs', 'run_1'], {
    explanation: () => {
      asked++;
      return { run: { id: 'run_1', status: 'succeeded', finishedAt: '2026-03-01T12:00:00Z' }, reasons: [] };
    },
    related: () => ({ data: [] }),
    events: () => ({ data: [] }),
    log: () => ({ data: lines }),
  });
  await passes(0);
  assert.deepEqual(page.data.lines.data, []);

  lines.push({ attempt: 1, number: 1, text: 'gathered before the end' });
  await passes(5_000);
  assert.equal(page.data.lines.data.length, 1);
  assert.equal(asked, 2);
  await passes(60_000);
  assert.equal(asked, 2, 'nothing of it changes any more');
  page.disconnectedCallback();
  mock.timers.reset();
});

test('a job is read once more behind its end, whichever of its answers told of it, and behind its next end too', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: END });
  const job = { id: '7', state: 'active', attemptsMade: 0 };
  const flow = { ...job, state: 'completed' }; // read behind the others
  const lines = [];
  const page = opened('rl-job-page', ['jobs', 'mails', '7'], {
    'jobs/7': () => job,
    'log': () => ({ data: lines }),
    'flow': () => ({ flow: { job: flow, children: [] } }),
  });
  await passes(0);
  assert.equal(page.staysLive(), true, 'the flow alone tells of the end');
  Object.assign(job, flow, { finishedAt: '2026-03-01T12:00:00Z' });
  await passes(3_000);
  assert.equal(page.staysLive(), true, 'the lines were read beside the job');
  lines.push('the last');
  await passes(3_000);
  assert.deepEqual([page.data.lines, page.staysLive()], [['the last'], false]);

  job.finishedAt = '2026-03-01T12:00:09Z'; // retried, and ended again
  await page.reload();
  assert.equal(page.staysLive(), true);
  page.disconnectedCallback();
  mock.timers.reset();
});
