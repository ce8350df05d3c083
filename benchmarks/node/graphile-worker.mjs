// Graphile Worker with a local queue and ends in batches, as its documentation advises for very many short jobs.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

export async function open(databaseUrl, slots) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  pool.on('error', (error) => console.error(error));
  pool.on('connect', (client) => client.on('error', (error) => console.error(error)));
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') {
      console.error(message);
    }
  });
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  return {
    add: (payload) => utils.addJob('job', payload),
    addAll: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: 'job', payload }))),
    prepare: () => pool.query('VACUUM ANALYZE'),
    async drain(handle, last) {
      const runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        taskList: { job: (payload) => handle(payload.number) },
        preset: {
          worker: {
            concurrentJobs: slots,
            localQueue: { size: 4 * slots },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
      await last;
      await runner.stop();
    },
    async left() {
      const found = await pool.query('SELECT count(*)::int AS n FROM graphile_worker.jobs');
      return found.rows[0].n;
    },
    async close() {
      await utils.release();
      await pool.end();
    },
  };
}
