import { mock, test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.sessionStorage = { getItem: () => null };
const streams = [];
const signals = [];
globalThis.fetch = async (_address, { signal }) => new Response(new ReadableStream({
  start(stream) {
    streams.push(stream);
    signals.push(signal);
    signal.addEventListener('abort', () => stream.error(signal.reason));
  },
}));
const { changes } = await import('./lib/changes.js');
/** Until what follows from promises alone has come about. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a stream without a line for 45 s is given up and opened anew, one that says it lives is not', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  changes.start();
  await settled();
  assert.ok(changes.isOpen);
  mock.timers.tick(44_000);
  streams[0].enqueue(new TextEncoder().encode(': alive\n\n'));
  await settled();
  mock.timers.tick(44_000);
  await settled();
  assert.ok(changes.isOpen);

  mock.timers.tick(1_000);
  await settled();
  assert.ok(!changes.isOpen);
  mock.timers.tick(1_000);
  await settled();
  assert.ok(changes.isOpen);
  assert.equal(streams.length, 2);
  changes.stop();
  mock.timers.reset();
});

test('the connection of a stream with an event that is no JSON ends with its reading', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  streams.length = 0;
  signals.length = 0;
  changes.start();
  await settled();
  streams[0].enqueue(new TextEncoder().encode('event: run\ndata: {"runId"\n\n'));
  for (let turn = 0; turn < 10 && changes.isOpen; turn++) {
    await settled();
  }
  assert.ok(!changes.isOpen);
  assert.ok(signals[0].aborted, 'its connection ends');
  changes.stop();
  mock.timers.reset();
});
