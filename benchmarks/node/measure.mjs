// Rounds of adding and draining with the system that is named, the first round being the warm-up.
const jobs = Number(process.env.JOBS);
const aCall = Number(process.env.JOBS_A_CALL);
const text = 'x'.repeat(200);

const { open } = await import(`./${process.argv[2]}.mjs`);
const queue = await open(process.env.DATABASE_URL, Number(process.env.SLOTS));
let result;
for (let round = 0; round < 2; round++) {
  const addingFrom = process.hrtime.bigint();
  for (let from = 0; from < jobs; from += aCall) {
    const numbers = Array.from({ length: Math.min(aCall, jobs - from) }, (_, i) => from + i);
    await queue.addAll(numbers.map((number) => ({ number, text })));
  }
  const adding = Number(process.hrtime.bigint() - addingFrom) / 1e9;
  await queue.prepare();
  const seen = new Uint8Array(jobs);
  let handled = 0;
  let allHandled;
  const last = new Promise((resolve) => (allHandled = resolve));
  const drainingFrom = process.hrtime.bigint();
  const ended = queue.drain((number) => {
    seen[number]++;
    if (++handled === jobs) {
      allHandled();
    }
  }, last);
  await last;
  await ended;
  const draining = Number(process.hrtime.bigint() - drainingFrom) / 1e9;
  if (seen.some((times) => times !== 1) || (await queue.left()) !== 0) {
    throw new Error('not every job was done once');
  }
  result = { addedPerSecond: Math.round(jobs / adding), drainedPerSecond: Math.round(jobs / draining) };
}
console.log(JSON.stringify(result));
await queue.close();
process.exit(0);
