package dev.runlane.drills.jobs;

import dev.runlane.drills.process.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What happened to the jobs of a drill.
 *
 * @param steps the changes of their rows, in order
 * @param calls of their handlers, in order
 */
record JobHistory(List<Step> steps, List<Call> calls) {
  private static final String STEPS = """
      SELECT number, at, queue, job_id, group_id, place, was, became, attempts_made, started_attempts, stalls, worker,
        token, processed_at, returnvalue
      FROM {schema}.drill_job_steps ORDER BY number
      """;
  private static final String CALLS =
      "SELECT number, queue, job_id, attempt, worker, ended FROM {schema}.drill_job_calls ORDER BY number";

  /** Reads all that was written down in a schema. */
  static JobHistory read(Database database, String schema) {
    List<Step> steps = database.rows(
        STEPS.replace("{schema}", schema),
        row -> new Step(
            row.getLong(1),
            row.getTimestamp(2).toInstant(),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getLong(6),
            row.getString(7),
            row.getString(8),
            row.getInt(9),
            row.getInt(10),
            row.getInt(11),
            row.getString(12),
            row.getString(13),
            Optional.ofNullable(row.getTimestamp(14))
                .map(time -> time.toInstant())
                .orElse(null),
            row.getString(15)));
    List<Call> calls = database.rows(
        CALLS.replace("{schema}", schema),
        row -> new Call(
            row.getLong(1),
            row.getString(2),
            row.getString(3),
            row.getInt(4),
            row.getString(5),
            row.getBoolean(6)));
    return new JobHistory(steps, calls);
  }

  /** The same without the jobs of one queue. */
  JobHistory without(String queue) {
    return new JobHistory(
        steps.stream().filter(step -> !step.queue().equals(queue)).toList(),
        calls.stream().filter(call -> !call.queue().equals(queue)).toList());
  }

  /** What happened to one job alone. */
  JobHistory ofJob(String jobId) {
    return new JobHistory(
        steps.stream().filter(step -> step.jobId().equals(jobId)).toList(),
        calls.stream().filter(call -> call.jobId().equals(jobId)).toList());
  }

  /**
   * By job, how often it waits again with nothing counted: it was fetched too late to be worked on, so that no handler
   * saw it, or so long before that its worker took its lock for lost, which counts no failure of its handler.
   *
   * @param most how long a lock is not taken for lost
   */
  Map<String, Integer> handBacks(Duration most) {
    Set<List<Object>> called = calls.stream()
        .map(call -> List.<Object>of(call.jobId(), call.attempt()))
        .collect(Collectors.toSet());
    Map<String, Step> begun = new HashMap<>();
    Map<String, Integer> handBacks = new HashMap<>();
    for (Step step : steps) {
      Step handOut = step.isHandOut() ? begun.put(step.jobId(), step) : begun.remove(step.jobId());
      if (handOut != null
          && step.returns(handOut)
          && (!called.contains(List.<Object>of(step.jobId(), handOut.startedAttempts()))
              || step.at().isAfter(handOut.at().plus(most)))) {
        handBacks.merge(step.jobId(), 1, Integer::sum);
      }
    }
    return handBacks;
  }

  /**
   * A change of a job's row.
   *
   * @param number its place among all that happened
   * @param at the database's time
   * @param queue the queue
   * @param jobId the job
   * @param group its group, or null
   * @param place where it stands among those of its queue
   * @param was the state before, or null where it was added
   * @param became the state after, or null where it was removed
   * @param attemptsMade afterwards
   * @param startedAttempts afterwards
   * @param stalls afterwards
   * @param worker who has or had the lock, or null
   * @param token the hand-out's, or null
   * @param processedAt when it was handed out by the worker's clock, or null
   * @param returnvalue what its handler returned, or null
   */
  record Step(
      long number,
      Instant at,
      String queue,
      String jobId,
      @Nullable String group,
      long place,
      @Nullable String was,
      @Nullable String became,
      int attemptsMade,
      int startedAttempts,
      int stalls,
      @Nullable String worker,
      @Nullable String token,
      @Nullable Instant processedAt,
      @Nullable String returnvalue) {
    boolean isHandOut() {
      return "active".equals(became);
    }

    boolean endsHandOut() {
      return "active".equals(was);
    }

    /** Whether the job waits again, with nothing counted since it was handed out. */
    boolean returns(Step handOut) {
      return ("waiting".equals(became) || "delayed".equals(became))
          && attemptsMade == handOut.attemptsMade
          && stalls == handOut.stalls;
    }

    /** Whether the job has ended here, by its removal perhaps. */
    boolean isEnd() {
      return isTerminal(became) || became == null && !isTerminal(was);
    }

    private static boolean isTerminal(@Nullable String state) {
      return "completed".equals(state) || "failed".equals(state);
    }
  }

  /**
   * The begin or the end of a handler's work.
   *
   * @param number its place among all that happened
   * @param queue the queue
   * @param jobId the job
   * @param attempt the number of the hand-out
   * @param worker who called
   * @param ended whether the handler had done its work
   */
  record Call(long number, String queue, String jobId, int attempt, String worker, boolean ended) {}
}
