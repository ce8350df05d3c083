// A step worker in Node, written against STEP-TABLES.md alone.
//
//   DATABASE_URL=postgresql://… PREFIX=durable GROUP=echo node worker.mjs
import { randomUUID } from 'node:crypto';
import pg from 'pg';

const { DATABASE_URL, PREFIX = 'durable', GROUP = 'echo' } = process.env;
const LEASE_MILLIS = Number(process.env.LEASE_MILLIS ?? 30_000);
const PLACES = Number(process.env.PLACES ?? 8);
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 500;

/** The handlers, by name of the step. What they return is the output, what they throw the failure. */
const handlers = {
  echo: async (input) => input,
  fail: async (input) => {
    throw Object.assign(new Error(input?.message ?? 'failed'), { code: 'example', retryable: false });
  },
};

const tasks = `"${PREFIX}_transport_tasks"`;
const results = `"${PREFIX}_transport_results"`;
const channel = `${PREFIX}_transport`;
const worker = `node-${randomUUID()}`;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 4 });
pool.on('error', (failure) => console.error('connection lost:', failure.message));

const held = new Map(); // step id -> { claim, lost }
let claims = 0;
let stopping = false;
let wake = () => {};

async function claim(free) {
  const id = `${worker}/${++claims}`;
  const now = Date.now();
  const { rows } = await pool.query(
    `UPDATE ${tasks} SET claimed_by = $4, claimed_at = $5
      WHERE step_id = ANY (ARRAY(
        SELECT step_id FROM ${tasks}
         WHERE grp = $1 AND (claimed_at IS NULL OR claimed_at < $2)
         ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED))
      RETURNING step_id, run_id, seq, name, input, attempt`,
    [GROUP, now - LEASE_MILLIS, free, id, now],
  );
  return rows.map((row) => ({ ...row, claim: id }));
}

async function outcomeOf(task) {
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
  try {
    const output = await handler(input ?? undefined, task);
    return { status: 'completed', output: output === undefined ? null : JSON.stringify(output), error: null };
  } catch (failure) {
    const error = { message: failure instanceof Error ? failure.message : String(failure) };
    if (typeof failure?.code === 'string') error.code = failure.code;
    if (typeof failure?.retryable === 'boolean') error.retryable = failure.retryable;
    return failed(error);
  }
}

function failed(error) {
  return { status: 'failed', output: null, error: JSON.stringify(error) };
}

/** 'recorded', 'lost' or 'blocked', as STEP-TABLES.md says under Worker. */
async function record(task, outcome, startedAt) {
  const connection = await pool.connect();
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
    await connection.query('ROLLBACK').catch(() => {});
    throw failure;
  } finally {
    connection.release();
  }
}

async function run(task) {
  const lease = { claim: task.claim, lost: false };
  held.set(task.step_id, lease);
  const startedAt = Date.now();
  const outcome = await outcomeOf(task);
  try {
    for (let pause = 50; !lease.lost; pause = Math.min(2 * pause, 2_000)) {
      try {
        if ((await record(task, outcome, startedAt)) !== 'blocked') break;
      } catch (failure) {
        console.error(`step ${task.step_id} waits:`, failure.message);
      }
      await new Promise((later) => setTimeout(later, pause));
    }
  } finally {
    held.delete(task.step_id);
    wake();
  }
}

async function renew() {
  const byClaim = new Map();
  for (const [stepId, lease] of held) {
    byClaim.set(lease.claim, [...(byClaim.get(lease.claim) ?? []), stepId]);
  }
  for (const [claimId, stepIds] of byClaim) {
    const { rows } = await pool.query(
      `UPDATE ${tasks} SET claimed_at = $3
        WHERE step_id = ANY ($1) AND claimed_by = $2 AND claimed_at IS NOT NULL RETURNING step_id`,
      [stepIds, claimId, Date.now()],
    );
    const kept = new Set(rows.map((row) => row.step_id));
    for (const stepId of stepIds) {
      const lease = held.get(stepId);
      if (lease?.claim === claimId && !kept.has(stepId)) lease.lost = true;
    }
  }
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

async function listen() {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  client.on('notification', () => wake());
  client.on('error', () => setTimeout(() => listen().catch(() => {}), 1_000).unref());
  await client.connect();
  await client.query(`LISTEN "${channel}"`);
  return client;
}

const renewal = setInterval(
  () => renew().catch((failure) => console.error('leases were not renewed:', failure.message)),
  Math.min(LEASE_MILLIS / 3, 5_000),
);
const listener = await listen().catch(() => undefined); // without it, polling alone
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
while (held.size > 0) await sleep(SHORTEST_PAUSE);
clearInterval(renewal);
await listener?.end();
await pool.end();
