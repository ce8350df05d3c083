package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.JobTransitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One job of the model, and what is read with it by few only. */
final class ModelJob {
  /** Where it stands among those of its priority: before all others, or behind. */
  final long place;

  JobData job;

  /** Whether its parent knows that it has ended. */
  boolean counted;

  /** Whether it has its key, which a later job may have taken from it. */
  boolean hasKey;

  private List<Line> lines = List.of();
  private List<AttemptRecord> records = List.of();
  private List<String> stacks = List.of();

  ModelJob(JobData job, long place) {
    this.job = job;
    this.place = place;
  }

  boolean isOpen() {
    return !job.state().isTerminal();
  }

  /** When it ended; empty where that was never said. */
  Optional<Instant> endedAt() {
    return Optional.ofNullable(
        job.state() == JobState.COMPLETED ? job.completedAt() : job.failedAt());
  }

  /** When it goes by its age, where it does. */
  Optional<Instant> expiresAt() {
    return Optional.ofNullable(job.options().removalAfter(job.state()))
        .flatMap(removal -> Optional.ofNullable(removal.age()))
        .flatMap(age -> endedAt().map(end -> end.plus(age)));
  }

  /** "A job stands for its key while it is open and its ttl, counted from its creation, is not past." */
  boolean standsFor(String key, Instant now) {
    JobDeduplication how = job.options().deduplication();
    boolean past =
        how != null && how.ttl() != null && now.isAfter(job.createdAt().plus(how.ttl()));
    return isOpen() && hasKey && key.equals(job.deduplicationKey()) && !past;
  }

  JobData full() {
    return job.toBuilder()
        .logs(logs())
        .stacktrace(stacks)
        .attemptLogs(attempts())
        .build();
  }

  List<String> logs() {
    return lines.stream().map(Line::text).toList();
  }

  /** "The last 20 hand-outs, oldest first, the running one included." */
  List<AttemptRecord> attempts() {
    List<AttemptRecord> all = new ArrayList<>(records);
    JobTransitions.attemptInJob(job, records).ifPresent(all::add);
    return JobTransitions.newest(
        all.stream().map(this::withItsLines).toList(), JobData.MOST_ATTEMPTS_KEPT);
  }

  void addLine(String text) {
    lines = JobTransitions.appended(
        lines, new Line(job.startedAttempts(), text), JobData.MOST_LOG_LINES);
  }

  void addRecord(AttemptRecord record) {
    records = JobTransitions.appended(records, record, JobData.MOST_ATTEMPTS_KEPT);
    String stack = record.stacktrace();
    if (stack != null) {
      stacks = JobTransitions.appended(stacks, stack, JobData.MOST_ATTEMPTS_KEPT);
    }
  }

  /** "Empties the log, also those of the hand-outs." */
  void clearLogs() {
    lines = List.of();
    records = records.stream().map(each -> each.withLogs(List.of())).toList();
  }

  void clearStacks() {
    stacks = List.of();
  }

  /** A completion that the job alone tells of, before the job forgets it. */
  void keepCompletion() {
    if (job.state() == JobState.COMPLETED) {
      JobTransitions.attemptInJob(job, records).ifPresent(this::addRecord);
    }
  }

  /**
   * The lists of an update. "Lines of log that are given replace all there are, and belong to the present hand-out."
   */
  void writeLists(JobUpdate update) {
    if (update.get(JobUpdate.Field.LOGS) instanceof List<?> logs) {
      lines = JobTransitions.newest(
          logs.stream()
              .map(text -> new Line(job.startedAttempts(), String.valueOf(text)))
              .toList(),
          JobData.MOST_LOG_LINES);
    }
    if (update.get(JobUpdate.Field.STACKTRACE) instanceof List<?> texts) {
      stacks = JobTransitions.newest(
          texts.stream().map(String::valueOf).toList(), JobData.MOST_ATTEMPTS_KEPT);
    }
    if (update.get(JobUpdate.Field.ATTEMPT_LOGS) instanceof List<?> given) {
      records = JobTransitions.newest(
          given.stream().map(AttemptRecord.class::cast).toList(), JobData.MOST_ATTEMPTS_KEPT);
    }
  }

  /** All of it, so that it can be put back. */
  ModelJob copy() {
    ModelJob copy = new ModelJob(job, place);
    copy.counted = counted;
    copy.hasKey = hasKey;
    copy.lines = lines;
    copy.records = records;
    copy.stacks = stacks;
    return copy;
  }

  private AttemptRecord withItsLines(AttemptRecord record) {
    return record.logs().isEmpty()
        ? record.withLogs(lines.stream()
            .filter(line -> line.attempt() == record.attempt())
            .map(Line::text)
            .toList())
        : record;
  }

  static JobData withoutLists(JobData job) {
    return job.toBuilder()
        .logs(List.of())
        .stacktrace(List.of())
        .attemptLogs(List.of())
        .build();
  }

  /** A line and the hand-out in which it was written. */
  private record Line(int attempt, String text) {}
}
