package dev.runlane.storage.pg.write;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.IDEMPOTENCY_KEY;
import static dev.runlane.run.StorageConflictKind.SINGLETON_KEY;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.pg.row.DueKind;
import dev.runlane.storage.pg.row.EventRow;
import dev.runlane.storage.pg.row.MessageRow;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.QueueBindings;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.row.StoredEvents;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates runs that nobody leases yet: many in one statement, with their ownership keys. */
public final class Creations implements BatchStatement<AppendRunEvents, AppendedRun> {
  /** Over for whoever asks, whatever the clock: a key that is owned while its run is active only. */
  private static final Instant EXPIRED = Instant.parse("0001-01-01T00:00:00Z");

  private static final int MOST_TRIES = 3;
  private static final String UNIQUE_VIOLATION = "23505";
  private static final Parameters<Rows> OF_RUNS = new Parameters<Rows>()
      .rows(
          Rows::runs,
          new Columns<Creation>()
              .texts("run_ids", each -> each.command().runId())
              .texts("task_ids", each -> each.created().taskId())
              .texts("queues", each -> each.created().queue())
              .texts("partitions", Creation::partition)
              .texts("statuses", each -> each.run().status().value())
              .shorts("kinds", each -> DueKind.of(each.run()).number())
              .times("due_times", each -> DueKind.dueAt(each.run()))
              .longs("sequences", each -> each.run().eventSequence())
              .times("run_times", each -> each.run().runAt())
              .times("created_times", each -> each.run().createdAt())
              .times("updated_times", each -> each.run().updatedAt())
              .texts("concurrency_keys", each -> each.created().keys().concurrencyKey())
              .texts("trace_carriers", each -> RunRows.traceText(each.run().traceCarrier()))
              .texts("bodies", each -> RunEventJson.body(each.created()).text())
              .flags("unnamed", each -> each.command().queuePolicy() == null))
      .rows(Rows::later, EventRow.COLUMNS)
      .rows(Rows::messages, MessageRow.COLUMNS);
  private static final Columns<Creation> KEYS = new Columns<Creation>()
      .texts("idempotency_keys", each -> each.created().keys().idempotencyKey())
      .texts("singleton_keys", each -> each.created().keys().singletonKey())
      .times("now_times", each -> each.command().now());
  private static final Columns<Tag> TAGS = new Columns<Tag>()
      .texts("tagged_run_ids", Tag::runId)
      .texts("tag_names", Tag::name)
      .texts("tag_values", Tag::value);
  private static final SqlStatement<PgSession.Scoped<Rows>> CREATE =
      PgSession.statement("create_runs", OF_RUNS);
  private static final SqlStatement<PgSession.Scoped<Rows>> CREATE_BESIDE_OTHERS =
      PgSession.statement("create_runs_beside_others", OF_RUNS);
  private static final Parameters<Rows> OF_KEYED_RUNS =
      OF_RUNS.rows(Rows::runs, KEYS.times("expires_times", Creation::keyExpiresAt));
  private static final SqlStatement<PgSession.Scoped<Rows>> CREATE_KEYED =
      PgSession.statement("create_keyed_runs", OF_KEYED_RUNS);
  private static final SqlStatement<PgSession.Scoped<Rows>> CREATE_TAGGED =
      PgSession.statement("create_tagged_runs", OF_KEYED_RUNS.rows(Rows::tags, TAGS));
  private static final SqlStatement<PgSession.Scoped<List<Creation>>> READ_LOST =
      PgSession.statement(
          "read_lost_creations",
          new Parameters<List<Creation>>()
              .rows(
                  lost -> lost,
                  KEYS.texts("run_ids", each -> each.command().runId())
                      .texts("task_ids", each -> each.created().taskId())));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(CREATE, CREATE_BESIDE_OTHERS, CREATE_KEYED, CREATE_TAGGED, READ_LOST);

  private final PgSession session;
  private final PgSession.Scope scope;
  private final QueueBindings bindings;
  private final CapacityRows capacity;
  private final @Nullable Consumer<List<DeliveryMessage>> wakes;

  Creations(
      PgSession session, PgSession.Scope scope, QueueBindings bindings, CapacityRows capacity) {
    this(session, scope, bindings, capacity, null);
  }

  /** @param wakes is told of created runs that are due and get no outbox message for it; null: all get theirs */
  private Creations(
      PgSession session,
      PgSession.Scope scope,
      QueueBindings bindings,
      CapacityRows capacity,
      @Nullable Consumer<List<DeliveryMessage>> wakes) {
    this.session = session;
    this.scope = scope;
    this.bindings = bindings;
    this.capacity = capacity;
    this.wakes = wakes;
  }

  /** The same creations, with wakeups that are due at once sent by {@code sender} and never written. */
  Creations waking(Consumer<List<DeliveryMessage>> sender) {
    return new Creations(session, scope, bindings, capacity, sender);
  }

  /** Whether the creation asks for an ownership key. */
  public static boolean isKeyed(AppendRunEvents command) {
    RunKeys keys = command.projectedRun().keys();
    return keys.idempotencyKey() != null || keys.singletonKey() != null;
  }

  /** Whether the run gets tags. */
  static boolean isTagged(AppendRunEvents command) {
    return command.events().get(0) instanceof RunEvent.Created created
        && !created.tags().isEmpty();
  }

  @Override
  public List<String> keys(AppendRunEvents command) {
    return keysOf(command);
  }

  @Override
  public long bytes(AppendRunEvents command) {
    return EventRow.bytes(command.events());
  }

  /** The run, and the ownership keys that a creation asks for. */
  public static List<String> keysOf(AppendRunEvents command) {
    List<String> keys = new ArrayList<>(3);
    keys.add("run:" + command.runId());
    RunRecord run = command.projectedRun();
    if (run.keys().idempotencyKey() != null) {
      keys.add("idempotency:" + run.taskId() + ":" + run.keys().idempotencyKey());
    }
    if (run.keys().singletonKey() != null) {
      keys.add("singleton:" + run.taskId() + ":" + run.keys().singletonKey());
    }
    return keys;
  }

  @Override
  public Future<List<CommandOutcome<AppendedRun>>> execute(List<AppendRunEvents> commands) {
    List<Creation> creations = commands.stream().map(this::creation).toList();
    return bindings
        .note(scope, policies(commands))
        .compose(noted -> capacity.ensure(scope, partitions(creations)))
        .compose(ready -> create(statement(creations, CREATE), creations, 1))
        .onSuccess(outcomes -> wake(creations, outcomes));
  }

  private void wake(List<Creation> creations, List<CommandOutcome<AppendedRun>> outcomes) {
    if (wakes == null) {
      return;
    }
    List<DeliveryMessage> due = new ArrayList<>();
    for (int index = 0; index < creations.size(); index++) {
      Creation creation = creations.get(index);
      if (outcomes.get(index) instanceof CommandOutcome.Succeeded && creation.isDue()) {
        due.add(creation.wakeup());
      }
    }
    if (!due.isEmpty()) {
      wakes.accept(due);
    }
  }

  /**
   * One creation in a transaction that is not ours to fail, nor to hold a partition's row with: a claimer makes it.
   */
  Future<List<CommandOutcome<AppendedRun>>> executeJoined(AppendRunEvents command) {
    List<Creation> creations = List.of(creation(command));
    return create(statement(creations, CREATE_BESIDE_OTHERS), creations, 1);
  }

  private Future<List<CommandOutcome<AppendedRun>>> create(
      SqlStatement<PgSession.Scoped<Rows>> statement, List<Creation> creations, int tries) {
    return stored(statement, creations).compose(rows -> {
      StoredEvents stored = StoredEvents.of(rows);
      List<Creation> lost =
          creations.stream().filter(creation -> creation.stored(stored) == null).toList();
      return (lost.isEmpty()
              ? Future.succeededFuture(Map.<String, CommandOutcome<AppendedRun>>of())
              : outcomesOfLost(lost, tries)
                  .recover(failure -> lost.size() == creations.size()
                      ? Future.failedFuture(failure)
                      : Future.succeededFuture(failed(lost, failure)))) // the others are created
          .map(outcomes -> outcomes(creations, stored, outcomes));
    });
  }

  private static Map<String, CommandOutcome<AppendedRun>> failed(
      List<Creation> lost, Throwable failure) {
    RunlaneException ours = PgFailures.of("appendRunEvents", failure);
    Map<String, CommandOutcome<AppendedRun>> outcomes = new HashMap<>();
    lost.forEach(
        creation -> outcomes.put(creation.command().runId(), new CommandOutcome.Failed<>(ours)));
    return outcomes;
  }

  private Future<RowSet<Row>> stored(
      SqlStatement<PgSession.Scoped<Rows>> statement, List<Creation> creations) {
    Rows rows = Rows.of(creations);
    Future<RowSet<Row>> stored = session.execute(statement, scope, rows);
    return statement == CREATE
        ? stored.recover(failure -> isTaken(failure)
            ? session.execute(CREATE_BESIDE_OTHERS, scope, rows)
            : Future.failedFuture(failure))
        : stored;
  }

  private static boolean isTaken(Throwable failure) {
    return failure instanceof PgException refused && UNIQUE_VIOLATION.equals(refused.getSqlState());
  }

  /** The plainest that does for all of them. */
  private static SqlStatement<PgSession.Scoped<Rows>> statement(
      List<Creation> creations, SqlStatement<PgSession.Scoped<Rows>> unkeyed) {
    if (creations.stream().anyMatch(creation -> isTagged(creation.command()))) {
      return CREATE_TAGGED;
    }
    return creations.stream().anyMatch(creation -> isKeyed(creation.command()))
        ? CREATE_KEYED
        : unkeyed;
  }

  private static List<CommandOutcome<AppendedRun>> outcomes(
      List<Creation> creations,
      StoredEvents stored,
      Map<String, CommandOutcome<AppendedRun>> lost) {
    List<CommandOutcome<AppendedRun>> outcomes = new ArrayList<>(creations.size());
    for (Creation creation : creations) {
      AppendedRun appended = creation.stored(stored);
      CommandOutcome<AppendedRun> outcome = lost.get(creation.command().runId());
      outcomes.add(
          appended != null
              ? new CommandOutcome.Succeeded<>(appended)
              : Objects.requireNonNull(outcome));
    }
    return outcomes;
  }

  /** Says why creations were lost; those nothing stands in the way of any more are tried again. */
  private Future<Map<String, CommandOutcome<AppendedRun>>> outcomesOfLost(
      List<Creation> lost, int tries) {
    return session.execute(READ_LOST, scope, lost).compose(rows -> {
      Map<String, CommandOutcome<AppendedRun>> outcomes = failures(rows);
      List<Creation> again = lost.stream()
          .filter(creation -> !outcomes.containsKey(creation.command().runId()))
          .toList();
      if (again.isEmpty()) {
        return Future.succeededFuture(outcomes);
      }
      if (tries == MOST_TRIES) {
        again.forEach(creation -> outcomes.put(creation.command().runId(), undecided(creation)));
        return Future.succeededFuture(outcomes);
      }
      return create(statement(again, CREATE_BESIDE_OTHERS), again, tries + 1).map(retried -> {
        for (int index = 0; index < again.size(); index++) {
          outcomes.put(again.get(index).command().runId(), retried.get(index));
        }
        return outcomes;
      });
    });
  }

  private static Map<String, CommandOutcome<AppendedRun>> failures(RowSet<Row> rows) {
    Map<String, CommandOutcome<AppendedRun>> failures = new HashMap<>();
    for (Row row : rows) {
      String runId = row.getString(0);
      Long sequence = row.getLong(1);
      if (sequence != null) {
        failures.put(
            runId,
            new CommandOutcome.Failed<>(RunlaneException.conflict(
                EVENT_SEQUENCE, "run %s exists already, at sequence %d", runId, sequence)));
      } else if (row.getString(2) != null) {
        failures.put(runId, owned(IDEMPOTENCY_KEY, runId, row.getString(2)));
      } else if (row.getString(3) != null) {
        failures.put(runId, owned(SINGLETON_KEY, runId, row.getString(3)));
      }
    }
    return failures;
  }

  private static CommandOutcome<AppendedRun> owned(
      StorageConflictKind kind, String runId, String owner) {
    return new CommandOutcome.Failed<>(RunlaneException.conflict(
            kind, "run %s cannot own its %s, run %s does", runId, kind.value(), owner)
        .withMeta(RunlaneException.OWNER_RUN_ID, owner));
  }

  private static CommandOutcome<AppendedRun> undecided(Creation creation) {
    StorageConflictKind kind =
        creation.created().keys().idempotencyKey() != null ? IDEMPOTENCY_KEY : SINGLETON_KEY;
    return new CommandOutcome.Failed<>(RunlaneException.conflict(
        kind,
        "run %s lost its %s to runs that are gone again",
        creation.command().runId(),
        kind.value()));
  }

  private Creation creation(AppendRunEvents command) {
    RunEvent.Created created = (RunEvent.Created) command.events().get(0);
    return new Creation(
        command,
        created,
        command.queuePolicy() != null && command.queuePolicy().isBounded(),
        messages(command));
  }

  private List<MessageRow> messages(AppendRunEvents command) {
    if (wakes != null && command.projectedRun().status() == RunStatus.QUEUED) {
      return List.of();
    }
    return MessageRow.of(
        command.projectedRun(),
        command.events(),
        1,
        command.now(),
        command.claimOutboxFor(),
        session.ids());
  }

  private static Set<QueuePolicy> policies(List<AppendRunEvents> commands) {
    Set<QueuePolicy> policies = new LinkedHashSet<>();
    for (AppendRunEvents command : commands) {
      if (command.queuePolicy() != null) {
        policies.add(command.queuePolicy());
      }
    }
    return policies;
  }

  private Set<CapacityRows.Partition> partitions(List<Creation> creations) {
    Set<CapacityRows.Partition> partitions = new HashSet<>();
    for (Creation creation : creations) {
      String partition = creation.partition();
      if (partition != null) {
        partitions.add(
            new CapacityRows.Partition(scope.env(), creation.created().queue(), partition));
      }
    }
    return partitions;
  }

  private record Rows(List<Creation> runs, List<EventRow> later, List<MessageRow> messages) {
    static Rows of(List<Creation> creations) {
      List<EventRow> later = new ArrayList<>();
      List<MessageRow> messages = new ArrayList<>();
      for (Creation creation : creations) {
        List<RunEvent> events = creation.command().events();
        later.addAll(EventRow.of(creation.command().runId(), 2, events.subList(1, events.size())));
        messages.addAll(creation.messages());
      }
      return new Rows(creations, later, messages);
    }

    List<Tag> tags() {
      return runs.stream().flatMap(Creation::tags).toList();
    }
  }

  /** One of a run. */
  private record Tag(String runId, String name, String value) {}

  private record Creation(
      AppendRunEvents command,
      RunEvent.Created created,
      boolean bounded,
      List<MessageRow> messages) {
    RunRecord run() {
      return command.projectedRun();
    }

    boolean isDue() {
      return run().status() == RunStatus.QUEUED;
    }

    Stream<Tag> tags() {
      return created.tags().entrySet().stream()
          .map(tag -> new Tag(command.runId(), tag.getKey(), tag.getValue()));
    }

    DeliveryMessage wakeup() {
      return new DeliveryMessage(
          run().environment(),
          run().id(),
          run().queue(),
          run().updatedAt(),
          run().traceCarrier());
    }

    @Nullable
    String partition() {
      return bounded ? DueKind.partition(created.keys().concurrencyKey()) : null;
    }

    @Nullable
    Instant keyExpiresAt() {
      IdempotencyTtl ttl = created.keys().idempotencyTtl();
      if (ttl == null) {
        return null;
      }
      return ttl.retention() == null ? EXPIRED : run().createdAt().plus(ttl.retention());
    }

    @Nullable
    AppendedRun stored(StoredEvents stored) {
      return stored
          .records(command.runId(), 0, command.events())
          .map(records ->
              new AppendedRun(command.projectedRun(), records, MessageRow.claimed(run(), messages)))
          .orElse(null);
    }
  }
}
