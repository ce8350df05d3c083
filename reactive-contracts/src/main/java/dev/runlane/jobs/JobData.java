package dev.runlane.jobs;

import dev.runlane.run.Json;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was at one moment. Immutable: what is done to it never reaches the store.
 *
 * @param id unique in its queue
 * @param queueName the queue
 * @param name names the handler or category
 * @param data the payload, exactly as it was given
 * @param state where it is
 * @param options what it was added with
 * @param attemptsMade attempts that ended in failure; neither success, snooze nor stall adds one
 * @param startedAttempts hand-outs so far; while active, the number of the one that runs
 * @param stalls hand-outs that were lost with their workers
 * @param progress 0 to 100
 * @param returnvalue what the handler returned, or null
 * @param failedReason the last failure's message, or null; kept when a retry later succeeds
 * @param deduplicationKey the key it is deduplicated by, or null
 * @param logs the last 1 000 lines, oldest first; empty unless read by {@code getJob} or {@code findJobById}
 * @param stacktrace the stacks of the last 20 failed attempts, oldest first; empty as {@code logs}
 * @param attemptLogs the last 20 hand-outs, oldest first; empty as {@code logs}
 * @param createdAt when it was made
 * @param processedAt when it was last fetched, or null
 * @param completedAt when it completed, or null
 * @param failedAt when it failed, or null
 * @param delayUntil when it is due, or null
 * @param cancelledAt when its cancellation was asked for, or null
 * @param lockUntil when the lock runs out, or null when it is not locked
 * @param lockedBy the worker that holds the lock, or null
 * @param lockToken proves that hand-out; new for each, null unless it is active and was fetched
 * @param parentId the flow's parent, or null
 * @param parentQueueName the parent's queue, or null
 * @param pendingChildrenCount children that are still counted as open
 * @param childrenIds the flow's children, fixed when it was made
 * @param groupId its group, or null
 * @param discarded whether no further attempt may follow
 * @param scheduleKey the schedule that made it, or null
 * @param deadLetter what it is a copy of, where this is a dead-letter queue, or null
 */
public record JobData(
    String id,
    String queueName,
    String name,
    Json data,
    JobState state,
    JobOptions options,
    int attemptsMade,
    int startedAttempts,
    int stalls,
    double progress,
    @Nullable Json returnvalue,
    @Nullable String failedReason,
    @Nullable String deduplicationKey,
    List<String> logs,
    List<String> stacktrace,
    List<AttemptRecord> attemptLogs,
    Instant createdAt,
    @Nullable Instant processedAt,
    @Nullable Instant completedAt,
    @Nullable Instant failedAt,
    @Nullable Instant delayUntil,
    @Nullable Instant cancelledAt,
    @Nullable Instant lockUntil,
    @Nullable String lockedBy,
    @Nullable String lockToken,
    @Nullable String parentId,
    @Nullable String parentQueueName,
    int pendingChildrenCount,
    List<String> childrenIds,
    @Nullable String groupId,
    boolean discarded,
    @Nullable String scheduleKey,
    @Nullable DeadLetter deadLetter) {
  /** Most lines of log that are kept of a job = {@value}; the oldest go first. */
  public static final int MOST_LOG_LINES = 1_000;

  /** Most hand-outs and most stacks that are kept of a job = {@value}; the oldest go first. */
  public static final int MOST_ATTEMPTS_KEPT = 20;

  /** Copies the lists, cuts the instants to milliseconds and refuses null where it is not meant. */
  public JobData {
    Objects.requireNonNull(id);
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(name);
    Objects.requireNonNull(data);
    Objects.requireNonNull(state);
    Objects.requireNonNull(options);
    logs = List.copyOf(logs);
    stacktrace = List.copyOf(stacktrace);
    attemptLogs = List.copyOf(attemptLogs);
    createdAt = JobTimes.millis(createdAt);
    processedAt = JobTimes.millisOrNull(processedAt);
    completedAt = JobTimes.millisOrNull(completedAt);
    failedAt = JobTimes.millisOrNull(failedAt);
    delayUntil = JobTimes.millisOrNull(delayUntil);
    cancelledAt = JobTimes.millisOrNull(cancelledAt);
    lockUntil = JobTimes.millisOrNull(lockUntil);
    childrenIds = List.copyOf(childrenIds);
  }

  /** The lock that this hand-out holds. Throws {@link IllegalStateException} where there is none. */
  public JobLock lock() {
    if (lockToken == null) {
      throw new IllegalStateException(
          "job %s of queue %s is not with a worker".formatted(id, queueName));
    }
    return new JobLock(queueName, id, lockToken);
  }

  /**
   * Whether the job is a child of this one: it names this one as its parent, and this one names it among its children,
   * or names none. A child of an earlier flow may name a parent whose id another job has by now.
   */
  public boolean isParentOf(JobData child) {
    return id.equals(child.parentId)
        && queueName.equals(child.parentQueueName)
        && (childrenIds.isEmpty() || childrenIds.contains(child.id));
  }

  /** Begins with all of this job. */
  public Builder toBuilder() {
    Builder builder = new Builder(id, queueName, name, data, state, options, createdAt);
    builder.attemptsMade = attemptsMade;
    builder.startedAttempts = startedAttempts;
    builder.stalls = stalls;
    builder.progress = progress;
    builder.returnvalue = returnvalue;
    builder.failedReason = failedReason;
    builder.deduplicationKey = deduplicationKey;
    builder.logs = logs;
    builder.stacktrace = stacktrace;
    builder.attemptLogs = attemptLogs;
    builder.processedAt = processedAt;
    builder.completedAt = completedAt;
    builder.failedAt = failedAt;
    builder.delayUntil = delayUntil;
    builder.cancelledAt = cancelledAt;
    builder.lockUntil = lockUntil;
    builder.lockedBy = lockedBy;
    builder.lockToken = lockToken;
    builder.parentId = parentId;
    builder.parentQueueName = parentQueueName;
    builder.pendingChildrenCount = pendingChildrenCount;
    builder.childrenIds = childrenIds;
    builder.groupId = groupId;
    builder.discarded = discarded;
    builder.scheduleKey = scheduleKey;
    builder.deadLetter = deadLetter;
    return builder;
  }

  /** Begins with what every job has. */
  public static Builder builder(
      String id,
      String queueName,
      String name,
      Json data,
      JobState state,
      JobOptions options,
      Instant createdAt) {
    return new Builder(id, queueName, name, data, state, options, createdAt);
  }

  /** Makes jobs field by field; the names are those of the record. */
  public static final class Builder {
    private String id;
    private String queueName;
    private String name;
    private Json data;
    private JobState state;
    private JobOptions options;
    private int attemptsMade;
    private int startedAttempts;
    private int stalls;
    private double progress;
    private @Nullable Json returnvalue;
    private @Nullable String failedReason;
    private @Nullable String deduplicationKey;
    private List<String> logs = List.of();
    private List<String> stacktrace = List.of();
    private List<AttemptRecord> attemptLogs = List.of();
    private Instant createdAt;
    private @Nullable Instant processedAt;
    private @Nullable Instant completedAt;
    private @Nullable Instant failedAt;
    private @Nullable Instant delayUntil;
    private @Nullable Instant cancelledAt;
    private @Nullable Instant lockUntil;
    private @Nullable String lockedBy;
    private @Nullable String lockToken;
    private @Nullable String parentId;
    private @Nullable String parentQueueName;
    private int pendingChildrenCount;
    private List<String> childrenIds = List.of();
    private @Nullable String groupId;
    private boolean discarded;
    private @Nullable String scheduleKey;
    private @Nullable DeadLetter deadLetter;

    private Builder(
        String id,
        String queueName,
        String name,
        Json data,
        JobState state,
        JobOptions options,
        Instant createdAt) {
      this.id = id;
      this.queueName = queueName;
      this.name = name;
      this.data = data;
      this.state = state;
      this.options = options;
      this.createdAt = createdAt;
    }

    /** Sets {@link JobData#id()}. */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /** Sets {@link JobData#queueName()}. */
    public Builder queueName(String value) {
      queueName = value;
      return this;
    }

    /** Sets {@link JobData#name()}. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /** Sets {@link JobData#data()}. */
    public Builder data(Json value) {
      data = value;
      return this;
    }

    /** Sets {@link JobData#state()}. */
    public Builder state(JobState value) {
      state = value;
      return this;
    }

    /** Sets {@link JobData#options()}. */
    public Builder options(JobOptions value) {
      options = value;
      return this;
    }

    /** Sets {@link JobData#attemptsMade()}. */
    public Builder attemptsMade(int value) {
      attemptsMade = value;
      return this;
    }

    /** Sets {@link JobData#startedAttempts()}. */
    public Builder startedAttempts(int value) {
      startedAttempts = value;
      return this;
    }

    /** Sets {@link JobData#stalls()}. */
    public Builder stalls(int value) {
      stalls = value;
      return this;
    }

    /** Sets {@link JobData#progress()}. */
    public Builder progress(double value) {
      progress = value;
      return this;
    }

    /** Sets {@link JobData#returnvalue()}. */
    public Builder returnvalue(@Nullable Json value) {
      returnvalue = value;
      return this;
    }

    /** Sets {@link JobData#failedReason()}. */
    public Builder failedReason(@Nullable String value) {
      failedReason = value;
      return this;
    }

    /** Sets {@link JobData#deduplicationKey()}. */
    public Builder deduplicationKey(@Nullable String value) {
      deduplicationKey = value;
      return this;
    }

    /** Sets {@link JobData#logs()}. */
    public Builder logs(List<String> value) {
      logs = value;
      return this;
    }

    /** Sets {@link JobData#stacktrace()}. */
    public Builder stacktrace(List<String> value) {
      stacktrace = value;
      return this;
    }

    /** Sets {@link JobData#attemptLogs()}. */
    public Builder attemptLogs(List<AttemptRecord> value) {
      attemptLogs = value;
      return this;
    }

    /** Sets {@link JobData#createdAt()}. */
    public Builder createdAt(Instant value) {
      createdAt = value;
      return this;
    }

    /** Sets {@link JobData#processedAt()}. */
    public Builder processedAt(@Nullable Instant value) {
      processedAt = value;
      return this;
    }

    /** Sets {@link JobData#completedAt()}. */
    public Builder completedAt(@Nullable Instant value) {
      completedAt = value;
      return this;
    }

    /** Sets {@link JobData#failedAt()}. */
    public Builder failedAt(@Nullable Instant value) {
      failedAt = value;
      return this;
    }

    /** Sets {@link JobData#delayUntil()}. */
    public Builder delayUntil(@Nullable Instant value) {
      delayUntil = value;
      return this;
    }

    /** Sets {@link JobData#cancelledAt()}. */
    public Builder cancelledAt(@Nullable Instant value) {
      cancelledAt = value;
      return this;
    }

    /** Sets {@link JobData#lockUntil()}. */
    public Builder lockUntil(@Nullable Instant value) {
      lockUntil = value;
      return this;
    }

    /** Sets {@link JobData#lockedBy()}. */
    public Builder lockedBy(@Nullable String value) {
      lockedBy = value;
      return this;
    }

    /** Sets {@link JobData#lockToken()}. */
    public Builder lockToken(@Nullable String value) {
      lockToken = value;
      return this;
    }

    /** Sets {@link JobData#parentId()}. */
    public Builder parentId(@Nullable String value) {
      parentId = value;
      return this;
    }

    /** Sets {@link JobData#parentQueueName()}. */
    public Builder parentQueueName(@Nullable String value) {
      parentQueueName = value;
      return this;
    }

    /** Sets {@link JobData#pendingChildrenCount()}. */
    public Builder pendingChildrenCount(int value) {
      pendingChildrenCount = value;
      return this;
    }

    /** Sets {@link JobData#childrenIds()}. */
    public Builder childrenIds(List<String> value) {
      childrenIds = value;
      return this;
    }

    /** Sets {@link JobData#groupId()}. */
    public Builder groupId(@Nullable String value) {
      groupId = value;
      return this;
    }

    /** Sets {@link JobData#discarded()}. */
    public Builder discarded(boolean value) {
      discarded = value;
      return this;
    }

    /** Sets {@link JobData#scheduleKey()}. */
    public Builder scheduleKey(@Nullable String value) {
      scheduleKey = value;
      return this;
    }

    /** Sets {@link JobData#deadLetter()}. */
    public Builder deadLetter(@Nullable DeadLetter value) {
      deadLetter = value;
      return this;
    }

    /** The job. */
    public JobData build() {
      return new JobData(
          id,
          queueName,
          name,
          data,
          state,
          options,
          attemptsMade,
          startedAttempts,
          stalls,
          progress,
          returnvalue,
          failedReason,
          deduplicationKey,
          logs,
          stacktrace,
          attemptLogs,
          createdAt,
          processedAt,
          completedAt,
          failedAt,
          delayUntil,
          cancelledAt,
          lockUntil,
          lockedBy,
          lockToken,
          parentId,
          parentQueueName,
          pendingChildrenCount,
          childrenIds,
          groupId,
          discarded,
          scheduleKey,
          deadLetter);
    }
  }
}
