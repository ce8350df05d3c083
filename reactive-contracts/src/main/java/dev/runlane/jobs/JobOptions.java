package dev.runlane.jobs;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of a job that is added; all of them are stored with the job. Null means: not said. What
 * is out of range is refused when the job is made, by {@link dev.runlane.jobs.store.JobChecks JobChecks}.
 *
 * @param attempts tries in all, 1 or more; 1 where not said
 * @param backoff the wait after a failed try; none where not said
 * @param delay the wait before the first try, 0 or more
 * @param priority any finite number, lower runs first; 0 where not said
 * @param lifo whether the job goes before those of its priority that wait already
 * @param repeat when it runs again
 * @param deduplication what it must not double
 * @param removeOnComplete when it is removed after it completed, with what it returned, which the parent of a flow
 *     reads; never where not said
 * @param removeOnFail when it is removed after it failed; never where not said
 * @param timeout the longest attempt, positive
 * @param jobId the id, unique in the queue; one is made where not said
 * @param failParentOnChildFailure what the failure of a child of this job does to this job
 * @param group the group it belongs to
 * @param maxStalls hand-outs that may be lost with their workers, 0 or more; one more fails the job; {@value
 *     #DEFAULT_MAX_STALLS} where not said. A loss uses no attempt
 * @param deadLetterQueue the queue that gets a copy when the job fails for good, but not when it is cancelled
 * @param traceCarrier the trace it belongs to, as W3C Trace Context ({@code traceparent}, {@code tracestate}) or
 *     whatever else observers of its attempts are to be told; none where not said, in a flow that of its parent.
 *     Later jobs of a series and those of schedules have none
 */
public record JobOptions(
    @Nullable Integer attempts,
    @Nullable JobBackoff backoff,
    @Nullable Duration delay,
    @Nullable Double priority,
    @Nullable Boolean lifo,
    @Nullable JobRepeat repeat,
    @Nullable JobDeduplication deduplication,
    @Nullable JobRemoval removeOnComplete,
    @Nullable JobRemoval removeOnFail,
    @Nullable Duration timeout,
    @Nullable String jobId,
    @Nullable ChildFailurePolicy failParentOnChildFailure,
    @Nullable JobGroup group,
    @Nullable Integer maxStalls,
    @Nullable String deadLetterQueue,
    @Nullable Map<String, String> traceCarrier) {
  /** Hand-outs that may be lost where nothing is said = {@value}. */
  public static final int DEFAULT_MAX_STALLS = 5;

  /** Nothing is said. */
  public static final JobOptions NONE = new Builder().build();

  /** Copies the trace carrier. */
  public JobOptions {
    traceCarrier = traceCarrier == null ? null : Map.copyOf(traceCarrier);
  }

  /** Begins with nothing said. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with all that is said here. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.attempts = attempts;
    builder.backoff = backoff;
    builder.delay = delay;
    builder.priority = priority;
    builder.lifo = lifo;
    builder.repeat = repeat;
    builder.deduplication = deduplication;
    builder.removeOnComplete = removeOnComplete;
    builder.removeOnFail = removeOnFail;
    builder.timeout = timeout;
    builder.jobId = jobId;
    builder.failParentOnChildFailure = failParentOnChildFailure;
    builder.group = group;
    builder.maxStalls = maxStalls;
    builder.deadLetterQueue = deadLetterQueue;
    builder.traceCarrier = traceCarrier;
    return builder;
  }

  /** These options, and where one is not said that of {@code defaults}. */
  public JobOptions withDefaults(JobOptions defaults) {
    return new JobOptions(
        first(attempts, defaults.attempts),
        first(backoff, defaults.backoff),
        first(delay, defaults.delay),
        first(priority, defaults.priority),
        first(lifo, defaults.lifo),
        first(repeat, defaults.repeat),
        first(deduplication, defaults.deduplication),
        first(removeOnComplete, defaults.removeOnComplete),
        first(removeOnFail, defaults.removeOnFail),
        first(timeout, defaults.timeout),
        first(jobId, defaults.jobId),
        first(failParentOnChildFailure, defaults.failParentOnChildFailure),
        first(group, defaults.group),
        first(maxStalls, defaults.maxStalls),
        first(deadLetterQueue, defaults.deadLetterQueue),
        first(traceCarrier, defaults.traceCarrier));
  }

  /** These options with this trace carrier, or with none. */
  public JobOptions carrying(@Nullable Map<String, String> carrier) {
    return Objects.equals(traceCarrier, carrier)
        ? this
        : toBuilder().traceCarrier(carrier).build();
  }

  /** Tries in all. */
  public int effectiveAttempts() {
    return Objects.requireNonNullElse(attempts, 1);
  }

  /** The priority; −0 is 0. */
  public double effectivePriority() {
    return priority == null ? 0 : priority + 0.0;
  }

  /** Whether the job goes to the front of its priority. */
  public boolean isLifo() {
    return Boolean.TRUE.equals(lifo);
  }

  /** What the failure of a child does to this job. */
  public ChildFailurePolicy effectiveChildFailurePolicy() {
    return Objects.requireNonNullElse(failParentOnChildFailure, ChildFailurePolicy.FAIL);
  }

  /** Hand-outs that may be lost. */
  public int effectiveMaxStalls() {
    return Objects.requireNonNullElse(maxStalls, DEFAULT_MAX_STALLS);
  }

  /** When a job that ended in this terminal state is removed, or null for never. */
  public @Nullable JobRemoval removalAfter(JobState terminal) {
    return terminal == JobState.COMPLETED ? removeOnComplete : removeOnFail;
  }

  private static <T> @Nullable T first(@Nullable T said, @Nullable T otherwise) {
    return said != null ? said : otherwise;
  }

  /** Sets options one by one; null resets one. */
  public static final class Builder {
    private @Nullable Integer attempts;
    private @Nullable JobBackoff backoff;
    private @Nullable Duration delay;
    private @Nullable Double priority;
    private @Nullable Boolean lifo;
    private @Nullable JobRepeat repeat;
    private @Nullable JobDeduplication deduplication;
    private @Nullable JobRemoval removeOnComplete;
    private @Nullable JobRemoval removeOnFail;
    private @Nullable Duration timeout;
    private @Nullable String jobId;
    private @Nullable ChildFailurePolicy failParentOnChildFailure;
    private @Nullable JobGroup group;
    private @Nullable Integer maxStalls;
    private @Nullable String deadLetterQueue;
    private @Nullable Map<String, String> traceCarrier;

    private Builder() {}

    /** Tries in all. */
    public Builder attempts(@Nullable Integer value) {
      attempts = value;
      return this;
    }

    /** The wait after a failed try. */
    public Builder backoff(@Nullable JobBackoff value) {
      backoff = value;
      return this;
    }

    /** The wait before the first try. */
    public Builder delay(@Nullable Duration value) {
      delay = value;
      return this;
    }

    /** Lower runs first. */
    public Builder priority(@Nullable Double value) {
      priority = value;
      return this;
    }

    /** Lower runs first. */
    public Builder priority(int value) {
      return priority((double) value);
    }

    /** Whether the job goes to the front of its priority. */
    public Builder lifo(@Nullable Boolean value) {
      lifo = value;
      return this;
    }

    /** When it runs again. */
    public Builder repeat(@Nullable JobRepeat value) {
      repeat = value;
      return this;
    }

    /** What it must not double. */
    public Builder deduplication(@Nullable JobDeduplication value) {
      deduplication = value;
      return this;
    }

    /** When it is removed after it completed; a child of a flow is best kept until its parent has run. */
    public Builder removeOnComplete(@Nullable JobRemoval value) {
      removeOnComplete = value;
      return this;
    }

    /** When it is removed after it failed. */
    public Builder removeOnFail(@Nullable JobRemoval value) {
      removeOnFail = value;
      return this;
    }

    /** The longest attempt. */
    public Builder timeout(@Nullable Duration value) {
      timeout = value;
      return this;
    }

    /** The job's id. */
    public Builder jobId(@Nullable String value) {
      jobId = value;
      return this;
    }

    /** What the failure of a child does to this job. */
    public Builder failParentOnChildFailure(@Nullable ChildFailurePolicy value) {
      failParentOnChildFailure = value;
      return this;
    }

    /** The group it belongs to. */
    public Builder group(@Nullable JobGroup value) {
      group = value;
      return this;
    }

    /** Hand-outs that may be lost with their workers. */
    public Builder maxStalls(@Nullable Integer value) {
      maxStalls = value;
      return this;
    }

    /** The queue that gets a copy when the job fails for good. */
    public Builder deadLetterQueue(@Nullable String value) {
      deadLetterQueue = value;
      return this;
    }

    /** The trace it belongs to. */
    public Builder traceCarrier(@Nullable Map<String, String> value) {
      traceCarrier = value;
      return this;
    }

    /** The options said so far. */
    public JobOptions build() {
      return new JobOptions(
          attempts,
          backoff,
          delay,
          priority,
          lifo,
          repeat,
          deduplication,
          removeOnComplete,
          removeOnFail,
          timeout,
          jobId,
          failParentOnChildFailure,
          group,
          maxStalls,
          deadLetterQueue,
          traceCarrier);
    }
  }
}
