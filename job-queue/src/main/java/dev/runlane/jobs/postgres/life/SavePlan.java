package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What becomes of the jobs of one call, taken one after the other. */
final class SavePlan {
  private final String queue;
  private final Map<JobRef, JobState> taken;
  private final Map<String, Long> waiting;
  private final Instant now;
  private final Map<String, StoredJob> holders; // by key, of jobs that are stored or fresh
  private final Map<JobRef, StoredJob> changed = new LinkedHashMap<>();
  private final Map<JobRef, StoredJob> fresh = new LinkedHashMap<>();
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
    JobRef ref = new JobRef(queue, Objects.requireNonNull(job.id()));
    JobState there = named ? taken.get(ref) : null;
    if (there != null || fresh.containsKey(ref)) {
      placed.add(new Planned(ref, SavedJob.Outcome.EXISTING, there));
      return;
    }
    StoredJob holder = job.deduplicationKey() == null ? null : holders.get(job.deduplicationKey());
    if (holder != null && standsForItsKey(holder.job())) {
      replace(holder, job);
    } else {
      store(JobSaves.row(queue, job), maxSize);
    }
  }

  private boolean standsForItsKey(JobData open) {
    Instant until = StoredJob.deduplicationUntil(open);
    return until == null || !until.isBefore(now);
  }

  private void replace(StoredJob holder, NewJob by) {
    JobDeduplication.Mode mode = mode(by);
    JobData before = holder.job();
    if (mode == JobDeduplication.Mode.KEEP || !isReplaceable(before)) {
      placed.add(new Planned(holder.ref(), SavedJob.Outcome.EXISTING, before.state()));
      return;
    }
    StoredJob replaced = holder.replacedBy(JobTransitions.replaced(before, by));
    moved(before.groupId(), before.state(), replaced.job().state());
    change(replaced);
    placed.add(new Planned(holder.ref(), SavedJob.Outcome.REPLACED, null));
  }

  /** Whether a later job with its key may take its place. */
  private static boolean isReplaceable(JobData job) {
    return (job.state() == JobState.WAITING || job.state() == JobState.DELAYED)
        && job.parentId() == null
        && job.childrenIds().isEmpty();
  }

  private static JobDeduplication.Mode mode(NewJob job) {
    JobDeduplication deduplication = job.options().deduplication();
    return deduplication == null ? JobDeduplication.Mode.KEEP : deduplication.mode();
  }

  /** A job that is new or pushed may begin to wait in its group, or stop. */
  private void moved(@Nullable String group, @Nullable JobState before, JobState after) {
    if (group != null && before != after) {
      long more = (after == JobState.WAITING ? 1L : 0L) - (before == JobState.WAITING ? 1L : 0L);
      waiting.merge(group, more, Long::sum);
    }
  }

  private void change(StoredJob after) {
    Map<JobRef, StoredJob> written = fresh.containsKey(after.ref()) ? fresh : changed;
    written.put(after.ref(), after);
    if (after.slot() != null) {
      holders.put(after.slot(), after);
    }
  }

  private void store(StoredJob job, @Nullable Integer maxSize) {
    String group = job.job().groupId();
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
      moved(group, null, job.job().state());
    }
    StoredJob holder = job.slot() == null ? null : holders.get(job.slot());
    if (holder != null) {
      change(
          holder.holding(null)); // its time for the key is past; one that is born ended takes none
    }
    fresh.put(job.ref(), job);
    if (job.slot() != null) {
      holders.put(job.slot(), job);
    }
    placed.add(new Planned(job.ref(), SavedJob.Outcome.STORED, null));
  }

  /** Why nothing may be stored, or null. */
  @Nullable
  RunlaneException refusal() {
    return refusal;
  }

  List<StoredJob> changed() {
    return List.copyOf(changed.values());
  }

  List<StoredJob> fresh() {
    return List.copyOf(fresh.values());
  }

  /** The answers, with states as the call leaves them; {@code others} were stored by somebody else in this moment. */
  List<SavedJob> outcomes(Map<JobRef, JobState> others) {
    return placed.stream().map(each -> outcome(each, others)).toList();
  }

  private SavedJob outcome(Planned each, Map<JobRef, JobState> others) {
    String id = each.job().jobId();
    JobState theirs = others.get(each.job());
    if (theirs != null) {
      return new SavedJob(id, SavedJob.Outcome.EXISTING, theirs);
    }
    StoredJob added = fresh.get(each.job());
    StoredJob written = added != null ? added : changed.get(each.job());
    JobState state = written == null ? each.state() : written.job().state();
    return new SavedJob(id, each.outcome(), Objects.requireNonNull(state));
  }

  /**
   * @param job the job that stands for it
   * @param outcome what became of it
   * @param state the state of a job that was stored before, or null for one that the call writes
   */
  private record Planned(
      JobRef job, SavedJob.Outcome outcome, @Nullable JobState state) {}
}
