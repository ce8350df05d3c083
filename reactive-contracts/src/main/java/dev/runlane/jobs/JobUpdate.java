package dev.runlane.jobs;

import dev.runlane.run.Json;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * New values for some fields of a job. A field that was given is written, null being a value where the field
 * may be null; all others stay. Immutable: each method answers a new update with one field more.
 *
 * <p>Id, name, queue and time of creation never change.
 */
public final class JobUpdate {
  /** Nothing is given. */
  public static final JobUpdate NONE = new JobUpdate(new EnumMap<>(Field.class));

  private final Map<Field, @Nullable Object> values;

  private JobUpdate(Map<Field, @Nullable Object> values) {
    this.values = values;
  }

  /** Gives {@link JobData#data()}. */
  public JobUpdate data(Json value) {
    return with(Field.DATA, value);
  }

  /** Gives {@link JobData#state()}. */
  public JobUpdate state(JobState value) {
    return with(Field.STATE, value);
  }

  /** Gives {@link JobData#options()}. */
  public JobUpdate options(JobOptions value) {
    return with(Field.OPTIONS, value);
  }

  /** Gives {@link JobData#attemptsMade()}. */
  public JobUpdate attemptsMade(int value) {
    return with(Field.ATTEMPTS_MADE, value);
  }

  /** Gives {@link JobData#progress()}. */
  public JobUpdate progress(double value) {
    return with(Field.PROGRESS, value);
  }

  /** Gives {@link JobData#returnvalue()}. */
  public JobUpdate returnvalue(@Nullable Json value) {
    return with(Field.RETURNVALUE, value);
  }

  /** Gives {@link JobData#failedReason()}. */
  public JobUpdate failedReason(@Nullable String value) {
    return with(Field.FAILED_REASON, value);
  }

  /** Gives {@link JobData#deduplicationKey()}. */
  public JobUpdate deduplicationKey(@Nullable String value) {
    return with(Field.DEDUPLICATION_KEY, value);
  }

  /** Gives {@link JobData#logs()}. */
  public JobUpdate logs(List<String> value) {
    return with(Field.LOGS, List.copyOf(value));
  }

  /** Gives {@link JobData#stacktrace()}. */
  public JobUpdate stacktrace(List<String> value) {
    return with(Field.STACKTRACE, List.copyOf(value));
  }

  /** Gives {@link JobData#attemptLogs()}. */
  public JobUpdate attemptLogs(List<AttemptRecord> value) {
    return with(Field.ATTEMPT_LOGS, List.copyOf(value));
  }

  /** Gives {@link JobData#processedAt()}. */
  public JobUpdate processedAt(@Nullable Instant value) {
    return with(Field.PROCESSED_AT, JobTimes.millisOrNull(value));
  }

  /** Gives {@link JobData#completedAt()}. */
  public JobUpdate completedAt(@Nullable Instant value) {
    return with(Field.COMPLETED_AT, JobTimes.millisOrNull(value));
  }

  /** Gives {@link JobData#failedAt()}. */
  public JobUpdate failedAt(@Nullable Instant value) {
    return with(Field.FAILED_AT, JobTimes.millisOrNull(value));
  }

  /** Gives {@link JobData#delayUntil()}. */
  public JobUpdate delayUntil(@Nullable Instant value) {
    return with(Field.DELAY_UNTIL, JobTimes.millisOrNull(value));
  }

  /** Gives {@link JobData#cancelledAt()}. */
  public JobUpdate cancelledAt(@Nullable Instant value) {
    return with(Field.CANCELLED_AT, JobTimes.millisOrNull(value));
  }

  /** Gives {@link JobData#lockUntil()}. */
  public JobUpdate lockUntil(@Nullable Instant value) {
    return with(Field.LOCK_UNTIL, JobTimes.millisOrNull(value));
  }

  /** Gives {@link JobData#lockedBy()}. */
  public JobUpdate lockedBy(@Nullable String value) {
    return with(Field.LOCKED_BY, value);
  }

  /** Gives {@link JobData#parentId()}. */
  public JobUpdate parentId(@Nullable String value) {
    return with(Field.PARENT_ID, value);
  }

  /** Gives {@link JobData#parentQueueName()}. */
  public JobUpdate parentQueueName(@Nullable String value) {
    return with(Field.PARENT_QUEUE_NAME, value);
  }

  /** Gives {@link JobData#pendingChildrenCount()}. */
  public JobUpdate pendingChildrenCount(int value) {
    return with(Field.PENDING_CHILDREN_COUNT, value);
  }

  /** Gives {@link JobData#childrenIds()}. */
  public JobUpdate childrenIds(List<String> value) {
    return with(Field.CHILDREN_IDS, List.copyOf(value));
  }

  /** Gives {@link JobData#groupId()}. */
  public JobUpdate groupId(@Nullable String value) {
    return with(Field.GROUP_ID, value);
  }

  /** Gives {@link JobData#discarded()}. */
  public JobUpdate discarded(boolean value) {
    return with(Field.DISCARDED, value);
  }

  /** The fields that were given. */
  public Set<Field> fields() {
    return Collections.unmodifiableSet(values.keySet());
  }

  /** Whether this field was given. */
  public boolean has(Field field) {
    return values.containsKey(field);
  }

  /** The value given for this field, of the type that {@link JobData} has for it; null also where none was. */
  public @Nullable Object get(Field field) {
    return values.get(field);
  }

  /** The state that was given, or null where none was. */
  public @Nullable JobState stateOrNull() {
    return (JobState) values.get(Field.STATE);
  }

  /**
   * The job with these values. A job that is not active any more, or whose lock was taken back, has no token.
   */
  public JobData applyTo(JobData job) {
    JobData.Builder builder = job.toBuilder();
    values.forEach((field, value) -> field.write(builder, value));
    JobState state = Objects.requireNonNullElse(stateOrNull(), job.state());
    boolean unlocked = has(Field.LOCK_UNTIL) && get(Field.LOCK_UNTIL) == null;
    return state == JobState.ACTIVE && !unlocked
        ? builder.build()
        : builder.lockToken(null).build();
  }

  private JobUpdate with(Field field, @Nullable Object value) {
    Map<Field, @Nullable Object> more = new EnumMap<>(values);
    if (value == null && !field.nullable) {
      throw new NullPointerException(field + " cannot be null");
    }
    more.put(field, value);
    return new JobUpdate(more);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JobUpdate that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Names the fields, never their values. */
  @Override
  public String toString() {
    return "JobUpdate" + values.keySet();
  }

  /** The fields that can be given, named as in {@link JobData}. */
  public enum Field {
    /** {@link JobData#data()}. */
    DATA(false, (job, value) -> job.data((Json) Objects.requireNonNull(value))),
    /** {@link JobData#state()}. */
    STATE(false, (job, value) -> job.state((JobState) Objects.requireNonNull(value))),
    /** {@link JobData#options()}. */
    OPTIONS(false, (job, value) -> job.options((JobOptions) Objects.requireNonNull(value))),
    /** {@link JobData#attemptsMade()}. */
    ATTEMPTS_MADE(false, (job, value) -> job.attemptsMade((Integer) Objects.requireNonNull(value))),
    /** {@link JobData#progress()}. */
    PROGRESS(false, (job, value) -> job.progress((Double) Objects.requireNonNull(value))),
    /** {@link JobData#returnvalue()}. */
    RETURNVALUE(true, (job, value) -> job.returnvalue((Json) value)),
    /** {@link JobData#failedReason()}. */
    FAILED_REASON(true, (job, value) -> job.failedReason((String) value)),
    /** {@link JobData#deduplicationKey()}. */
    DEDUPLICATION_KEY(true, (job, value) -> job.deduplicationKey((String) value)),
    /** {@link JobData#logs()}. */
    LOGS(false, (job, value) -> job.logs(all(value, String.class))),
    /** {@link JobData#stacktrace()}. */
    STACKTRACE(false, (job, value) -> job.stacktrace(all(value, String.class))),
    /** {@link JobData#attemptLogs()}. */
    ATTEMPT_LOGS(false, (job, value) -> job.attemptLogs(all(value, AttemptRecord.class))),
    /** {@link JobData#processedAt()}. */
    PROCESSED_AT(true, (job, value) -> job.processedAt((Instant) value)),
    /** {@link JobData#completedAt()}. */
    COMPLETED_AT(true, (job, value) -> job.completedAt((Instant) value)),
    /** {@link JobData#failedAt()}. */
    FAILED_AT(true, (job, value) -> job.failedAt((Instant) value)),
    /** {@link JobData#delayUntil()}. */
    DELAY_UNTIL(true, (job, value) -> job.delayUntil((Instant) value)),
    /** {@link JobData#cancelledAt()}. */
    CANCELLED_AT(true, (job, value) -> job.cancelledAt((Instant) value)),
    /** {@link JobData#lockUntil()}. */
    LOCK_UNTIL(true, (job, value) -> job.lockUntil((Instant) value)),
    /** {@link JobData#lockedBy()}. */
    LOCKED_BY(true, (job, value) -> job.lockedBy((String) value)),
    /** {@link JobData#parentId()}. */
    PARENT_ID(true, (job, value) -> job.parentId((String) value)),
    /** {@link JobData#parentQueueName()}. */
    PARENT_QUEUE_NAME(true, (job, value) -> job.parentQueueName((String) value)),
    /** {@link JobData#pendingChildrenCount()}. */
    PENDING_CHILDREN_COUNT(
        false, (job, value) -> job.pendingChildrenCount((Integer) Objects.requireNonNull(value))),
    /** {@link JobData#childrenIds()}. */
    CHILDREN_IDS(false, (job, value) -> job.childrenIds(all(value, String.class))),
    /** {@link JobData#groupId()}. */
    GROUP_ID(true, (job, value) -> job.groupId((String) value)),
    /** {@link JobData#discarded()}. */
    DISCARDED(false, (job, value) -> job.discarded((Boolean) Objects.requireNonNull(value)));

    private final boolean nullable;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that hold nothing
    private final Writer writer;

    Field(boolean nullable, Writer writer) {
      this.nullable = nullable;
      this.writer = writer;
    }

    private void write(JobData.Builder job, @Nullable Object value) {
      writer.write(job, value);
    }

    private static <T> List<T> all(@Nullable Object value, Class<T> type) {
      return ((List<?>) Objects.requireNonNull(value)).stream().map(type::cast).toList();
    }

    private interface Writer {
      void write(JobData.Builder job, @Nullable Object value);
    }
  }
}
