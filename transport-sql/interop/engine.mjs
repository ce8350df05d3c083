// The published engine: starts runs with one remote step each, tells what it dispatches and how they ended. With
// REDISPATCH_MILLIS it dispatches steps again that have waited so long, which it never does by default. A line on its
// standard input makes it look at all runs as if ten minutes had passed, and tell how they stand; its end ends it.
import { createInterface } from 'node:readline';
import { InMemoryStateStore, WorkflowEngine } from '@dudousxd/nestjs-durable-core';
import { DbTransport } from '@dudousxd/nestjs-durable-transport-db';
import { executorOf } from './executor.mjs';

const { DATABASE_URL, PREFIX, GROUP, REDISPATCH_MILLIS } = process.env;
const runs = Number(process.env.RUNS);
const store = new InMemoryStateStore();
const transport = new DbTransport({
  executor: executorOf(DATABASE_URL),
  prefix: PREFIX,
  leaseMs: Number(process.env.LEASE_MILLIS),
  pollMs: 20,
  instanceId: `engine-${process.pid}`,
});
const dispatch = transport.dispatch.bind(transport);
transport.dispatch = async (task) => {
  await dispatch(task);
  console.log(`dispatched ${task.stepId} ${task.attempt}`);
};
// The time until a dispatch is repeated runs from the first look after it, which comes after reconcileMs.
const healing = REDISPATCH_MILLIS
  ? { remoteRedispatchMs: Number(REDISPATCH_MILLIS), remoteRedispatchMax: 1_000, reconcileMs: 500 }
  : {};
const engine = new WorkflowEngine({ store, transport, ...healing });
engine.register('flow', '1', (ctx, input) =>
  ctx.step(GROUP, input, { retries: 50, backoffMs: 5 }));

const inputOf = (i) => ({
  id: `r${i}`,
  payload: ['text ä🚀\u0000', null, [1, 2.5], { a: null }][i % 4],
  failFirst: i % 7 === 0,
  fatal: i % 25 === 3,
  large: i % 100 === 5 ? 300_000 : 0,
});
for (let i = 0; i < runs; i++) {
  await engine.start('flow', inputOf(i), `r${i}`);
}

process.stdin.on('end', () => process.exit(3));
createInterface(process.stdin).on('line', async () => {
  await engine.resumeDueTimers(Date.now() + 600_000);
  for (let i = 0; i < runs; i++) {
    const [run, step] = [await store.getRun(`r${i}`), await store.getCheckpoint(`r${i}`, 0)];
    console.log(`r${i} is ${run.status}, its step ${step.status} in attempt ${step.attempts}`);
  }
});

const ended = new Map();
while (ended.size < runs) {
  await engine.resumeDueTimers();
  await engine.recoverIncomplete();
  for (let i = 0; i < runs; i++) {
    const run = ended.has(i) ? null : await store.getRun(`r${i}`);
    if (run && ['completed', 'failed', 'cancelled', 'dead'].includes(run.status)) ended.set(i, run);
  }
  await new Promise((later) => setTimeout(later, 50));
}
const wrong = [...ended].filter(([i, run]) => {
  const input = inputOf(i);
  if (input.fatal) return run.status !== 'failed';
  return (
    run.status !== 'completed' ||
    JSON.stringify(run.output?.payload) !== JSON.stringify(input.payload) ||
    run.output?.large?.length !== input.large
  );
});
console.log(JSON.stringify({ ended: ended.size, wrong: wrong.map(([i, run]) => [i, run.status, run.error]) }));
process.exit(wrong.length === 0 ? 0 : 1);
