package com.example.comingfrom;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobRunrTest {
  private final List<String> sent = new ArrayList<>();

  // Class, method and arguments of the lambda become a task with an id and a payload.
  private final Task<String> welcome = Task.define("mail.welcome", String.class)
      .retry(RetryPolicy.attempts(11)) // JobRunr: 10 retries
      .blockingHandler((address, context) -> {
        sent.add("welcome " + address);
        return TaskResult.done();
      });

  // BackgroundJob.scheduleRecurrently("digest", Cron.daily(6), () -> service.digest())
  private final Task<Void> digest = Task.define("mail.digest", Void.class)
      .schedule(Schedule.cron("digest", "0 6 * * *"))
      .blockingHandler((none, context) -> {
        sent.add("digest");
        return TaskResult.done();
      });

  @Test
  void what_was_enqueued_scheduled_and_recurring(RunlaneTesting testing) {
    testing.deploy(welcome, digest);

    TestRun now = testing.trigger(welcome, "ada"); // BackgroundJob.enqueue(() -> …)
    TestRun later = testing.trigger( // BackgroundJob.schedule(now.plusHours(5), () -> …)
        welcome, "bob", new TriggerOptions().setDelay(Duration.ofHours(5)));
    testing.advance(Duration.ofDays(1));

    assertThat(now).succeeded();
    assertThat(later).succeeded().endedAt(Instant.parse("2026-01-01T17:00:00Z"));
    assertThat(sent).containsExactlyInAnyOrder("welcome ada", "welcome bob", "digest");
  }
}
