// The published package's view of a pool of connections.
import mysql from 'mysql2/promise';
import pg from 'pg';

const MOST_CONNECTIONS = 6;
const AGAIN = [1205, 1213]; // lock wait timeout, deadlock
const MOST_TRIES = 20;

export function executorOf(url) {
  return url.startsWith('mysql') ? onMysql(url) : onPostgres(url);
}

function onPostgres(connectionString) {
  const pool = new pg.Pool({ connectionString, max: MOST_CONNECTIONS });
  pool.on('error', (failure) => console.error('connection lost:', failure.message));
  const rowsOf = async (client, sql, params) => (await client.query(sql, params)).rows;
  return {
    dialect: 'postgres',
    escapeId: (id) => `"${id}"`,
    query: (sql, params) => rowsOf(pool, sql, params),
    transaction: (work) => transaction(() => pool.connect(), rowsOf, work),
  };
}

function onMysql(uri) {
  const pool = mysql.createPool({ uri, connectionLimit: MOST_CONNECTIONS });
  const rowsOf = async (client, sql, params) => (await client.query(sql, params))[0];
  return {
    dialect: 'mysql',
    escapeId: (id) => `\`${id}\``,
    query: (sql, params) => repeated(() => rowsOf(pool, sql, params)),
    transaction: (work) => transaction(() => pool.getConnection(), rowsOf, work),
  };
}

// The package takes a deadlock of its own claims and inserts for the end of a run.
async function repeated(send) {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (failure) {
      if (!AGAIN.includes(failure.errno) || tries === MOST_TRIES) throw failure;
    }
  }
}

async function transaction(connect, rowsOf, work) {
  const client = await connect();
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
}
