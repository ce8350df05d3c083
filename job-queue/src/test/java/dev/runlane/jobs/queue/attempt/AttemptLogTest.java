package dev.runlane.jobs.queue.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AttemptLogTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  private static final JobData SECOND = JobData.builder(
          "job_7",
          "mails",
          "send",
          Json.ofChecked("{\"secret\":1}"),
          JobState.ACTIVE,
          JobOptions.builder().attempts(5).build(),
          NOON)
      .attemptsMade(1)
      .stalls(1)
      .lockedBy("worker-1")
      .build();

  private final List<String> lines = new ArrayList<>();
  private final Logger log = (Logger) Proxy.newProxyInstance(
      Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
        lines.add(method.getName() + " "
            + MessageFormatter.arrayFormat((String) arguments[0], (Object[]) arguments[1])
                .getMessage());
        return null;
      });

  @Test
  void a_retry_is_one_line_with_when_it_goes_on() {
    AttemptLog.ended(
        log,
        SECOND,
        new Outcomes.Decision(
            new JobOutcome.Retry(NOON.plusSeconds(8), "secret words", "stack"),
            new IOException("secret words")),
        JobResult.failed(new IOException("secret words")),
        change(JobState.DELAYED, false));

    assertThat(lines)
        .containsExactly(
            "info job job_7 (send) of queue mails failed, attempt 2 of 5, and goes on at"
                + " 2026-03-04T12:00:08Z: task_failed (java.io.IOException)");
  }

  @Test
  void a_failure_for_good_is_one_line_with_its_code() {
    AttemptLog.ended(
        log,
        SECOND,
        new Outcomes.Decision(
            new JobOutcome.Failed("secret words", "stack"),
            RunlaneException.validationFailed("no")),
        JobResult.failed(RunlaneException.validationFailed("no")),
        change(JobState.FAILED, false));

    assertThat(lines)
        .containsExactly(
            "warn job job_7 (send) of queue mails failed for good, attempt 2 of 5: validation_failed");
  }

  @Test
  void a_loss_is_one_line() {
    AttemptLog.lost(log, SECOND, change(JobState.WAITING, false));
    AttemptLog.lost(log, SECOND, change(JobState.FAILED, false));

    assertThat(lines)
        .containsExactly(
            "info job job_7 (send) of queue mails was lost with its worker worker-1, loss 2 of 5 that are"
                + " allowed, and goes on now",
            "warn job job_7 (send) of queue mails failed for good: lost with its worker worker-1 2 times,"
                + " 5 are allowed");
  }

  @Test
  void what_is_no_failure_has_no_line() {
    AttemptLog.ended(
        log,
        SECOND,
        new Outcomes.Decision(new JobOutcome.Completed(null), null),
        JobResult.done(),
        change(JobState.COMPLETED, false));
    AttemptLog.ended(
        log,
        SECOND,
        new Outcomes.Decision(new JobOutcome.Snooze(NOON), null),
        JobResult.failed(new IOException()),
        change(JobState.WAITING, false));
    AttemptLog.ended(
        log,
        SECOND,
        new Outcomes.Decision(new JobOutcome.Cancelled(), null),
        JobResult.failed(new IOException()),
        change(JobState.FAILED, true));

    assertThat(lines).isEmpty();
  }

  private static JobChange change(JobState state, boolean cancelled) {
    return new JobChange("mails", "job_7", state, null, cancelled, false);
  }
}
