// A worker of the published package. With HOLD it waits, before it deletes the first task whose result it has
// inserted, for a line on its standard input. When that ends, whoever started it is gone, and it ends too.
import { createInterface } from 'node:readline';
import { DbTransport } from '@dudousxd/nestjs-durable-transport-db';
import { executorOf } from './executor.mjs';

const { DATABASE_URL, PREFIX, GROUP, HOLD } = process.env;
const executor = executorOf(DATABASE_URL);
const transport = new DbTransport({
  executor: HOLD ? holding(executor) : executor,
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
process.stdin.on('end', () => process.exit(3)).resume();
console.log('ready');

function holding(all) {
  const goOn = new Promise((told) => createInterface(process.stdin).once('line', told));
  return {
    ...all,
    query: async (sql, params) => {
      const deletes = sql.startsWith('DELETE');
      if (deletes) {
        console.log(`recorded ${params[0]}`);
        await goOn;
      }
      const answer = await all.query(sql, params);
      if (deletes) console.log(`deleted ${params[0]}`);
      return answer;
    },
  };
}
