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
    return new Builder(name, data, options, createdAt)
        .id(options.jobId())
        .state(due == null ? JobState.WAITING : JobState.DELAYED)
        .delayUntil(due)
        .deduplicationKey(deduplicationKey(data, options.deduplication()))
        .groupId(options.group() == null ? null : options.group().id())
        .build();
  }

  /** The same with this id. */
  public NewJob withId(String jobId) {
    return toBuilder().id(jobId).build();
  }

  /** The same, due then: delayed where that is after its creation, else waiting. */
  public NewJob dueAt(Instant due) {
    boolean later = due.isAfter(createdAt);
    return toBuilder()
        .state(later ? JobState.DELAYED : JobState.WAITING)
        .delayUntil(later ? due : null)
        .build();
  }

  /** The same as child of this parent. */
  public NewJob childOf(String queueName, String jobId) {
    return toBuilder().parentQueueName(queueName).parentId(jobId).build();
  }

  /** The same as parent of these children; where there are some it waits for them, then for its due time. */
  public NewJob parentOf(List<String> children) {
    return toBuilder()
        .state(children.isEmpty() ? state : JobState.WAITING_CHILDREN)
        .childrenIds(children)
        .pendingChildrenCount(children.equals(childrenIds) ? pendingChildrenCount : children.size())
        .build();
  }

  /** The same with these fields written too. */
  public NewJob with(JobUpdate fields) {
    return toBuilder().more(fields).build();
  }

  /** Begins with what is stored of this job in {@code queueName}, under {@code jobId}; {@code more} is not applied. */
  public JobData.Builder storedIn(String queueName, String jobId) {
    return JobData.builder(jobId, queueName, name, data, state, options, createdAt)
        .delayUntil(delayUntil)
        .deduplicationKey(deduplicationKey)
        .groupId(groupId)
        .parentId(parentId)
        .parentQueueName(parentQueueName)
        .childrenIds(childrenIds)
        .pendingChildrenCount(pendingChildrenCount);
  }

  /** Begins with what every job has: it waits, and stands for itself. Nothing is taken from its options. */
  public static Builder builder(String name, Json data, JobOptions options, Instant createdAt) {
    return new Builder(name, data, options, createdAt);
  }

  /** Begins with all of this job. */
  public Builder toBuilder() {
    Builder builder = new Builder(name, data, options, createdAt);
    builder.id = id;
    builder.state = state;
    builder.delayUntil = delayUntil;
    builder.deduplicationKey = deduplicationKey;
    builder.groupId = groupId;
    builder.parentId = parentId;
    builder.parentQueueName = parentQueueName;
    builder.childrenIds = childrenIds;
    builder.pendingChildrenCount = pendingChildrenCount;
    builder.more = more;
    return builder;
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

  /** Makes new jobs field by field; the names are those of the record. */
  public static final class Builder {
    private @Nullable String id;
    private String name;
    private Json data;
    private JobOptions options;
    private JobState state = JobState.WAITING;
    private final Instant createdAt;
    private @Nullable Instant delayUntil;
    private @Nullable String deduplicationKey;
    private @Nullable String groupId;
    private @Nullable String parentId;
    private @Nullable String parentQueueName;
    private List<String> childrenIds = List.of();
    private int pendingChildrenCount;
    private @Nullable JobUpdate more;

    private Builder(String name, Json data, JobOptions options, Instant createdAt) {
      this.name = name;
      this.data = data;
      this.options = options;
      this.createdAt = createdAt;
    }

    /** Sets {@link NewJob#id()}. */
    public Builder id(@Nullable String value) {
      id = value;
      return this;
    }

    /** Sets {@link NewJob#name()}. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /** Sets {@link NewJob#data()}. */
    public Builder data(Json value) {
      data = value;
      return this;
    }

    /** Sets {@link NewJob#options()}. */
    public Builder options(JobOptions value) {
      options = value;
      return this;
    }

    /** Sets {@link NewJob#state()}. */
    public Builder state(JobState value) {
      state = value;
      return this;
    }

    /** Sets {@link NewJob#delayUntil()}. */
    public Builder delayUntil(@Nullable Instant value) {
      delayUntil = value;
      return this;
    }

    /** Sets {@link NewJob#deduplicationKey()}. */
    public Builder deduplicationKey(@Nullable String value) {
      deduplicationKey = value;
      return this;
    }

    /** Sets {@link NewJob#groupId()}. */
    public Builder groupId(@Nullable String value) {
      groupId = value;
      return this;
    }

    /** Sets {@link NewJob#parentId()}. */
    public Builder parentId(@Nullable String value) {
      parentId = value;
      return this;
    }

    /** Sets {@link NewJob#parentQueueName()}. */
    public Builder parentQueueName(@Nullable String value) {
      parentQueueName = value;
      return this;
    }

    /** Sets {@link NewJob#childrenIds()}. */
    public Builder childrenIds(List<String> value) {
      childrenIds = value;
      return this;
    }

    /** Sets {@link NewJob#pendingChildrenCount()}. */
    public Builder pendingChildrenCount(int value) {
      pendingChildrenCount = value;
      return this;
    }

    /** Sets {@link NewJob#more()}. */
    public Builder more(@Nullable JobUpdate value) {
      more = value;
      return this;
    }

    /** The job. */
    public NewJob build() {
      return new NewJob(
          id,
          name,
          data,
          options,
          state,
          createdAt,
          delayUntil,
          deduplicationKey,
          groupId,
          parentId,
          parentQueueName,
          childrenIds,
          pendingChildrenCount,
          more);
    }
  }
}
