package dev.runlane.telemetry.metrics;

/**
 * Names of meters and labels. Labels are those of OpenTelemetry's conventions for messaging where there is one that
 * fits; the names have a prefix of their own, since a meter that another library has under the same name may have
 * other labels.
 */
final class MetricNames {
  static final String QUEUE = "messaging.destination.name";
  static final String ERROR = "error.type";
  static final String OPERATION = "messaging.operation.name";
  static final String TASK = "runlane.task";
  static final String OUTCOME = "runlane.outcome";
  static final String SOURCE = "runlane.source";
  static final String ROLE = "runlane.role";
  static final String STATE = "runlane.state";

  static final String TRIGGERED = "runlane.runs.triggered";
  static final String ENDED = "runlane.runs.ended";
  static final String RUN_DURATION = "runlane.run.duration";
  static final String WAIT = "runlane.attempt.wait";
  static final String ATTEMPTS_STARTED = "runlane.attempts.started";
  static final String ATTEMPTS_ENDED = "runlane.attempts.ended";
  static final String ATTEMPT_DURATION = "runlane.attempt.duration";
  static final String SLOTS_RUNNING = "runlane.slots.running";
  static final String SLOTS_FREE = "runlane.slots.free";
  static final String PUBLISHED = "runlane.wakeups.published";
  static final String PUBLISH_FAILED = "runlane.wakeups.failed";
  static final String DEAD_LETTERED = "runlane.wakeups.deadlettered";
  static final String HEARTBEATS_LATE = "runlane.heartbeats.late";
  static final String SWEEP_DURATION = "runlane.sweep.duration";
  static final String SWEEPS_FAILED = "runlane.sweeps.failed";
  static final String STATEMENT_DURATION = "runlane.storage.statement.duration";
  static final String STATEMENTS_FAILED = "runlane.storage.statements.failed";
  static final String STATEMENT_COMMANDS = "runlane.storage.statement.commands";
  static final String SLOT_WAIT = "runlane.storage.slot.wait";
  static final String QUEUE_RUNS = "runlane.queue.runs";
  static final String QUEUE_OLDEST = "runlane.queue.oldest.age";
  static final String OUTBOX_MESSAGES = "runlane.outbox.messages";
  static final String OUTBOX_OLDEST = "runlane.outbox.oldest.age";
  static final String DEPTHS_AGE = "runlane.depths.age";

  private MetricNames() {}
}
