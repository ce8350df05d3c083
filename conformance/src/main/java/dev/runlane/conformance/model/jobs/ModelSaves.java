package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication.Mode;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** How jobs come into the model. */
final class ModelSaves {
  private final ModelJobs jobs;

  ModelSaves(ModelJobs jobs) {
    this.jobs = jobs;
  }

  /** "In their order and in one transaction." */
  List<SavedJob> saveAll(String queueName, List<NewJob> all, Instant now) {
    List<ModelJob> before = jobs.save();
    List<SavedJob> saved = new ArrayList<>();
    for (NewJob job : all) {
      Optional<SavedJob> there = thereAlready(queueName, job, now);
      if (there.isEmpty() && isFull(queueName, job)) {
        jobs.goBack(before);
        throw RunlaneException.conflict(StorageConflictKind.QUEUE_CAPACITY, "the group is full");
      }
      saved.add(there.orElseGet(() -> insert(queueName, job, null)));
    }
    return IntStream.range(0, saved.size())
        .mapToObj(i -> asShown(queueName, saved.get(i), i))
        .toList();
  }

  /** With its state at its turn, or after those of the call that replaced it: "the state of that job" says not when. */
  private SavedJob asShown(String queueName, SavedJob saved, int index) {
    JobState last =
        jobs.find(queueName, saved.id()).map(row -> row.job.state()).orElse(saved.state());
    return jobs.shownState(index).filter(last::equals).isPresent()
        ? new SavedJob(saved.id(), saved.outcome(), last)
        : saved;
  }

  /** Without regard to the size of the group. */
  SavedJob save(String queueName, NewJob job, @Nullable String scheduleKey, Instant now) {
    return thereAlready(queueName, job, now).orElseGet(() -> insert(queueName, job, scheduleKey));
  }

  /** "All of it or nothing." */
  List<String> saveFlow(List<FlowNode> nodes) {
    for (FlowNode node : nodes) {
      String id = node.job().id();
      if (id != null && jobs.find(node.queueName(), id).isPresent()) {
        throw RunlaneException.conflict(StorageConflictKind.JOB_ID, "the id is taken");
      }
    }
    return nodes.stream()
        .map(node -> insert(node.queueName(), node.job(), null).id())
        .toList();
  }

  private Optional<SavedJob> thereAlready(String queueName, NewJob job, Instant now) {
    Optional<ModelJob> sameId =
        Optional.ofNullable(job.id()).flatMap(id -> jobs.find(queueName, id));
    if (sameId.isPresent()) {
      return sameId.map(row -> answer(row, Outcome.EXISTING));
    }
    return Optional.ofNullable(job.deduplicationKey())
        .flatMap(key -> jobs.standingFor(queueName, key, now))
        .map(row -> answer(row, replace(row, job) ? Outcome.REPLACED : Outcome.EXISTING));
  }

  /** As the mode of the second job says. "A job that is active, or has children or a parent, is left as it is." */
  private boolean replace(ModelJob row, NewJob job) {
    JobData open = row.job;
    Mode mode = job.options().deduplication() == null
        ? Mode.KEEP
        : job.options().deduplication().mode();
    boolean mayChange = open.state() == JobState.WAITING || open.state() == JobState.DELAYED;
    if (mode == Mode.KEEP
        || !mayChange
        || open.parentId() != null
        || !open.childrenIds().isEmpty()) {
      return false;
    }
    jobs.change(row, JobTransitions.replaced(open, job));
    return true;
  }

  private boolean isFull(String queueName, NewJob job) {
    JobGroup group = job.options().group();
    return group != null
        && group.maxSize() != null
        && job.groupId() != null
        && jobs.in(queueName, JobState.WAITING)
                .filter(row -> job.groupId().equals(row.job.groupId()))
                .count()
            >= group.maxSize();
  }

  private SavedJob insert(String queueName, NewJob job, @Nullable String scheduleKey) {
    String id = Objects.requireNonNullElseGet(job.id(), jobs::newId);
    JobUpdate more = Objects.requireNonNullElse(job.more(), JobUpdate.NONE);
    JobData data = job.storedIn(queueName, id).scheduleKey(scheduleKey).build();
    ModelJob row = jobs.insert(ModelJob.withoutLists(more.applyTo(data)));
    row.writeLists(more);
    return answer(row, Outcome.STORED);
  }

  private static SavedJob answer(ModelJob row, Outcome outcome) {
    return new SavedJob(row.job.id(), outcome, row.job.state());
  }
}
