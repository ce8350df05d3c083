package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.timing.Randomness;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All queues. Nothing here is checked or decided. */
final class JobTable {
  private static final long VERSION_BITS = 0xf000L;
  private static final long VERSION_4 = 0x4000L;
  private static final long VARIANT = 1L << 63;

  /** The order of names in lists. */
  static final Comparator<String> BY_CODE_POINTS = (one, other) ->
      Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());

  final SortedMap<String, QueueJobs> queues = new TreeMap<>();

  final JobWebhooks webhooks = new JobWebhooks(this::newId);

  private final Randomness randomness;
  private long serial;

  JobTable(Randomness randomness) {
    this.randomness = randomness;
  }

  QueueJobs queue(String name) {
    return queues.computeIfAbsent(name, QueueJobs::new);
  }

  Optional<JobRow> find(String queueName, String jobId) {
    QueueJobs queue = queues.get(queueName);
    return queue == null ? Optional.empty() : Optional.ofNullable(queue.byId.get(jobId));
  }

  Optional<JobRow> parentOf(JobData child) {
    @Nullable String queueName = child.parentQueueName();
    @Nullable String id = child.parentId();
    return queueName == null || id == null ? Optional.empty() : find(queueName, id);
  }

  Stream<JobRow> rows() {
    return queues.values().stream().flatMap(queue -> queue.byId.values().stream());
  }

  JobRow insert(JobData job) {
    JobRow row = newRow(job);
    queue(job.queueName()).add(row);
    return row;
  }

  /** A row that is not stored yet. */
  JobRow newRow(JobData job) {
    serial++;
    return new JobRow(job, serial);
  }

  /** Replaces the job of a row; whoever is told of ends is told of this one. */
  void put(JobRow row, JobData job) {
    boolean isEnd = job.state().isTerminal() && job.state() != row.job.state();
    queue(job.queueName()).put(row, job);
    if (isEnd) {
      webhooks.ended(job);
    }
  }

  void remove(JobRow row) {
    queue(row.job.queueName()).remove(row);
  }

  boolean hasActive(String queueName) {
    QueueJobs queue = queues.get(queueName);
    return queue != null && !queue.in(JobState.ACTIVE).isEmpty();
  }

  /** A random UUID of version 4. */
  String newId() {
    long high = (randomness.nextLong() & ~VERSION_BITS) | VERSION_4;
    long low = (randomness.nextLong() >>> 2) | VARIANT;
    return new UUID(high, low).toString();
  }
}
