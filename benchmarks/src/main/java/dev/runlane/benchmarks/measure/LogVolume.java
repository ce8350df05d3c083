package dev.runlane.benchmarks.measure;

/** What the log of a round consists of, by relation and kind of record, as {@code pg_walinspect} tells it. */
public final class LogVolume {
  /** Each record once, at its first block; what has no block, such as commits, comes last. */
  private static final String BY_RELATION = """
      WITH block AS (
        SELECT relfilenode, resource_manager || ' ' || record_type AS type, record_length, block_fpi_length
        FROM pg_get_wal_block_info('%1$s', '%2$s') WHERE block_id = 0
      ), part AS (
        SELECT coalesce(c.relname, 'another database') AS relation, b.type, count(*) AS records,
          sum(b.record_length) AS bytes, sum(b.block_fpi_length) AS page_bytes
        FROM block b LEFT JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode
        GROUP BY 1, 2
        UNION ALL
        SELECT 'no relation', resource_manager || ' ' || record_type, count(*), sum(record_length), 0
        FROM pg_get_wal_records_info('%1$s', '%2$s') WHERE block_ref IS NULL GROUP BY 2
      )
      SELECT string_agg(format('%%s %%s %%s %%s %%s', rpad(relation, 32), rpad(type, 28),
          lpad(round(records::numeric / %3$s, 3)::text, 8), lpad(round(bytes / %3$s, 1)::text, 9),
          lpad(round(page_bytes::numeric / %3$s, 1)::text, 9)), E'\\n' ORDER BY bytes DESC)
      FROM part WHERE bytes >= %3$s
      """;

  private LogVolume() {}

  /** Where the log ends by now. */
  public static String end(Sql sql) {
    return sql.text("SELECT pg_current_wal_flush_lsn()");
  }

  /** A line for each kind of record: how many, their bytes, and those of full pages in them, a run. */
  public static String since(Sql sql, String begin, int runs) {
    sql.execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
    return sql.text(BY_RELATION.formatted(begin, end(sql), runs));
  }
}
