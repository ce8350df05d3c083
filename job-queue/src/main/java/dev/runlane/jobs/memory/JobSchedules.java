package dev.runlane.jobs.memory;

import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Named schedules. */
final class JobSchedules {
  private final JobSaves saves;
  private final SortedMap<String, SortedMap<String, JobSchedule>> queues = new TreeMap<>();

  JobSchedules(JobSaves saves) {
    this.saves = saves;
  }

  JobSchedule upsert(UpsertSchedule command) {
    SortedMap<String, JobSchedule> queue =
        queues.computeIfAbsent(command.queueName(), name -> new TreeMap<>());
    JobSchedule before = queue.get(command.key());
    JobSchedule same = before != null && before.repeat().equals(command.repeat()) ? before : null;
    JobSchedule after = new JobSchedule(
        command.queueName(),
        command.key(),
        command.jobName(),
        command.data(),
        command.options(),
        command.repeat(),
        same != null ? same.nextAt() : command.nextAt(),
        same != null ? same.fired() : 0,
        before == null ? null : before.lastFiredAt(),
        before == null ? null : before.lastJobId(),
        before == null ? command.now() : before.createdAt(),
        command.now());
    queue.put(command.key(), after);
    return after;
  }

  Optional<JobSchedule> find(String queueName, String key) {
    return Optional.ofNullable(queues.getOrDefault(queueName, new TreeMap<>()).get(key));
  }

  List<JobSchedule> list(String queueName) {
    return of(queueName)
        .sorted(Comparator.comparing(JobSchedule::key, JobTable.BY_CODE_POINTS))
        .toList();
  }

  boolean remove(String queueName, String key) {
    return queues.getOrDefault(queueName, new TreeMap<>()).remove(key) != null;
  }

  void forget(String queueName) {
    queues.remove(queueName);
  }

  List<JobSchedule> due(String queueName, Instant now, int limit) {
    return byFire(queueName)
        .filter(each -> !fireOf(each).isAfter(now))
        .limit(limit)
        .toList();
  }

  Optional<Instant> next(String queueName) {
    return byFire(queueName).map(JobSchedules::fireOf).findFirst();
  }

  Optional<SavedJob> fire(FireSchedule command) {
    return find(command.queueName(), command.key())
        .filter(each -> command.dueAt().equals(each.nextAt()))
        .filter(each -> command.repeat().equals(each.repeat()))
        .map(each -> fired(each, command));
  }

  private SavedJob fired(JobSchedule schedule, FireSchedule command) {
    SavedJob saved = saves.save(command.queueName(), command.job(), command.key(), command.now());
    JobSchedule after = new JobSchedule(
        schedule.queueName(),
        schedule.key(),
        schedule.jobName(),
        schedule.data(),
        schedule.options(),
        schedule.repeat(),
        command.nextAt(),
        schedule.fired() + 1,
        command.dueAt(),
        saved.id(),
        schedule.createdAt(),
        schedule.updatedAt());
    Objects.requireNonNull(queues.get(command.queueName())).put(command.key(), after);
    return saved;
  }

  private Stream<JobSchedule> of(String queueName) {
    return queues.getOrDefault(queueName, new TreeMap<>()).values().stream();
  }

  private Stream<JobSchedule> byFire(String queueName) {
    return of(queueName)
        .filter(each -> each.nextAt() != null)
        .sorted(Comparator.comparing(JobSchedules::fireOf));
  }

  private static Instant fireOf(JobSchedule schedule) {
    @Nullable Instant next = schedule.nextAt();
    return Objects.requireNonNull(next);
  }
}
