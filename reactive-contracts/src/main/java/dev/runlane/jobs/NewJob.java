package dev.runlane.jobs;

import dev.runlane.json.PayloadHash;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job that is not stored yet.
 *
 * @param id its id, or null to have one made
 * @param name names the handler or category
 * @param data the payload
 * @param options what is stored with it
 * @param state where it begins: waiting, delayed (then {@code delayUntil} is given) or waiting-children
 * @param createdAt when it was made; kept as it is
 * @param delayUntil when it is due, or null
 * @param deduplicationKey the key it is deduplicated by, or null; {@code options.deduplication} says how, and
 *     where that is missing the second is dropped as long as the first is open
 * @param groupId its group, or null
 * @param parentId the flow's parent, or null
 * @param parentQueueName the parent's queue; null exactly when {@code parentId} is
 * @param childrenIds the flow's children
 * @param pendingChildrenCount how many of them have to end first
 * @param more other fields that are written with it, or null; for jobs that come from elsewhere half done
 */
public record NewJob(
    @Nullable String id,
    String name,
    Json data,
    JobOptions options,
    JobState state,
    Instant createdAt,
    @Nullable Instant delayUntil,
    @Nullable String deduplicationKey,
    @Nullable String groupId,
    @Nullable String parentId,
    @Nullable String parentQueueName,
    List<String> childrenIds,
    int pendingChildrenCount,
    @Nullable JobUpdate more) {
  /** Copies the children, cuts the instants to milliseconds and refuses null where it is not meant. */
  public NewJob {
    Objects.requireNonNull(name);
    Objects.requireNonNull(data);
    Objects.requireNonNull(options);
    Objects.requireNonNull(state);
    createdAt = JobTimes.millis(createdAt);
    delayUntil = JobTimes.millisOrNull(delayUntil);
    childrenIds = List.copyOf(childrenIds);
  }

  /**
   * A job made now, as its options say: delayed by the longer of {@code delay} and the time until {@code
   * repeat.startDate}, in its group, with its id and its deduplication key.
   */
  public static NewJob of(String name, Json data, JobOptions options, Instant now) {
    Instant createdAt = JobTimes.millis(now);
    Instant due = due(options, createdAt);
    return new NewJob(
        options.jobId(),
        name,
        data,
        options,
        due == null ? JobState.WAITING : JobState.DELAYED,
        createdAt,
        due,
        deduplicationKey(data, options.deduplication()),
        options.group() == null ? null : options.group().id(),
        null,
        null,
        List.of(),
        0,
        null);
  }

  /** The same with this id. */
  public NewJob withId(String jobId) {
    return copy(jobId, state, delayUntil, parentId, parentQueueName, childrenIds, more);
  }

  /** The same, due then: delayed where that is after its creation, else waiting. */
  public NewJob dueAt(Instant due) {
    boolean later = due.isAfter(createdAt);
    return copy(
        id,
        later ? JobState.DELAYED : JobState.WAITING,
        later ? due : null,
        parentId,
        parentQueueName,
        childrenIds,
        more);
  }

  /** The same as child of this parent. */
  public NewJob childOf(String queueName, String jobId) {
    return copy(id, state, delayUntil, jobId, queueName, childrenIds, more);
  }

  /** The same as parent of these children; where there are some it waits for them, then for its due time. */
  public NewJob parentOf(List<String> children) {
    JobState waits = children.isEmpty() ? state : JobState.WAITING_CHILDREN;
    return copy(id, waits, delayUntil, parentId, parentQueueName, children, more);
  }

  /** The same with these fields written too. */
  public NewJob with(JobUpdate fields) {
    return copy(id, state, delayUntil, parentId, parentQueueName, childrenIds, fields);
  }

  private NewJob copy(
      @Nullable String newId,
      JobState newState,
      @Nullable Instant newDelayUntil,
      @Nullable String newParentId,
      @Nullable String newParentQueueName,
      List<String> newChildrenIds,
      @Nullable JobUpdate newMore) {
    return new NewJob(
        newId,
        name,
        data,
        options,
        newState,
        createdAt,
        newDelayUntil,
        deduplicationKey,
        groupId,
        newParentId,
        newParentQueueName,
        newChildrenIds,
        newChildrenIds.equals(childrenIds) ? pendingChildrenCount : newChildrenIds.size(),
        newMore);
  }

  private static @Nullable Instant due(JobOptions options, Instant createdAt) {
    Instant due = createdAt.plus(Objects.requireNonNullElse(options.delay(), Duration.ZERO));
    JobRepeat repeat = options.repeat();
    if (repeat != null && repeat.startDate() != null && repeat.startDate().isAfter(due)) {
      due = repeat.startDate();
    }
    return due.isAfter(createdAt) ? due : null;
  }

  private static @Nullable String deduplicationKey(
      Json data, @Nullable JobDeduplication deduplication) {
    if (deduplication == null) {
      return null;
    }
    return deduplication.key() != null ? deduplication.key() : PayloadHash.of(data);
  }
}
