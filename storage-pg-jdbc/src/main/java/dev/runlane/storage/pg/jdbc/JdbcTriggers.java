package dev.runlane.storage.pg.jdbc;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Triggers runs in the transaction of an application that blocks. The schema is made and brought forward by the
 * processes that work on the runs, or by {@code runlane migrate}. Safe for use by any thread; a connection is used by
 * the calling thread only, and never committed, closed or kept.
 */
public final class JdbcTriggers {
  /** The schema unless another is named = {@value}. */
  public static final String DEFAULT_SCHEMA = "runlane";

  /** The environment unless another is named = {@value}. */
  public static final String DEFAULT_ENVIRONMENT = "default";

  private final Environment environment;
  private final Clock clock;
  private final Ids ids;
  private final JdbcCreations creations;

  private JdbcTriggers(String schema, Environment environment, Clock clock) {
    this.environment = environment;
    this.clock = clock;
    ids = new Ids(clock, Randomness.system());
    creations = new JdbcCreations(schema, ids);
  }

  /** In schema {@value #DEFAULT_SCHEMA} and environment {@value #DEFAULT_ENVIRONMENT}. */
  public static JdbcTriggers create() {
    return in(DEFAULT_SCHEMA, DEFAULT_ENVIRONMENT);
  }

  /** In this schema and environment. Throws {@link RunlaneException} when one of them is no name. */
  public static JdbcTriggers in(String schema, String environment) {
    return at(Clock.system(), schema, environment);
  }

  static JdbcTriggers at(Clock clock, String schema, String environment) {
    Environment scope = new Environment(environment);
    Identifiers.requireEnvironment(scope);
    return new JdbcTriggers(schema, scope, clock);
  }

  /**
   * Creates the run, or answers the one that owns its key. Where the connection has a transaction, the run exists if
   * and only if that commits; a failure leaves the transaction as it was before, to be gone on with. Waits for an open
   * transaction of somebody else that has the same key.
   *
   * <p>Throws {@link RunlaneException}: {@code StorageConflict} when a run of the given id exists, retryable {@code
   * StorageUnavailable} when Postgres cannot or a {@code lock_timeout} is over, {@code ConfigurationInvalid} when the
   * schema is not there or too old or the connection is {@linkplain Connection#isReadOnly() read-only}, {@code
   * ValidationFailed} for a start that is too far ahead.
   */
  public TriggeredRun trigger(Connection connection, JdbcTrigger trigger) {
    Instant now = clock.now();
    Instant runAt = trigger.runAt();
    if (runAt != null && runAt.isAfter(now.plus(JdbcTrigger.LONGEST_DELAY))) {
      throw RunlaneException.validationFailed(
          "runAt must be at most %s ahead, but is %s", JdbcTrigger.LONGEST_DELAY, runAt);
    }
    String runId = trigger.runId().orElseGet(ids::runId);
    List<RunEvent> events = events(trigger, runId, now);
    RunRecord run = RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, events);
    try {
      creations.create(connection, AppendRunEvents.of(run, events, now).in(trigger.queue()));
    } catch (RunlaneException conflict) {
      return owner(conflict);
    }
    if (trigger.isNotifying()
        && run.status() == RunStatus.QUEUED
        && !trigger.queue().isBounded()) {
      creations.notifyOf(connection, run);
    }
    return new TriggeredRun(runId, TriggeredRun.Outcome.CREATED);
  }

  private static TriggeredRun owner(RunlaneException conflict) {
    String owner = conflict.meta().get(RunlaneException.OWNER_RUN_ID);
    if (owner != null && conflict.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)) {
      return new TriggeredRun(owner, TriggeredRun.Outcome.IDEMPOTENT_EXISTING);
    }
    if (owner != null && conflict.isConflict(StorageConflictKind.SINGLETON_KEY)) {
      return new TriggeredRun(owner, TriggeredRun.Outcome.SINGLETON_EXISTING);
    }
    throw Objects.requireNonNull(conflict);
  }

  private List<RunEvent> events(JdbcTrigger trigger, String runId, Instant now) {
    EventHeader header = new EventHeader(
        environment, runId, trigger.actor(), now, trigger.traceCarrier(), trigger.meta());
    String queue = trigger.queue().queue();
    List<RunEvent> events = new ArrayList<>();
    events.add(new RunEvent.Created(
        header,
        trigger.taskId(),
        queue,
        trigger.payload(),
        trigger.runAt(),
        trigger.keys(),
        RunSource.TRIGGER,
        trigger.tags()));
    if (!trigger.queue().isBounded()) {
      Instant runAt = trigger.runAt();
      events.add(new RunEvent.DeliveryRequested(
          header.withMeta(null),
          new DeliveryIntent(
              environment,
              runId,
              queue,
              now,
              runAt == null || runAt.isBefore(now) ? now : runAt,
              null,
              trigger.traceCarrier())));
    }
    return events;
  }
}
