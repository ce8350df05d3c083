package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.JobStore;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The jobs of one queue, by id, state, group and key; and what is paused, served and limited in it. */
final class QueueJobs {
  /** The group of jobs without one. No group has this id: ids are not empty. */
  static final String UNGROUPED = "";

  private static final Comparator<JobRow> BY_PRIORITY =
      Comparator.comparingDouble(row -> row.job.options().effectivePriority());
  private static final Comparator<JobRow> BY_POSITION =
      Comparator.comparingLong(row -> row.position);
  private static final Comparator<JobRow> BY_SERIAL = Comparator.comparingLong(row -> row.serial);
  static final Comparator<JobRow> FIRST_IN = BY_PRIORITY.thenComparing(BY_POSITION);
  static final Comparator<JobRow> LAST_IN = BY_PRIORITY.thenComparing(BY_POSITION.reversed());
  static final Comparator<JobRow> OLDEST_FIRST =
      Comparator.<JobRow, Instant>comparing(row -> row.job.createdAt()).thenComparing(BY_SERIAL);
  private static final Comparator<JobRow> ENDED_LAST_FIRST =
      Comparator.comparing(JobRow::endedAt).thenComparing(BY_SERIAL).reversed();
  private static final Comparator<JobRow> DUE_FIRST =
      Comparator.<JobRow, Instant>comparing(QueueJobs::dueAt).thenComparing(BY_SERIAL);

  final String name;
  final Map<String, JobRow> byId = new HashMap<>();
  final Map<JobState, NavigableSet<JobRow>> byState = new EnumMap<>(JobState.class);
  final Map<String, Group> groups = new HashMap<>();
  final Set<String> paused = new LinkedHashSet<>();
  final Deque<Instant> limitedFetches = new ArrayDeque<>();

  private final Map<String, JobRow> byKey = new HashMap<>();
  private long served;

  QueueJobs(String name) {
    this.name = name;
    for (JobState state : JobState.values()) {
      byState.put(state, new TreeSet<>(order(state)));
    }
  }

  NavigableSet<JobRow> in(JobState state) {
    return Objects.requireNonNull(byState.get(state));
  }

  /** Adds a row that is new here; it takes its key over from whoever had it, who is answered. */
  @Nullable
  JobRow add(JobRow row) {
    byId.put(row.job.id(), row);
    index(row);
    return row.job.deduplicationKey() == null || row.job.state().isTerminal()
        ? null
        : byKey.put(row.job.deduplicationKey(), row);
  }

  /** Takes back that a row was added, which took its key over from {@code holder}. */
  void revert(JobRow row, @Nullable JobRow holder) {
    remove(row);
    if (holder != null && row.job.deduplicationKey() != null) {
      byKey.put(row.job.deduplicationKey(), holder);
    }
  }

  /**
   * Replaces the job of a row. One that comes back keeps its key only if no other open job has it; one that was open
   * and has lost it to a later job still says which it was.
   */
  void put(JobRow row, JobData job) {
    deindex(row);
    boolean comesBack = row.job.state().isTerminal() && !job.state().isTerminal();
    boolean lostKey = !row.job.state().isTerminal()
        && job.deduplicationKey() != null
        && job.deduplicationKey().equals(row.job.deduplicationKey())
        && byKey.get(job.deduplicationKey()) != row;
    giveUpKey(row);
    row.job = comesBack && !mayHaveKey(job.deduplicationKey())
        ? job.toBuilder().deduplicationKey(null).build()
        : job;
    String key = row.job.deduplicationKey();
    if (key != null && !row.job.state().isTerminal() && !lostKey) {
      byKey.putIfAbsent(key, row);
    }
    index(row);
    forgetIfEmpty(groupOf(row.job));
  }

  void remove(JobRow row) {
    deindex(row);
    giveUpKey(row);
    byId.remove(row.job.id());
    forgetIfEmpty(groupOf(row.job));
  }

  /** The open job that stands for this key, its time to live not past. */
  Optional<JobRow> heldBy(String key, Instant now) {
    return Optional.ofNullable(byKey.get(key)).filter(row -> !isExpired(row.job, now));
  }

  void markServed(JobRow row) {
    group(groupOf(row.job)).served = ++served;
  }

  Group group(String id) {
    return groups.computeIfAbsent(id, Group::new);
  }

  static String groupOf(JobData job) {
    return Objects.requireNonNullElse(job.groupId(), UNGROUPED);
  }

  private boolean mayHaveKey(@Nullable String key) {
    return key == null || !byKey.containsKey(key);
  }

  private void giveUpKey(JobRow row) {
    String key = row.job.deduplicationKey();
    if (key != null) {
      byKey.remove(key, row);
    }
  }

  private void index(JobRow row) {
    in(row.job.state()).add(row);
    Group group = group(groupOf(row.job));
    if (row.job.state() == JobState.WAITING) {
      group.firstIn.add(row);
      group.lastIn.add(row);
    } else if (row.job.state() == JobState.ACTIVE) {
      group.active++;
    }
  }

  private void deindex(JobRow row) {
    in(row.job.state()).remove(row);
    Group group = group(groupOf(row.job));
    if (row.job.state() == JobState.WAITING) {
      group.firstIn.remove(row);
      group.lastIn.remove(row);
    } else if (row.job.state() == JobState.ACTIVE) {
      group.active--;
    }
  }

  /** A group that was served is remembered, so that it keeps its turn when it gets jobs again. */
  void forgetIfEmpty(String groupId) {
    Group group = groups.get(groupId);
    if (group != null && group.served == 0 && group.active == 0 && group.firstIn.isEmpty()) {
      groups.remove(groupId);
    }
  }

  /** Those without jobs that were served long ago. */
  void forgetIdleGroups() {
    groups
        .values()
        .removeIf(group -> !group.id.equals(UNGROUPED)
            && group.active == 0
            && group.firstIn.isEmpty()
            && group.served + JobStore.TURNS_REMEMBERED <= served);
  }

  private static boolean isExpired(JobData job, Instant now) {
    JobDeduplication deduplication = job.options().deduplication();
    return deduplication != null
        && deduplication.ttl() != null
        && job.createdAt().plus(deduplication.ttl()).isBefore(now);
  }

  private static Comparator<JobRow> order(JobState state) {
    if (state.isTerminal()) {
      return ENDED_LAST_FIRST;
    }
    return state == JobState.DELAYED ? DUE_FIRST : OLDEST_FIRST;
  }

  private static Instant dueAt(JobRow row) {
    return Objects.requireNonNullElse(row.job.delayUntil(), Instant.MIN);
  }

  /** The jobs of one group that are waiting, in both orders, and how many are active. */
  static final class Group {
    final String id;
    final NavigableSet<JobRow> firstIn = new TreeSet<>(FIRST_IN);
    final NavigableSet<JobRow> lastIn = new TreeSet<>(LAST_IN);
    int active;
    long served; // 0: never

    Group(String id) {
      this.id = id;
    }
  }
}
