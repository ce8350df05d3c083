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
import dev.runlane.timing.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class DbSchedulerTest {
  record Reminder(String customer) {}

  private final List<String> done = new ArrayList<>();

  // Tasks.recurring("cleanup", FixedDelay.ofHours(1)).execute(…)
  private final Task<Void> cleanup = Task.define("cleanup", Void.class)
      .schedule(Schedule.every("hourly", Duration.ofHours(1)))
      .blockingHandler((none, context) -> {
        done.add("cleanup");
        return TaskResult.done();
      });

  // Tasks.oneTime("remind", Reminder.class).onFailure(…, 3 retries).execute(…)
  private final Task<Reminder> remind = Task.define("remind", Reminder.class)
      .idempotencyKey(Reminder::customer) // was the task's instance id
      .retry(RetryPolicy.attempts(4)
          .backoff(Backoff.exponential(Duration.ofMinutes(1), Duration.ofHours(1))))
      .blockingHandler((reminder, context) -> {
        done.add(reminder.customer());
        return TaskResult.done();
      });

  @Test
  void a_reminder_is_sent_in_three_days_whatever_fails(RunlaneTesting testing) {
    testing.deploy(cleanup, remind);
    testing.faults().failAttempts("remind", 3);

    // scheduler.schedule(remind.instance("ada").data(…).scheduledTo(now.plus(3 days)))
    TestRun run = testing.trigger(
        remind, new Reminder("ada"), new TriggerOptions().setDelay(Duration.ofDays(3)));
    testing.advance(Duration.ofDays(4).plusMinutes(1));

    assertThat(run).succeeded().afterFailures(3);
    assertThat(done).contains("ada").filteredOn("cleanup"::equals).hasSize(96);
  }
}
