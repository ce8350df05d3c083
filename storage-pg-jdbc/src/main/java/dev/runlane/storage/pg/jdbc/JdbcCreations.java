package dev.runlane.storage.pg.jdbc;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.IDEMPOTENCY_KEY;
import static dev.runlane.run.StorageConflictKind.SINGLETON_KEY;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.TraceCarrierJson;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.MarkedStatement;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.timing.Ids;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates runs that nobody leases yet, with the statements of the reactive storage. */
final class JdbcCreations {
  private static final Instant EXPIRED = Instant.parse("0001-01-01T00:00:00Z");
  private static final int MOST_TRIES = 3;
  private static final Parameters<Creation> OF_RUNS = new Parameters<Creation>()
      .value("env", Creation::env)
      .rows(
          each -> List.of(each),
          new Columns<Creation>()
              .texts("run_ids", each -> each.run().id())
              .texts("task_ids", each -> each.run().taskId())
              .texts("queues", each -> each.run().queue())
              .texts("partitions", Creation::partition)
              .texts("statuses", each -> each.run().status().value())
              .shorts("kinds", each -> (short) (each.isDue() ? 0 : 1))
              .times("due_times", Creation::dueAt)
              .longs("sequences", each -> each.run().eventSequence())
              .times("run_times", each -> each.run().runAt())
              .times("created_times", each -> each.run().createdAt())
              .times("updated_times", each -> each.run().updatedAt())
              .texts("concurrency_keys", each -> each.run().keys().concurrencyKey())
              .texts("trace_carriers", each -> text(each.run().traceCarrier()))
              .texts("bodies", each -> RunEventJson.body(each.created()).text())
              .flags("unnamed", each -> each.command().queuePolicy() == null))
      .rows(
          Creation::later,
          new Columns<Later>()
              .texts("event_run_ids", each -> each.event().header().runId())
              .longs("event_sequences", Later::sequence)
              .texts("event_types", each -> each.event().type().value())
              .times("event_times", each -> each.event().header().occurredAt())
              .texts("event_bodies", each -> RunEventJson.body(each.event()).text()))
      .rows(
          Creation::messages,
          new Columns<Message>()
              .texts("message_run_ids", each -> each.delivery().runId())
              .longs("message_sequences", Message::sequence)
              .texts("message_ids", Message::id)
              .texts("message_queues", each -> each.delivery().queue())
              .texts("message_statuses", each -> "pending")
              .times("message_requested_times", each -> each.delivery().requestedAt())
              .times("message_available_times", each -> each.delivery().availableAt())
              .times("message_next_times", each -> each.delivery().availableAt())
              .texts("message_claim_tokens", each -> null)
              .texts("message_trace_carriers", each -> text(each.traceCarrier())));
  private static final Columns<Creation> KEYS = new Columns<Creation>()
      .texts("idempotency_keys", each -> each.run().keys().idempotencyKey())
      .texts("singleton_keys", each -> each.run().keys().singletonKey())
      .times("now_times", each -> each.command().now());
  private static final Parameters<Creation> OF_KEYED_RUNS =
      OF_RUNS.rows(each -> List.of(each), KEYS.times("expires_times", Creation::keyExpiresAt));
  private static final Parameters<Creation> OF_TAGGED_RUNS = OF_KEYED_RUNS.rows(
      Creation::tags,
      new Columns<Tag>()
          .texts("tagged_run_ids", Tag::runId)
          .texts("tag_names", Tag::name)
          .texts("tag_values", Tag::value));
  private static final Parameters<Creation> OF_LOST = new Parameters<Creation>()
      .value("env", Creation::env)
      .rows(
          each -> List.of(each),
          KEYS.texts("run_ids", each -> each.run().id())
              .texts("task_ids", each -> each.run().taskId()));
  private static final Parameters<Environment> OF_ENVIRONMENT =
      new Parameters<Environment>().value("environment_key", Environment::environmentKey);
  private static final Parameters<RunRecord> OF_NOTIFIED = new Parameters<RunRecord>()
      .value("environment", run -> run.environment().environmentKey())
      .value("run_id", RunRecord::id)
      .value("queue", RunRecord::queue)
      .time("now", RunRecord::updatedAt)
      .value("trace_carrier", run -> text(run.traceCarrier()));

  private final MarkedStatement<Environment> findEnvironment;
  private final MarkedStatement<Environment> makeEnvironment;
  private final MarkedStatement<Creation> create;
  private final MarkedStatement<Creation> createKeyed;
  private final MarkedStatement<Creation> createTagged;
  private final MarkedStatement<Creation> readLost;
  private final MarkedStatement<RunRecord> notifyRun;
  private final Ids ids;

  JdbcCreations(String schema, Ids ids) {
    SqlStatements statements = SqlStatements.load(
        JdbcCreations.class::getResourceAsStream,
        new SchemaName(schema),
        "appends.sql",
        "reads.sql",
        "triggers.sql");
    findEnvironment = statements.marked(SqlStatement.of("find_environment", OF_ENVIRONMENT));
    makeEnvironment = statements.marked(SqlStatement.of("environment", OF_ENVIRONMENT));
    create = statements.marked(SqlStatement.of("create_runs", OF_RUNS));
    createKeyed = statements.marked(SqlStatement.of("create_keyed_runs", OF_KEYED_RUNS));
    createTagged = statements.marked(SqlStatement.of("create_tagged_runs", OF_TAGGED_RUNS));
    readLost = statements.marked(SqlStatement.of("read_lost_creations", OF_LOST));
    notifyRun = statements.marked(SqlStatement.of("notify_run", OF_NOTIFIED));
    this.ids = ids;
  }

  /**
   * Creates the run of a command that takes no lease and claims no outbox message. Throws a conflict when the run or
   * the owner of one of its keys exists.
   */
  AppendedRun create(Connection connection, AppendRunEvents command) {
    CommandChecks.check(command);
    JdbcSession session = new JdbcSession(connection);
    try {
      return create(session, command, 1);
    } catch (SQLException failure) {
      throw SqlFailures.of(failure, connection);
    }
  }

  private AppendedRun create(JdbcSession session, AppendRunEvents command, int tries)
      throws SQLException {
    Tried tried;
    try {
      tried = session.atomically(() -> write(session, creation(session, command)));
    } catch (SQLException failure) {
      if (SqlFailures.mayBeSentAgain(failure) && tries < MOST_TRIES) {
        return create(session, command, tries + 1);
      }
      throw failure;
    }
    if (!tried.written().isEmpty()) {
      return tried.creation().appended(tried.written());
    }
    Optional<RunlaneException> conflict =
        session.atomically(() -> conflict(session, tried.creation()));
    if (conflict.isPresent()) {
      throw conflict.get();
    }
    if (tries == MOST_TRIES) {
      throw RunlaneException.conflict(
          command.projectedRun().keys().idempotencyKey() != null ? IDEMPOTENCY_KEY : SINGLETON_KEY,
          "run %s lost its keys to runs that are gone again",
          command.runId());
    }
    return create(session, command, tries + 1);
  }

  private Tried write(JdbcSession session, Creation creation) throws SQLException {
    Map<Long, Long> written = new HashMap<>();
    session
        .query(statement(creation), creation, row -> Map.entry(row.getLong(2), row.getLong(3)))
        .forEach(event -> written.put(event.getKey(), event.getValue()));
    return new Tried(creation, written);
  }

  private MarkedStatement<Creation> statement(Creation creation) {
    if (!creation.created().tags().isEmpty()) {
      return createTagged;
    }
    return creation.isKeyed() ? createKeyed : create;
  }

  /** Who is in the way; empty when nobody is any more. */
  private Optional<RunlaneException> conflict(JdbcSession session, Creation creation)
      throws SQLException {
    String runId = creation.run().id();
    return session
        .query(readLost, creation, row -> {
          long sequence = row.getLong(2);
          if (!row.wasNull()) {
            return List.of(RunlaneException.conflict(
                EVENT_SEQUENCE, "run %s exists already, at sequence %d", runId, sequence));
          }
          String idempotencyOwner = row.getString(3);
          if (idempotencyOwner != null) {
            return List.of(owned(IDEMPOTENCY_KEY, runId, idempotencyOwner));
          }
          String singletonOwner = row.getString(4);
          return singletonOwner == null
              ? List.<RunlaneException>of()
              : List.of(owned(SINGLETON_KEY, runId, singletonOwner));
        })
        .stream()
        .flatMap(List::stream)
        .findFirst();
  }

  private static RunlaneException owned(StorageConflictKind kind, String runId, String owner) {
    return RunlaneException.conflict(
            kind, "run %s cannot own its %s, run %s does", runId, kind.value(), owner)
        .withMeta(RunlaneException.OWNER_RUN_ID, owner);
  }

  /** Notifies whoever listens when the application commits. Where it cannot be, the outbox publisher finds the run. */
  void notifyOf(Connection connection, RunRecord run) {
    JdbcSession session = new JdbcSession(connection);
    try {
      session.atomically(() -> session.query(notifyRun, run, row -> run));
    } catch (SQLException notNotified) {
      return; // the run is created: a failure would have it triggered a second time
    }
  }

  private Creation creation(JdbcSession session, AppendRunEvents command) throws SQLException {
    List<RunEvent> events = command.events();
    List<Later> later = new ArrayList<>();
    List<Message> messages = new ArrayList<>();
    for (int index = 1; index < events.size(); index++) {
      later.add(new Later(index + 1, events.get(index)));
      if (events.get(index) instanceof RunEvent.DeliveryRequested requested) {
        messages.add(message(command.projectedRun(), requested, index + 1));
      }
    }
    return new Creation(environment(session, command.environment()), command, later, messages);
  }

  private Message message(RunRecord run, RunEvent.DeliveryRequested requested, long sequence) {
    Map<String, String> trace = requested.delivery().traceCarrier();
    if (trace == null) {
      trace = requested.header().traceCarrier();
    }
    return new Message(
        ids.outboxMessageId(),
        sequence,
        requested.delivery(),
        trace == null ? run.traceCarrier() : trace);
  }

  /** Read each time: what this transaction makes may be rolled back, and its number is nobody's then. */
  private int environment(JdbcSession session, Environment environment) throws SQLException {
    List<Integer> found = List.of();
    for (int tries = 0; found.isEmpty() && tries < MOST_TRIES; tries++) {
      found = session.query(findEnvironment, environment, row -> row.getInt(1));
      if (found.isEmpty()) { // somebody else may make it at this moment
        found = session.query(makeEnvironment, environment, row -> row.getInt(1));
      }
    }
    return found.get(0);
  }

  private static @Nullable String text(@Nullable Map<String, String> carrier) {
    return carrier == null ? null : TraceCarrierJson.write(carrier).text();
  }

  /**
   * A creation and the ids of the events that were written, by sequence; none where the run or a key is another's.
   */
  private record Tried(Creation creation, Map<Long, Long> written) {}

  private record Later(long sequence, RunEvent event) {}

  private record Message(
      String id,
      long sequence,
      DeliveryIntent delivery,
      @Nullable Map<String, String> traceCarrier) {}

  /** One of a run. */
  private record Tag(String runId, String name, String value) {}

  private record Creation(
      int env, AppendRunEvents command, List<Later> later, List<Message> messages) {
    RunRecord run() {
      return command.projectedRun();
    }

    RunEvent.Created created() {
      return (RunEvent.Created) command.events().get(0);
    }

    List<Tag> tags() {
      return created().tags().entrySet().stream()
          .map(tag -> new Tag(command.runId(), tag.getKey(), tag.getValue()))
          .toList();
    }

    boolean isDue() {
      return run().status() == RunStatus.QUEUED;
    }

    boolean isKeyed() {
      return run().keys().idempotencyKey() != null || run().keys().singletonKey() != null;
    }

    Instant dueAt() {
      Instant runAt = run().runAt();
      return runAt == null ? run().updatedAt() : runAt;
    }

    @Nullable
    String partition() {
      if (command.queuePolicy() == null || !command.queuePolicy().isBounded()) {
        return null;
      }
      String key = run().keys().concurrencyKey();
      return key == null ? "" : key;
    }

    @Nullable
    Instant keyExpiresAt() {
      IdempotencyTtl ttl = run().keys().idempotencyTtl();
      if (ttl == null) {
        return null;
      }
      return ttl.retention() == null ? EXPIRED : run().createdAt().plus(ttl.retention());
    }

    AppendedRun appended(Map<Long, Long> written) {
      List<RunEventRecord> records = new ArrayList<>();
      for (int index = 0; index < command.events().size(); index++) {
        long sequence = index + 1L;
        records.add(new RunEventRecord(
            String.valueOf(written.get(sequence)), sequence, command.events().get(index)));
      }
      return new AppendedRun(run(), records, List.of());
    }
  }
}
