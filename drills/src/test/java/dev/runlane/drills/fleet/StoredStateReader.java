package dev.runlane.drills.fleet;

import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.Database;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.StoredState.OutboxRow;
import dev.runlane.simulation.history.StoredState.PartitionUse;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.RunEventRecord;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what is stored in one environment: projections through the storage, as everybody sees them, the
 * rest straight from the tables.
 */
final class StoredStateReader {
  private static final int CHUNK = 200;

  private static final String RUN_IDS = """
      SELECT run_id FROM runlane.active_runs JOIN runlane.environments USING (env) WHERE environment_key = ?
      UNION ALL
      SELECT run_id FROM runlane.terminal_runs JOIN runlane.environments USING (env) WHERE environment_key = ?
      ORDER BY run_id
      """;
  private static final String EVENTS = """
      SELECT run_id, sequence, event_id, type, occurred_at, body
      FROM runlane.run_events JOIN runlane.environments USING (env)
      WHERE environment_key = ? ORDER BY run_id, sequence
      """;
  private static final String OUTBOX = """
      SELECT run_id, sequence, count(*) FILTER (WHERE inserted), count(*) FILTER (WHERE NOT inserted)
      FROM drill_outbox JOIN runlane.environments USING (env)
      WHERE environment_key = ? GROUP BY run_id, sequence ORDER BY run_id, sequence
      """;
  private static final String PARTITIONS = """
      SELECT queue, partition, coalesce(used, 0), coalesce(occupied, 0)
      FROM (SELECT env, queue, partition, used FROM runlane.queue_capacity) c
      FULL JOIN (SELECT env, queue, partition, count(*) AS occupied FROM runlane.active_runs
        WHERE occupies GROUP BY env, queue, partition) a USING (env, queue, partition)
      JOIN runlane.environments USING (env) WHERE environment_key = ? ORDER BY queue, partition
      """;
  private static final String EFFECTS =
      "SELECT run_id, attempt FROM drill_effects WHERE environment = ? ORDER BY run_id, attempt";

  private final Database database;
  private final StorageAdapter storage;

  StoredStateReader(Database database, StorageAdapter storage) {
    this.database = database;
    this.storage = storage;
  }

  /** Everything of the environment, in order; consistent only while nobody works in it. */
  StoredState read(Environment environment) {
    String key = environment.environmentKey();
    return new StoredState(
        histories(environment),
        database.rows(
            OUTBOX,
            row -> new OutboxRow(row.getString(1), row.getLong(2), row.getInt(3), row.getInt(4)),
            key),
        partitions(environment),
        database.rows(EFFECTS, row -> new Effect(row.getString(1), row.getInt(2)), key));
  }

  /** The use of bounded partitions, in one snapshot: it must be right at any time. */
  List<PartitionUse> partitions(Environment environment) {
    return database.rows(
        PARTITIONS,
        row -> new PartitionUse(row.getString(1), row.getString(2), row.getInt(3), row.getInt(4)),
        environment.environmentKey());
  }

  private List<RunHistory> histories(Environment environment) {
    Map<String, List<RunEventRecord>> events = new LinkedHashMap<>();
    String key = environment.environmentKey();
    database
        .rows(RUN_IDS, row -> row.getString(1), key, key)
        .forEach(runId -> events.put(runId, new ArrayList<>()));
    database
        .rows(
            EVENTS,
            row -> new RunEventRecord(
                row.getString(3),
                row.getLong(2),
                RunEventJson.readBody(
                    environment,
                    row.getString(1),
                    row.getString(4),
                    row.getObject(5, OffsetDateTime.class).toInstant(),
                    Json.ofChecked(row.getString(6)))),
            key)
        .forEach(record -> ownerOf(record, events).add(record));
    List<RunHistory> histories = new ArrayList<>();
    List<String> runIds = List.copyOf(events.keySet());
    for (int from = 0; from < runIds.size(); from += CHUNK) {
      List<String> chunk = runIds.subList(from, Math.min(runIds.size(), from + CHUNK));
      for (RunRecord run : Await.result(storage.getRuns(new GetRuns(environment, chunk)))) {
        histories.add(new RunHistory(run, events.get(run.id())));
      }
    }
    if (histories.size() != runIds.size()) {
      throw new AssertionError(
          runIds.size() + " runs are stored but only " + histories.size() + " can be read");
    }
    return histories;
  }

  private static List<RunEventRecord> ownerOf(
      RunEventRecord record, Map<String, List<RunEventRecord>> events) {
    String runId = record.event().header().runId();
    List<RunEventRecord> owner = events.get(runId);
    if (owner == null) {
      throw new AssertionError("event " + record.id() + " belongs to no stored run: " + runId);
    }
    return owner;
  }
}
