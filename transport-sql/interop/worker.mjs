// A worker of the published package.
import { DbTransport } from '@dudousxd/nestjs-durable-transport-db';
import { executorOf } from './executor.mjs';

const { DATABASE_URL, PREFIX, GROUP } = process.env;
const transport = new DbTransport({
  executor: executorOf(DATABASE_URL),
  prefix: PREFIX,
  group: GROUP,
  leaseMs: Number(process.env.LEASE_MILLIS),
  pollMs: 50,
  instanceId: `node-${process.pid}`,
});
const seen = new Set();

transport.handle(GROUP, async (input) => {
  if (input.failFirst && !seen.has(input.id)) {
    seen.add(input.id);
    throw Object.assign(new Error('once'), { code: 'first', retryable: true });
  }
  if (input.fatal) {
    throw Object.assign(new Error('for good'), { code: 'fatal', retryable: false });
  }
  return { id: input.id, payload: input.payload, large: 'x'.repeat(input.large ?? 0) };
});
console.log('ready');
