package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Named schedules, one list. */
final class ModelSchedules {
  private final ModelJobs jobs;
  private final ModelSaves saves;
  private final List<JobSchedule> all = new ArrayList<>();

  ModelSchedules(ModelJobs jobs, ModelSaves saves) {
    this.jobs = jobs;
    this.saves = saves;
  }

  List<JobSchedule> all() {
    return List.copyOf(all);
  }

  /** "Where repeat equals what is stored, the next fire and the count stay; where it differs they begin anew." */
  JobSchedule upsert(UpsertSchedule command) {
    Optional<JobSchedule> before = find(command.queueName(), command.key());
    Optional<JobSchedule> same = before.filter(each -> each.repeat().equals(command.repeat()));
    JobSchedule after = new JobSchedule(
        command.queueName(),
        command.key(),
        command.jobName(),
        command.data(),
        command.options(),
        command.repeat(),
        same.isPresent() ? same.get().nextAt() : command.nextAt(),
        same.map(JobSchedule::fired).orElse(0L),
        before.map(JobSchedule::lastFiredAt).orElse(null),
        before.map(JobSchedule::lastJobId).orElse(null),
        before.map(JobSchedule::createdAt).orElse(command.now()),
        command.now());
    replace(before.orElse(null), after);
    return after;
  }

  Optional<JobSchedule> find(String queueName, String key) {
    return in(queueName).filter(each -> each.key().equals(key)).findFirst();
  }

  List<JobSchedule> list(String queueName) {
    return in(queueName)
        .sorted(Comparator.comparing(JobSchedule::key, ModelSchedules::byCodePoints))
        .toList();
  }

  boolean remove(String queueName, String key) {
    return all.removeIf(each -> each.queueName().equals(queueName) && each.key().equals(key));
  }

  void forget(String queueName) {
    all.removeIf(each -> each.queueName().equals(queueName));
  }

  List<JobSchedule> due(String queueName, Instant now, int limit) {
    return jobs.firstDue(
        in(queueName)
            .filter(each -> each.nextAt() != null && !each.nextAt().isAfter(now))
            .toList(),
        Comparator.comparing(each -> Objects.requireNonNull(each.nextAt())),
        limit);
  }

  Optional<Instant> next(String queueName) {
    return in(queueName)
        .flatMap(each -> Stream.ofNullable(each.nextAt()))
        .min(Comparator.naturalOrder());
  }

  /** "Empty, and no change, when dueAt is not the schedule's next fire, or when it repeats otherwise by now." */
  Optional<SavedJob> fire(FireSchedule command) {
    Optional<JobSchedule> due = find(command.queueName(), command.key())
        .filter(each -> command.dueAt().equals(each.nextAt()))
        .filter(each -> each.repeat().equals(command.repeat()));
    if (due.isEmpty()) {
      return Optional.empty();
    }
    JobSchedule before = due.get();
    SavedJob saved = saves.save(command.queueName(), command.job(), command.key(), command.now());
    replace(
        before,
        new JobSchedule(
            before.queueName(),
            before.key(),
            before.jobName(),
            before.data(),
            before.options(),
            before.repeat(),
            command.nextAt(),
            before.fired() + 1,
            command.dueAt(),
            saved.id(),
            before.createdAt(),
            before.updatedAt()));
    return Optional.of(saved);
  }

  /** The order of names in lists: by code points, as in the other lists of the contracts. */
  static int byCodePoints(String one, String other) {
    return Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());
  }

  private void replace(@Nullable JobSchedule before, JobSchedule after) {
    all.remove(before);
    all.add(after);
  }

  private Stream<JobSchedule> in(String queueName) {
    return all.stream().filter(each -> each.queueName().equals(queueName));
  }
}
