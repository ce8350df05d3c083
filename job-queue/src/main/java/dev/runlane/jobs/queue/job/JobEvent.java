package dev.runlane.jobs.queue.job;

import dev.runlane.run.Json;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a queue or a worker of this process did.
 *
 * @param type what
 * @param queueName where
 * @param jobIdOrNull the job it is about, or null
 * @param jobOrNull that job as it was known then, or null
 * @param resultOrNull what a completed job returned, or null
 * @param errorOrNull why a job failed or what went wrong, or null
 * @param jobNameOrNull the name that was paused or resumed, or null for all
 */
public record JobEvent(
    Type type,
    String queueName,
    @Nullable String jobIdOrNull,
    @Nullable Job jobOrNull,
    @Nullable Json resultOrNull,
    @Nullable Throwable errorOrNull,
    @Nullable String jobNameOrNull) {
  /** What happened. */
  public enum Type {
    /** A job was added or put back and can be fetched. */
    WAITING,
    /** A flow's parent was added. */
    WAITING_CHILDREN,
    /** A job was handed to a handler. */
    ACTIVE,
    /** A job completed. */
    COMPLETED,
    /** A job failed for good. */
    FAILED,
    /** A handler reported progress. */
    PROGRESS,
    /** A job's worker was found lost. */
    STALLED,
    /** A job was added or put back and waits for its due time. */
    DELAYED,
    /** A job was removed. */
    REMOVED,
    /** A queue was drained. */
    DRAINED,
    /** A job ended as cancelled. */
    CANCELLED,
    /** A queue, or a name in it, was paused. */
    PAUSED,
    /** A queue, or a name in it, was resumed. */
    RESUMED,
    /** Something went wrong that no caller was notified of, or a listener threw. */
    ERROR
  }

  /** Refuses null where it is not meant. */
  public JobEvent {
    Objects.requireNonNull(type);
    Objects.requireNonNull(queueName);
  }

  /** One about a whole queue. */
  public static JobEvent of(Type type, String queueName) {
    return new JobEvent(type, queueName, null, null, null, null, null);
  }

  /** One about a job that is at hand. */
  public static JobEvent about(Type type, Job job) {
    return new JobEvent(type, job.queueName(), job.id(), job, null, null, null);
  }

  /** One about a job of which the id alone is known. */
  public static JobEvent about(Type type, String queueName, String jobId) {
    return new JobEvent(type, queueName, jobId, null, null, null, null);
  }

  /** A failure that concerns no job. */
  public static JobEvent error(String queueName, Throwable error) {
    return new JobEvent(Type.ERROR, queueName, null, null, null, error, null);
  }

  /** The same with what the job has returned. */
  public JobEvent withResult(@Nullable Json result) {
    return new JobEvent(type, queueName, jobIdOrNull, jobOrNull, result, errorOrNull, null);
  }

  /** The same with what the job has failed with. */
  public JobEvent withError(Throwable error) {
    return new JobEvent(type, queueName, jobIdOrNull, jobOrNull, resultOrNull, error, null);
  }

  /** The same about jobs of a name, no single one of them; null: of any name. */
  public JobEvent forName(@Nullable String jobName) {
    return new JobEvent(type, queueName, null, null, null, null, jobName);
  }

  /** The job it is about. */
  public Optional<String> jobId() {
    return Optional.ofNullable(jobIdOrNull);
  }

  /** The job it is about, as it was known then. */
  public Optional<Job> job() {
    return Optional.ofNullable(jobOrNull);
  }

  /** What a completed job returned. */
  public Optional<Json> result() {
    return Optional.ofNullable(resultOrNull);
  }

  /** Why a job failed, or what went wrong. */
  public Optional<Throwable> error() {
    return Optional.ofNullable(errorOrNull);
  }

  /** The name that was paused or resumed; empty for all. */
  public Optional<String> jobName() {
    return Optional.ofNullable(jobNameOrNull);
  }
}
