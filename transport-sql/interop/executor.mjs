// The published package's view of a node-postgres pool.
import pg from 'pg';

export function openPool(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 6 });
  pool.on('error', (failure) => console.error('connection lost:', failure.message));
  return pool;
}

export function executorOf(pool) {
  const rowsOf = async (client, sql, params) => (await client.query(sql, params)).rows;
  return {
    dialect: 'postgres',
    escapeId: (id) => `"${id}"`,
    query: (sql, params) => rowsOf(pool, sql, params),
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const answer = await work({ query: (sql, params) => rowsOf(client, sql, params) });
        await client.query('COMMIT');
        return answer;
      } catch (failure) {
        await client.query('ROLLBACK');
        throw failure;
      } finally {
        client.release();
      }
    },
  };
}
