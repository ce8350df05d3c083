package dev.runlane.jobs.postgres.operate;

import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.JobTexts;
import dev.runlane.jobs.postgres.row.JobTransactions;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Named schedules. */
public final class JobSchedules {
  private static final SqlStatement<Upsert> UPSERT = SqlStatement.of(
      "upsert_schedule",
      new Parameters<Upsert>()
          .value("queue", upsert -> upsert.command().queueName())
          .value("key", upsert -> upsert.command().key())
          .value("name", upsert -> upsert.command().jobName())
          .value("data", upsert -> upsert.command().data().text())
          .value("options", upsert -> upsert.json().options(upsert.command().options()))
          .value("repeat", upsert -> upsert.json().repeat(upsert.command().repeat()))
          .time("next_at", upsert -> upsert.command().nextAt())
          .time("now", upsert -> upsert.command().now()));
  private static final Parameters<Key> OF_KEY =
      new Parameters<Key>().value("queue", Key::queue).value("key", Key::key);
  private static final SqlStatement<Key> GET = SqlStatement.of("get_schedule", OF_KEY);
  private static final SqlStatement<String> LIST =
      SqlStatement.of("list_schedules", JobStatements.OF_QUEUE);
  private static final SqlStatement<String> LIST_SUMMARIES =
      SqlStatement.of("list_schedule_summaries", JobStatements.OF_QUEUE);
  private static final SqlStatement<Key> REMOVE = SqlStatement.of("remove_schedule", OF_KEY);
  private static final SqlStatement<JobStatements.Due> DUE = SqlStatement.of(
      "due_schedules",
      new Parameters<JobStatements.Due>()
          .value("queue", JobStatements.Due::queue)
          .time("now", JobStatements.Due::at)
          .value("limit", JobStatements.Due::limit));
  private static final SqlStatement<String> NEXT =
      SqlStatement.of("next_schedule", JobStatements.OF_QUEUE);
  private static final SqlStatement<Firing> FIRE = SqlStatement.of(
      "fire_schedule",
      new Parameters<Firing>()
          .value("queue", firing -> firing.command().queueName())
          .value("key", firing -> firing.command().key())
          .time("due_at", firing -> firing.command().dueAt())
          .value("repeat", firing -> firing.json().repeat(firing.command().repeat()))
          .time("next_at", firing -> firing.command().nextAt()));
  private static final SqlStatement<Fired> NAME_FIRED_JOB = SqlStatement.of(
      "name_fired_job",
      new Parameters<Fired>().of(Fired::schedule, OF_KEY).value("job_id", Fired::jobId));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(UPSERT, GET, LIST, LIST_SUMMARIES, REMOVE, DUE, NEXT, FIRE, NAME_FIRED_JOB);

  private static final Logger LOG = LoggerFactory.getLogger(JobSchedules.class);

  private final JobSession session;
  private final JobTransactions transactions;

  public JobSchedules(JobSession session, JobTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
  }

  public Future<JobSchedule> upsert(UpsertSchedule command) {
    return session
        .execute(UPSERT, new Upsert(command, session.json()))
        .map(rows -> schedule(rows.iterator().next()));
  }

  public Future<Optional<JobSchedule>> get(String queue, String key) {
    return session.execute(GET, new Key(queue, key)).map(rows -> {
      for (Row row : rows) {
        return Optional.of(schedule(row));
      }
      return Optional.empty();
    });
  }

  public Future<List<JobSchedule>> list(String queue) {
    return session.execute(LIST, queue).map(this::readable);
  }

  public Future<List<JobSchedule>> listSummaries(String queue) {
    return session.execute(LIST_SUMMARIES, queue).map(this::readable);
  }

  public Future<Boolean> remove(String queue, String key) {
    return session.execute(REMOVE, new Key(queue, key)).map(rows -> rows.rowCount() > 0);
  }

  public Future<List<JobSchedule>> due(String queue, Instant now, int limit) {
    return session.execute(DUE, new JobStatements.Due(queue, now, limit)).map(this::readable);
  }

  public Future<Optional<Instant>> next(String queue) {
    return session.execute(NEXT, queue).map(JobReads::instant);
  }

  public Future<Optional<SavedJob>> fire(FireSchedule command) {
    List<NewJob> jobs = List.of(command.job());
    return transactions.run("fireSchedule", tx -> {
      JobSaves saves = new JobSaves(tx);
      return saves
          .lockNames(Map.of(command.queueName(), jobs), false)
          .compose(locked -> tx.execute(FIRE, new Firing(command, session.json())))
          .compose(moved -> moved.rowCount() == 0
              ? Future.succeededFuture(Optional.empty())
              : saves
                  .saveScheduled(command.queueName(), command.job(), command.key(), command.now())
                  .compose(saved -> tx.execute(
                          NAME_FIRED_JOB,
                          new Fired(new Key(command.queueName(), command.key()), saved.id()))
                      .map(Optional.of(saved))));
    });
  }

  /** Those that can be read: one of a later release keeps no other from firing. */
  private List<JobSchedule> readable(RowSet<Row> rows) {
    List<JobSchedule> schedules = new ArrayList<>();
    for (Row row : rows) {
      try {
        schedules.add(schedule(row));
      } catch (RuntimeException unreadable) {
        LOG.warn(
            "schedule {} of queue {} cannot be read, as of a later release, and is passed over",
            row.getString(1),
            row.getString(0),
            unreadable);
      }
    }
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

  private record Key(String queue, String key) {}

  private record Upsert(UpsertSchedule command, JobTexts json) {}

  private record Firing(FireSchedule command, JobTexts json) {}

  private record Fired(Key schedule, String jobId) {}
}
