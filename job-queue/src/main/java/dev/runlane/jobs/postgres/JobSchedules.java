package dev.runlane.jobs.postgres;

import dev.runlane.jobs.FireSchedule;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.SavedJob;
import dev.runlane.jobs.UpsertSchedule;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Named schedules. */
final class JobSchedules {
  private static final Map<String, String> COLUMNS = Map.of(
      "columns",
      "queue, key, name, data, options, repeat, next_at, fired, last_fired_at, last_job_id, created_at, updated_at");

  private final JobSession session;
  private final JobTransactions transactions;

  JobSchedules(JobSession session, JobTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
  }

  Future<JobSchedule> upsert(UpsertSchedule command) {
    Tuple parameters = Tuple.tuple()
        .addString(command.queueName())
        .addString(command.key())
        .addString(command.jobName())
        .addString(command.data().text())
        .addString(session.json().options(command.options()))
        .addString(session.json().repeat(command.repeat()))
        .addOffsetDateTime(ArrayTuple.utcOrNull(command.nextAt()))
        .addOffsetDateTime(ArrayTuple.utc(command.now()));
    return execute(session, "upsert_schedule", parameters)
        .map(rows -> schedule(rows.iterator().next()));
  }

  Future<Optional<JobSchedule>> get(String queue, String key) {
    return execute(session, "get_schedule", Tuple.of(queue, key))
        .map(rows -> schedules(rows).stream().findFirst());
  }

  Future<List<JobSchedule>> list(String queue) {
    return execute(session, "list_schedules", Tuple.of(queue)).map(this::schedules);
  }

  Future<Boolean> remove(String queue, String key) {
    return execute(session, "remove_schedule", Tuple.of(queue, key))
        .map(rows -> rows.rowCount() > 0);
  }

  Future<List<JobSchedule>> due(String queue, Instant now, int limit) {
    return execute(session, "due_schedules", Tuple.of(queue, ArrayTuple.utc(now), (long) limit))
        .map(this::schedules);
  }

  Future<Optional<Instant>> next(String queue) {
    return execute(session, "next_schedule", Tuple.of(queue)).map(JobReads::instant);
  }

  Future<Optional<SavedJob>> fire(FireSchedule command) {
    List<NewJob> jobs = List.of(command.job());
    return transactions.run("fireSchedule", tx -> {
      JobSaves saves = new JobSaves(tx);
      return saves
          .lockNames(Map.of(command.queueName(), jobs), false)
          .compose(locked -> execute(tx, "fire_schedule", moved(command)))
          .compose(moved -> moved.rowCount() == 0
              ? Future.succeededFuture(Optional.empty())
              : saves
                  .saveScheduled(command.queueName(), command.job(), command.key(), command.now())
                  .compose(saved -> execute(
                          tx,
                          "name_fired_job",
                          Tuple.of(command.queueName(), command.key(), saved.id()))
                      .map(Optional.of(saved))));
    });
  }

  private static Tuple moved(FireSchedule command) {
    return Tuple.tuple()
        .addString(command.queueName())
        .addString(command.key())
        .addOffsetDateTime(ArrayTuple.utc(command.dueAt()))
        .addOffsetDateTime(ArrayTuple.utcOrNull(command.nextAt()));
  }

  private static Future<RowSet<Row>> execute(JobSession on, String statement, Tuple parameters) {
    return on.client().preparedQuery(on.statements().raw(statement, COLUMNS)).execute(parameters);
  }

  private List<JobSchedule> schedules(RowSet<Row> rows) {
    List<JobSchedule> schedules = new ArrayList<>();
    rows.forEach(row -> schedules.add(schedule(row)));
    return schedules;
  }

  private JobSchedule schedule(Row row) {
    return new JobSchedule(
        row.getString(0),
        row.getString(1),
        row.getString(2),
        Json.ofChecked(row.getString(3)),
        session.json().options(row.getString(4)),
        session.json().repeat(row.getString(5)),
        instantOrNull(row, 6),
        row.getLong(7),
        instantOrNull(row, 8),
        row.getString(9),
        row.getOffsetDateTime(10).toInstant(),
        row.getOffsetDateTime(11).toInstant());
  }

  private static @Nullable Instant instantOrNull(Row row, int column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }
}
