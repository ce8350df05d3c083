package dev.runlane.jobs.memory;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.JobTransitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One stored job with what is not read with it. Its job is replaced by {@link QueueJobs#put} alone. */
final class JobRow {
  final long serial;
  final long position;
  JobData job;
  boolean countedForParent;

  private List<LogLine> lines = new ArrayList<>();
  private List<AttemptRecord> attempts = List.of();
  private List<String> stacks = List.of();

  /** Inserted as number {@code serial}; one that goes to the front has a place before all others. */
  JobRow(JobData job, long serial) {
    this.job = job;
    this.serial = serial;
    this.position = job.options().isLifo() ? -serial : serial;
  }

  /** The end of a terminal job; the end of time for one of which nobody has said when it ended. */
  Instant endedAt() {
    Instant end = job.state() == JobState.COMPLETED ? job.completedAt() : job.failedAt();
    return Objects.requireNonNullElse(end, Instant.MAX);
  }

  boolean hasEnd() {
    return (job.state() == JobState.COMPLETED ? job.completedAt() : job.failedAt()) != null;
  }

  /** The job with all that is kept of it. */
  JobData full() {
    return job.toBuilder()
        .logs(logs())
        .stacktrace(stacks)
        .attemptLogs(attempts())
        .build();
  }

  List<String> logs() {
    return lines.stream().map(LogLine::text).toList();
  }

  List<AttemptRecord> attempts() {
    List<AttemptRecord> all =
        new ArrayList<>(attempts.stream().map(this::withLines).toList());
    JobTransitions.attemptInJob(job, attempts).ifPresent(last -> all.add(withLines(last)));
    return JobTransitions.newest(all, JobData.MOST_ATTEMPTS_KEPT);
  }

  /** Records a completion that only the job records, before the job is changed. */
  void keepCompletion() {
    if (job.state() == JobState.COMPLETED) {
      JobTransitions.attemptInJob(job, attempts).ifPresent(this::addAttempt);
    }
  }

  void addLine(String text) {
    lines.add(new LogLine(job.startedAttempts(), text));
    if (lines.size() > JobData.MOST_LOG_LINES) {
      lines.remove(0);
    }
  }

  void setLogs(List<String> texts) {
    lines = new ArrayList<>(JobTransitions.newest(texts, JobData.MOST_LOG_LINES).stream()
        .map(text -> new LogLine(job.startedAttempts(), text))
        .toList());
  }

  void clearLogs() {
    lines.clear();
    attempts = attempts.stream().map(each -> each.withLogs(List.of())).toList();
  }

  void addAttempt(AttemptRecord attempt) {
    attempts = JobTransitions.appended(attempts, attempt, JobData.MOST_ATTEMPTS_KEPT);
    if (attempt.stacktrace() != null) {
      stacks = JobTransitions.appended(stacks, attempt.stacktrace(), JobData.MOST_ATTEMPTS_KEPT);
    }
  }

  void setAttempts(List<AttemptRecord> records) {
    attempts = JobTransitions.newest(records, JobData.MOST_ATTEMPTS_KEPT);
  }

  void setStacks(List<String> texts) {
    stacks = JobTransitions.newest(texts, JobData.MOST_ATTEMPTS_KEPT);
  }

  private AttemptRecord withLines(AttemptRecord attempt) {
    return attempt.logs().isEmpty()
        ? attempt.withLogs(lines.stream()
            .filter(line -> line.attempt() == attempt.attempt())
            .map(LogLine::text)
            .toList())
        : attempt;
  }

  /** A line and the hand-out in which it was written; null text never occurs. */
  private record LogLine(int attempt, String text) {}

  /** Whether this is a child that its parent still counts as open. */
  boolean isOpenChild() {
    @Nullable String parent = job.parentId();
    return parent != null && !job.state().isTerminal() && !countedForParent;
  }
}
