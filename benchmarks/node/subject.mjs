// A measured process of the system that is named, with the phases of every measured process: says "@phase {results}" and
// goes on when a line comes. Its settings come as the first line.
import { createInterface } from 'node:readline';

const MANY = 250;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function line() {
  const next = await lines.next();
  if (next.done) {
    process.exit(3); // nobody measures any more
  }
  return next.value;
}

async function reach(phase, results = {}) {
  console.log(`@${phase} ${JSON.stringify(results)}`);
  await line();
}

const { database, workload } = JSON.parse(await line());
const all = workload.runs + workload.warmUp;
const text = 'x'.repeat(150);
const { open } = await import(`./${process.argv[2]}.mjs`);
const queue = await open(database, Number(process.env.SLOTS));
const payload = (number) => ({ number, sentNanos: Number(process.hrtime.bigint()), text });

/** With so many calls under way. */
async function add(from, end, callers, aCall) {
  let next = from;
  const caller = async () => {
    while (next < end) {
      const first = next;
      next = Math.min(end, first + aCall);
      if (aCall === 1) {
        await queue.add(payload(first));
      } else {
        await queue.addAll(Array.from({ length: next - first }, (_, i) => payload(first + i)));
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function drain(from, end) {
  const seen = new Uint8Array(all);
  let left = end - from;
  let allHandled;
  const last = new Promise((resolve) => (allHandled = resolve));
  const ended = queue.drain((number) => {
    seen[number]++;
    if (--left === 0) {
      allHandled();
    }
  }, last);
  await last;
  await ended;
  for (let number = from; number < end; number++) {
    if (seen[number] !== 1) {
      throw new Error(`payload ${number} was handled ${seen[number]} times`);
    }
  }
}

async function timed(work) {
  const from = process.hrtime.bigint();
  await work();
  return { elapsedNanos: Number(process.hrtime.bigint() - from) };
}

await reach('started');
if (workload.role === 'DRAIN') {
  await add(0, workload.warmUp, 2, MANY);
  await drain(0, workload.warmUp);
  await add(workload.warmUp, all, 2, MANY);
  await reach('ready');
  await reach('done', await timed(() => drain(workload.warmUp, all)));
} else {
  const aCall = workload.role === 'ENQUEUE_MANY' ? MANY : 1;
  await add(0, workload.warmUp, workload.concurrency, aCall);
  await reach('ready');
  await reach('done', await timed(() => add(workload.warmUp, all, workload.concurrency, aCall)));
}
await queue.close();
process.exit(0);
