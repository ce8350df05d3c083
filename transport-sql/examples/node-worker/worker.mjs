// A step worker in Node, written against STEP-TABLES.md alone.
//
//   DATABASE_URL=postgresql://… PREFIX=durable GROUP=echo node worker.mjs
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const { DATABASE_URL, SCHEMA = 'public', PREFIX = 'durable', GROUP = 'echo' } = process.env;
const LEASE_MILLIS = Number(process.env.LEASE_MILLIS ?? 30_000);
const PLACES = Number(process.env.PLACES ?? 8);
const DRAIN_MILLIS = Number(process.env.DRAIN_MILLIS ?? 30_000); // a stop leaves what runs longer to its lease
const MOST_BYTES = 16_000_000; // of an input: one with more stays in the database
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 500;
const RENEWAL_MILLIS = Math.min(LEASE_MILLIS / 3, 5_000);
const LONGEST_ANSWER = Math.max(2_000, Math.min(LEASE_MILLIS / 3, 10_000)); // a database that takes longer is silent

/**
 * The handlers, by name of the step. What they return is the output, what they throw the failure. The third argument
 * is a signal that is aborted when the lease is lost, or may be.
 */
const handlers = {
  echo: async (input) => input,
  fail: async (input) => {
    throw Object.assign(new Error(input?.message ?? 'failed'), { code: 'example', retryable: false });
  },
};

const tasks = `"${SCHEMA}"."${PREFIX}_transport_tasks"`;
const results = `"${SCHEMA}"."${PREFIX}_transport_results"`;
const channel = `${PREFIX}_transport`;
const worker = `node-${randomUUID()}`;
const connecting = { connectionString: DATABASE_URL, connectionTimeoutMillis: LONGEST_ANSWER, keepAlive: true };
const pool = new pg.Pool({ ...connecting, query_timeout: LONGEST_ANSWER, max: 4 });
pool.on('error', (failure) => console.error('connection lost:', failure.message));

const held = new Set(); // { stepId, claim, renewedAt, lost, gone }: a step twice, where we took it over from ourselves
let claims = 0;
let stopping = false;
let wake = () => {};

async function claim(free) {
  const id = `${worker}/${++claims}`;
  const now = Date.now();
  const renewedAt = performance.now();
  const { rows } = await pool.query(
    `UPDATE ${tasks} SET claimed_by = $4, claimed_at = $5
      WHERE step_id = ANY (ARRAY(
        SELECT step_id FROM ${tasks}
         WHERE grp = $1 AND (claimed_at IS NULL OR claimed_at < $2)
         ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED))
      RETURNING step_id, run_id, seq, name, CASE WHEN octet_length(input) <= $6 THEN input END AS input,
                octet_length(input) AS bytes, attempt`,
    [GROUP, now - LEASE_MILLIS, free, id, now, MOST_BYTES],
  );
  return rows.map((row) => ({ ...row, claim: id, renewedAt }));
}

async function outcomeOf(task, signal) {
  if (task.bytes > MOST_BYTES) {
    return failed({ message: `the input of step ${task.step_id} has ${task.bytes} bytes`, retryable: false });
  }
  let input;
  try {
    input = task.input === null ? null : JSON.parse(task.input);
  } catch {
    return failed({ message: `the input of step ${task.step_id} is not JSON`, retryable: false });
  }
  const handler = Object.hasOwn(handlers, task.name) ? handlers[task.name] : undefined;
  if (!handler) {
    return failed({ message: `no handler for ${task.name}`, retryable: false });
  }
  let output;
  try {
    output = await handler(input ?? undefined, task, signal);
  } catch (failure) {
    const error = { message: failure instanceof Error ? failure.message : String(failure) };
    if (typeof failure?.code === 'string') error.code = failure.code;
    if (typeof failure?.retryable === 'boolean') error.retryable = failure.retryable;
    return failed(error);
  }
  try {
    return { status: 'completed', output: JSON.stringify(output) ?? null, error: null };
  } catch (failure) { // a BigInt, a cycle: another attempt would return the same
    const message = `the output cannot be written: ${failure.message}`;
    return failed({ message, code: 'unrecordable_result', retryable: false });
  }
}

function failed(error) {
  return { status: 'failed', output: null, error: JSON.stringify(error) };
}

/** 'recorded', 'lost' or 'blocked', as STEP-TABLES.md says under Worker. */
async function record(task, outcome, startedAt) {
  const connection = await pool.connect();
  let broken;
  try {
    await connection.query('BEGIN');
    const standing = await connection.query(
      `SELECT created_at FROM ${results} WHERE step_id = $1`, [task.step_id]);
    const deleted = await connection.query(
      `DELETE FROM ${tasks} WHERE step_id = $1 AND claimed_by = $2 AND claimed_at IS NOT NULL
       RETURNING run_id, seq, created_at`,
      [task.step_id, task.claim],
    );
    if (deleted.rowCount === 0) {
      await connection.query('ROLLBACK');
      return 'lost';
    }
    const row = deleted.rows[0];
    if (standing.rowCount > 0 && Number(standing.rows[0].created_at) < Number(row.created_at)) {
      await connection.query('ROLLBACK');
      return 'blocked';
    }
    await connection.query(
      `INSERT INTO ${results} (step_id, run_id, seq, status, output, error, started_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (step_id) DO NOTHING`,
      [task.step_id, row.run_id, row.seq, outcome.status, outcome.output, outcome.error, startedAt, Date.now()],
    );
    await connection.query('COMMIT');
    connection.query('SELECT pg_notify($1, $2)', [channel, '{"results":true}']).catch(() => {});
    return 'recorded';
  } catch (failure) {
    broken = failure; // its connection is closed, and its transaction with it
    throw failure;
  } finally {
    connection.release(broken);
  }
}

async function run(task) {
  const lease = {
    stepId: task.step_id, claim: task.claim, renewedAt: task.renewedAt, lost: false, gone: new AbortController(),
  };
  for (const other of held) {
    if (other.stepId === task.step_id) lose(other);
  }
  held.add(lease);
  const startedAt = Date.now();
  let outcome = await outcomeOf(task, lease.gone.signal);
  let refused = false;
  try {
    for (let pause = 50; !lease.lost; pause = Math.min(2 * pause, 2_000)) {
      try {
        if ((await record(task, outcome, startedAt)) !== 'blocked') break;
      } catch (failure) {
        console.error(`step ${task.step_id} waits:`, failure.message);
        if (/^2[23]/.test(failure.code)) { // a value that the table will never take
          if (refused) break;
          refused = true;
          outcome = failed({ message: failure.message, code: 'unrecordable_result', retryable: false });
        }
      }
      await new Promise((later) => setTimeout(later, pause));
    }
  } finally {
    held.delete(lease);
    wake();
  }
}

function lose(lease) {
  lease.lost = true;
  lease.gone.abort();
}

async function renew() {
  const byClaim = new Map();
  const now = performance.now();
  for (const lease of held) {
    byClaim.set(lease.claim, [...(byClaim.get(lease.claim) ?? []), lease]);
    // Nobody can say whether it is still ours then: its result is offered all the same.
    if (now - lease.renewedAt > LEASE_MILLIS) lease.gone.abort();
  }
  // Each claim by itself: a row that somebody keeps locked keeps no other claim from being renewed.
  await Promise.all([...byClaim].map(([claimId, leases]) => renewClaim(claimId, leases).catch((failure) =>
    console.error('leases were not renewed:', failure.message))));
}

async function renewClaim(claimId, leases) {
  const sentAt = performance.now();
  const { rows } = await pool.query(
    `UPDATE ${tasks} SET claimed_at = $3
      WHERE step_id = ANY ($1) AND claimed_by = $2 AND claimed_at IS NOT NULL RETURNING step_id`,
    [leases.map((lease) => lease.stepId), claimId, Date.now()],
  );
  const kept = new Set(rows.map((row) => row.step_id));
  for (const lease of leases) {
    if (kept.has(lease.stepId)) lease.renewedAt = sentAt;
    else lose(lease);
  }
}

/** The next renewal waits for the end of the one before, however long that takes. */
async function keepRenewing() {
  await renew();
  if (!stopping || held.size > 0) renewal = setTimeout(keepRenewing, RENEWAL_MILLIS);
}

function sleep(millis) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Has one client listen, and another once that is lost; meanwhile the worker polls. */
function listen() {
  const client = new pg.Client(connecting);
  listener = client;
  const again = (failure) => {
    if (listener !== client) return; // an error and an end are one loss
    listener = undefined;
    console.error('signals are not heard:', failure?.message ?? 'the connection was closed');
    client.end().catch(() => {});
    if (!stopping) setTimeout(listen, 1_000).unref();
  };
  client.on('notification', () => wake());
  client.on('error', again);
  client.on('end', again);
  client.connect().then(() => client.query(`LISTEN "${channel}"`)).catch(again);
}

let listener; // the client that listens or connects
let renewal = setTimeout(keepRenewing, RENEWAL_MILLIS);
listen();
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    stopping = true;
    wake();
  });
}
console.log(`working on ${GROUP}`);

let pause = SHORTEST_PAUSE;
while (!stopping) {
  try {
    const free = PLACES - held.size;
    const claimed = free > 0 ? await claim(free) : [];
    claimed.forEach((task) => void run(task));
    if (claimed.length > 0) pause = SHORTEST_PAUSE;
    if (claimed.length > 0 && claimed.length === free) continue;
  } catch (failure) {
    console.error('nothing could be claimed:', failure.message);
  }
  await sleep(pause);
  pause = Math.min(2 * pause, LONGEST_PAUSE);
}
const until = performance.now() + DRAIN_MILLIS;
while (held.size > 0 && performance.now() < until) await sleep(SHORTEST_PAUSE);
clearTimeout(renewal);
setTimeout(() => process.exit(), LONGEST_ANSWER).unref(); // a silent database takes no leave
const last = listener;
listener = undefined;
await last?.end();
await pool.end();
