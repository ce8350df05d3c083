package dev.runlane.jobs.memory;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes fields of jobs. */
final class JobUpdates {
  private final JobTable table;
  private final JobMetrics metrics;

  JobUpdates(JobTable table, JobMetrics metrics) {
    this.table = table;
    this.metrics = metrics;
  }

  void update(String queueName, String jobId, JobUpdate updates) {
    table.find(queueName, jobId).ifPresent(row -> write(row, updates));
  }

  void update(String queueName, String jobId, JobUpdate updates, List<JobState> expected) {
    Optional<JobRow> row = table.find(queueName, jobId);
    if (row.filter(found -> expected.contains(found.job.state())).isEmpty()) {
      throw wrongState(jobId, row.map(found -> found.job.state().value()), expected);
    }
    row.ifPresent(found -> write(found, updates));
  }

  /** What is kept beside the row. */
  static void writeLists(JobRow row, JobUpdate updates) {
    if (updates.get(JobUpdate.Field.LOGS) instanceof List<?> logs) {
      row.setLogs(logs.stream().map(String.class::cast).toList());
    }
    if (updates.get(JobUpdate.Field.STACKTRACE) instanceof List<?> stacks) {
      row.setStacks(stacks.stream().map(String.class::cast).toList());
    }
    if (updates.get(JobUpdate.Field.ATTEMPT_LOGS) instanceof List<?> attempts) {
      row.setAttempts(attempts.stream().map(AttemptRecord.class::cast).toList());
    }
    row.job = withoutLists(row.job);
  }

  void write(JobRow row, JobUpdate updates) {
    row.keepCompletion();
    table.put(row, withoutLists(updates.applyTo(row.job)));
    writeLists(row, updates);
    JobState state = updates.stateOrNull();
    if (state != null && state.isTerminal()) {
      metrics.count(row.job);
    }
  }

  private static JobData withoutLists(JobData job) {
    return job.toBuilder()
        .logs(List.of())
        .stacktrace(List.of())
        .attemptLogs(List.of())
        .build();
  }

  private static RunlaneException wrongState(
      String jobId, Optional<String> state, List<JobState> expected) {
    String found = state.orElse("unknown");
    String wanted = expected.stream().map(JobState::value).collect(Collectors.joining(","));
    return RunlaneException.conflict(
            StorageConflictKind.JOB_STATE, "job %s is %s, not %s", jobId, found, wanted)
        .withMeta("jobId", Objects.requireNonNull(jobId))
        .withMeta("currentState", found)
        .withMeta("expectedStates", wanted);
  }
}
