// pg-boss without its poll interval: fetches as many jobs as there are slots, and completes them with one call.
import pg from 'pg';
import PgBoss from 'pg-boss';

const QUEUE = 'job';

export async function open(databaseUrl, slots) {
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    add: (data) => boss.send(QUEUE, data),
    addAll: (payloads) => boss.insert(payloads.map((data) => ({ name: QUEUE, data }))),
    prepare: () => pool.query('VACUUM ANALYZE'),
    async drain(handle) {
      for (;;) {
        const jobs = await boss.fetch(QUEUE, { batchSize: slots });
        if (jobs.length === 0) {
          return;
        }
        jobs.forEach((job) => handle(job.data.number));
        await boss.complete(QUEUE, jobs.map((job) => job.id));
      }
    },
    async left() {
      const found = await pool.query(
        `SELECT count(*)::int AS n FROM pgboss.job WHERE name = $1 AND state <> 'completed'`, [QUEUE]);
      return found.rows[0].n;
    },
    async close() {
      await pool.end();
      await boss.stop({ graceful: false });
    },
  };
}
