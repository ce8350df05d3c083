package dev.runlane.jobs.memory;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.SavedJob.Outcome;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores new jobs. */
final class JobSaves {
  private final JobTable table;

  JobSaves(JobTable table) {
    this.table = table;
  }

  /** All of them, or none where a group is full. */
  List<SavedJob> saveAll(String queueName, List<NewJob> jobs, Instant now) {
    Deque<Runnable> undo = new ArrayDeque<>();
    List<SavedJob> saved = new ArrayList<>();
    try {
      for (NewJob job : jobs) {
        saved.add(standIn(queueName, job, now, undo).orElseGet(() -> {
          requireRoom(queueName, job);
          return inserted(queueName, job, null, undo);
        }));
      }
      return List.copyOf(saved);
    } catch (RunlaneException full) {
      undo.forEach(Runnable::run);
      throw full;
    }
  }

  /** One job, whatever the size of its group. */
  SavedJob save(String queueName, NewJob job, @Nullable String scheduleKey, Instant now) {
    Deque<Runnable> undo = new ArrayDeque<>();
    return standIn(queueName, job, now, undo)
        .orElseGet(() -> inserted(queueName, job, scheduleKey, undo));
  }

  List<String> saveFlow(List<FlowNode> nodes) {
    for (FlowNode node : nodes) {
      String id = node.job().id();
      if (id != null && table.find(node.queueName(), id).isPresent()) {
        throw RunlaneException.conflict(
            StorageConflictKind.JOB_ID, "queue %s has a job %s already", node.queueName(), id);
      }
    }
    return nodes.stream()
        .map(node ->
            inserted(node.queueName(), node.job(), null, new ArrayDeque<>()).id())
        .toList();
  }

  private Optional<SavedJob> standIn(
      String queueName, NewJob job, Instant now, Deque<Runnable> undo) {
    Optional<JobRow> sameId = job.id() == null ? Optional.empty() : table.find(queueName, job.id());
    if (sameId.isPresent()) {
      return sameId.map(row -> new SavedJob(row.job.id(), Outcome.EXISTING, row.job.state()));
    }
    return job.deduplicationKey() == null
        ? Optional.empty()
        : table
            .queue(queueName)
            .heldBy(job.deduplicationKey(), now)
            .map(row -> deduplicated(row, job, undo));
  }

  private SavedJob deduplicated(JobRow row, NewJob job, Deque<Runnable> undo) {
    JobDeduplication how = job.options().deduplication();
    JobData before = row.job;
    boolean standsAlone = before.parentId() == null && before.childrenIds().isEmpty();
    boolean free = before.state() == JobState.WAITING || before.state() == JobState.DELAYED;
    if (how == null || how.mode() == JobDeduplication.Mode.KEEP || !standsAlone || !free) {
      return new SavedJob(before.id(), Outcome.EXISTING, before.state());
    }
    undo.push(() -> table.put(row, before));
    table.put(row, JobTransitions.replaced(before, job));
    return new SavedJob(before.id(), Outcome.REPLACED, row.job.state());
  }

  private void requireRoom(String queueName, NewJob job) {
    JobGroup group = job.options().group();
    if (group == null || group.maxSize() == null || job.groupId() == null) {
      return;
    }
    if (table.queue(queueName).group(job.groupId()).firstIn.size() >= group.maxSize()) {
      throw RunlaneException.conflict(
          StorageConflictKind.QUEUE_CAPACITY,
          "group %s of queue %s has reached its maximum size of %d",
          job.groupId(),
          queueName,
          group.maxSize());
    }
  }

  private SavedJob inserted(
      String queueName, NewJob job, @Nullable String scheduleKey, Deque<Runnable> undo) {
    String id = Objects.requireNonNullElseGet(job.id(), table::newId);
    JobData data = job.storedIn(queueName, id).scheduleKey(scheduleKey).build();
    JobUpdate more = Objects.requireNonNullElse(job.more(), JobUpdate.NONE);
    JobRow row = table.newRow(more.applyTo(data));
    QueueJobs queue = table.queue(queueName);
    JobRow holder = queue.add(row);
    JobUpdates.writeLists(row, more);
    undo.push(() -> queue.revert(row, holder));
    return new SavedJob(id, Outcome.STORED, row.job.state());
  }
}
