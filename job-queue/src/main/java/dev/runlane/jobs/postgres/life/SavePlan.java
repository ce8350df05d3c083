package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What becomes of the jobs of one call, taken one after the other. */
final class SavePlan {
  private final String queue;
  private final Map<JobRef, JobState> taken;
  private final Map<String, Long> waiting;
  private final Instant now;
  private final Map<String, StoredJob> holders; // by key, of jobs that are stored
  private final Map<JobRef, StoredJob> changed = new LinkedHashMap<>();
  private final Map<String, NewJob> fresh = new LinkedHashMap<>(); // by id
  private final Set<String> inFront =
      new HashSet<>(); // ids of fresh jobs that go before those that wait
  private final Map<String, String> freshHolders = new HashMap<>(); // id by key
  private final List<Planned> placed = new ArrayList<>();
  private @Nullable RunlaneException refusal;

  SavePlan(
      String queue,
      Map<String, StoredJob> holders,
      Map<JobRef, JobState> taken,
      Map<String, Long> waiting,
      Instant now) {
    this.queue = queue;
    this.holders = new HashMap<>(holders);
    this.taken = taken;
    this.waiting = new HashMap<>(waiting);
    this.now = now;
  }

  /** The next job, with its id; {@code named} when that was asked for. */
  void add(NewJob job, boolean named, @Nullable Integer maxSize) {
    String id = Objects.requireNonNull(job.id());
    JobState there = named ? taken.get(new JobRef(queue, id)) : null;
    if (there != null || fresh.containsKey(id)) {
      placed.add(new Planned(id, SavedJob.Outcome.EXISTING, there));
    } else if (job.deduplicationKey() == null || !isDuplicate(job, job.deduplicationKey())) {
      store(job, id, maxSize);
    }
  }

  private boolean isDuplicate(NewJob job, String key) {
    String own = freshHolders.get(key);
    if (own != null && isOpen(Objects.requireNonNull(fresh.get(own)))) {
      replaceFresh(own, job);
      return true;
    }
    StoredJob holder = holders.get(key);
    if (holder == null) {
      return false;
    }
    if (!isOpen(holder.job())) {
      change(key, holder.holding(null));
      return false;
    }
    replace(key, holder, job);
    return true;
  }

  private boolean isOpen(JobData job) {
    Instant until = StoredJob.deduplicationUntil(job);
    return !job.state().isTerminal() && (until == null || !until.isBefore(now));
  }

  private boolean isOpen(NewJob job) {
    return isOpen(JobSaves.row(queue, job).job());
  }

  /** Where the job is once it is stored with all its fields. */
  private JobState stateOf(NewJob job) {
    return JobSaves.row(queue, job).job().state();
  }

  private void change(String key, StoredJob after) {
    changed.put(after.ref(), after);
    if (after.slot() == null) {
      holders.remove(key);
    } else {
      holders.put(key, after);
    }
  }

  private void replace(String key, StoredJob holder, NewJob by) {
    JobDeduplication.Mode mode = JobSaves.mode(by);
    JobData before = holder.job();
    if (mode == JobDeduplication.Mode.KEEP || !JobSaves.isReplaceable(before)) {
      placed.add(new Planned(before.id(), SavedJob.Outcome.EXISTING, before.state()));
      return;
    }
    JobData.Builder after =
        before.toBuilder().name(by.name()).data(by.data()).options(by.options());
    boolean pushed = mode == JobDeduplication.Mode.DEBOUNCE
        && (before.state() == JobState.WAITING || before.state() == JobState.DELAYED);
    if (pushed) {
      after.state(by.state()).delayUntil(by.delayUntil());
    }
    StoredJob replaced = holder.with(after.build());
    moved(before.groupId(), before.state(), replaced.job().state());
    change(key, replaced);
    placed.add(
        new Planned(before.id(), SavedJob.Outcome.REPLACED, replaced.job().state()));
  }

  /** A job of this very call, which is not stored yet, takes the other's place in the same way. */
  private void replaceFresh(String id, NewJob by) {
    NewJob before = Objects.requireNonNull(fresh.get(id));
    JobDeduplication.Mode mode = JobSaves.mode(by);
    if (mode == JobDeduplication.Mode.KEEP
        || before.parentId() != null
        || !before.childrenIds().isEmpty()) {
      placed.add(new Planned(id, SavedJob.Outcome.EXISTING, null));
      return;
    }
    boolean pushed = mode == JobDeduplication.Mode.DEBOUNCE;
    NewJob after = before.toBuilder()
        .id(id)
        .name(by.name())
        .data(by.data())
        .options(by.options())
        .state(pushed ? by.state() : before.state())
        .delayUntil(pushed ? by.delayUntil() : before.delayUntil())
        .build();
    moved(before.groupId(), stateOf(before), stateOf(after));
    fresh.put(id, after);
    placed.add(new Planned(id, SavedJob.Outcome.REPLACED, null));
  }

  /** A job that is pushed may begin to wait in its group, or stop. */
  private void moved(@Nullable String group, JobState before, JobState after) {
    if (group != null && before != after) {
      long more = (after == JobState.WAITING ? 1L : 0L) - (before == JobState.WAITING ? 1L : 0L);
      waiting.merge(group, more, Long::sum);
    }
  }

  private void store(NewJob job, String id, @Nullable Integer maxSize) {
    String group = job.groupId();
    if (group != null) {
      long before = waiting.getOrDefault(group, 0L);
      if (maxSize != null && before >= maxSize && refusal == null) {
        refusal = RunlaneException.conflict(
            StorageConflictKind.QUEUE_CAPACITY,
            "group %s of queue %s has reached its maximum size of %d",
            group,
            queue,
            maxSize);
      }
      if (stateOf(job) == JobState.WAITING) {
        waiting.put(group, before + 1);
      }
    }
    fresh.put(id, job);
    if (job.options().isLifo()) {
      inFront.add(id);
    }
    if (job.deduplicationKey() != null) {
      freshHolders.put(job.deduplicationKey(), id);
    }
    placed.add(new Planned(id, SavedJob.Outcome.STORED, null));
  }

  /** Why nothing may be stored, or null. */
  @Nullable
  RunlaneException refusal() {
    return refusal;
  }

  List<StoredJob> changed() {
    return List.copyOf(changed.values());
  }

  List<NewJob> fresh() {
    return List.copyOf(fresh.values());
  }

  /** Whether a fresh job goes before those of its priority, which what replaces it does not change. */
  boolean isInFront(NewJob job) {
    return inFront.contains(Objects.requireNonNull(job.id()));
  }

  /** The answers; those of {@code others} were stored by somebody else in this moment. */
  List<SavedJob> outcomes(Map<JobRef, JobState> others) {
    return placed.stream().map(each -> outcome(each, others)).toList();
  }

  private SavedJob outcome(Planned each, Map<JobRef, JobState> others) {
    JobState theirs = others.get(new JobRef(queue, each.id()));
    if (theirs != null) {
      return new SavedJob(each.id(), SavedJob.Outcome.EXISTING, theirs);
    }
    NewJob own = fresh.get(each.id());
    JobState state = each.state() != null || own == null ? each.state() : stateOf(own);
    return new SavedJob(each.id(), each.outcome(), Objects.requireNonNull(state));
  }

  /**
   * @param id the job that stands for it
   * @param outcome what became of it
   * @param state the state of a stored job, or null for one of this call
   */
  private record Planned(
      String id, SavedJob.Outcome outcome, @Nullable JobState state) {}
}
