package dev.runlane.drills.jobs;

import dev.runlane.drills.jobs.JobHistory.Call;
import dev.runlane.drills.jobs.JobHistory.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes histories of jobs that may never have happened. */
final class JobForgery {
  static final String QUEUE = "queue";
  static final String WORKER = "worker";

  private final List<Step> steps = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final Map<String, Step> last = new HashMap<>();
  private Instant now = Instant.parse("2026-03-04T12:00:00Z");
  private long number;

  JobHistory history() {
    return new JobHistory(List.copyOf(steps), List.copyOf(calls));
  }

  JobForgery after(Duration time) {
    now = now.plus(time);
    return this;
  }

  /** A job that waits, behind all before. */
  JobForgery added(String job, String group) {
    return put(new Step(
        ++number, now, QUEUE, job, group, number, null, "waiting", 0, 0, 0, null, null, null,
        null));
  }

  /** Hands a job out under a token of its own. */
  JobForgery handedOut(String job) {
    int started = last.get(job).startedAttempts() + 1;
    return change(job, "active", 0, started, 0, job + "-" + started, null);
  }

  /** The handler does its work in the present hand-out. */
  JobForgery worked(String job) {
    return called(job, WORKER, false).called(job, WORKER, true);
  }

  JobForgery called(String job, String worker, boolean ended) {
    calls.add(new Call(++number, QUEUE, job, last.get(job).startedAttempts(), worker, ended));
    return this;
  }

  JobForgery completed(String job) {
    Step step = last.get(job);
    return change(
        job,
        "completed",
        0,
        step.startedAttempts(),
        0,
        step.token(),
        Integer.toString(step.startedAttempts()));
  }

  JobForgery completed(String job, @Nullable String token, String returnvalue) {
    return change(job, "completed", 0, last.get(job).startedAttempts(), 0, token, returnvalue);
  }

  JobForgery failed(String job, String state) {
    return change(
        job, state, 1, last.get(job).startedAttempts(), 0, last.get(job).token(), null);
  }

  JobForgery lost(String job) {
    return change(
        job, "waiting", 0, last.get(job).startedAttempts(), 1, last.get(job).token(), null);
  }

  JobForgery snoozed(String job) {
    return change(
        job, "waiting", 0, last.get(job).startedAttempts(), 0, last.get(job).token(), null);
  }

  /** From whatever state to this one, counting so much more. */
  JobForgery change(
      String job,
      String state,
      int failures,
      int startedAttempts,
      int stalls,
      @Nullable String token,
      @Nullable String returnvalue) {
    Step before = last.get(job);
    return put(new Step(
        ++number,
        now,
        QUEUE,
        job,
        before.group(),
        before.place(),
        before.became(),
        state,
        before.attemptsMade() + failures,
        startedAttempts,
        before.stalls() + stalls,
        WORKER,
        token,
        now,
        returnvalue));
  }

  private JobForgery put(Step step) {
    steps.add(step);
    last.put(step.jobId(), step);
    return this;
  }
}
