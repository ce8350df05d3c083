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
  static final String GROUP = "runlane.group";
  static final String JOB = "runlane.job";
  static final String CONNECTOR = "runlane.connector";
  static final String TOPIC = "runlane.topic";
  static final String PARTITION = "messaging.destination.partition.id";

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
  static final String OUTCOMES_REFUSED = "runlane.outcomes.refused";
  static final String OUTCOMES_WAITING = "runlane.outcomes.waiting";
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
  static final String REMOTE_STEP_DURATION = "runlane.remote.step.duration";
  static final String STEPS_WAITING = "runlane.steps.waiting";
  static final String STEPS_OLDEST = "runlane.steps.oldest.age";
  static final String KAFKA_RECEIVED = "runlane.kafka.received";
  static final String KAFKA_DELIVERIES = "runlane.kafka.deliveries";
  static final String KAFKA_REDELIVERIES = "runlane.kafka.redeliveries";
  static final String KAFKA_DEAD_LETTERS = "runlane.kafka.deadletters";
  static final String KAFKA_DEAD_LETTERS_REFUSED = "runlane.kafka.deadletters.refused";
  static final String KAFKA_DEAD_LETTERS_LOST = "runlane.kafka.deadletters.lost";
  static final String KAFKA_LAG = "runlane.kafka.lag";
  static final String JOBS_ADDED = "runlane.jobs.added";
  static final String JOB_ATTEMPTS_STARTED = "runlane.job.attempts.started";
  static final String JOB_ATTEMPTS_ENDED = "runlane.job.attempts.ended";
  static final String JOB_ATTEMPT_DURATION = "runlane.job.attempt.duration";
  static final String JOB_WAIT = "runlane.job.attempt.wait";
  static final String JOBS_STALLED = "runlane.jobs.stalled";
  static final String JOB_WORKER_FAILURES = "runlane.job.worker.failures";
  static final String JOB_OUTCOMES_WAITING = "runlane.job.outcomes.waiting";
  static final String JOB_QUEUE_JOBS = "runlane.job.queue.jobs";
  static final String JOB_DEPTHS_AGE = "runlane.job.depths.age";
  static final String CONNECTOR_STARTED = "runlane.connector.runs.started";
  static final String CONNECTOR_ENDED = "runlane.connector.runs.ended";
  static final String CONNECTOR_DURATION = "runlane.connector.run.duration";
  static final String CONNECTOR_RECORDS = "runlane.connector.records";
  static final String CONNECTOR_VIOLATIONS = "runlane.connector.violations";
  static final String DEPTHS_AGE = "runlane.depths.age";

  private MetricNames() {}
}
