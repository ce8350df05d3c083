import { mock, test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.sessionStorage = { getItem: () => null };
const streams = [];
globalThis.fetch = async (_address, { signal }) => new Response(new ReadableStream({
  start(stream) {
    streams.push(stream);
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
