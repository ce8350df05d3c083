package com.example.orders;

import static dev.runlane.testing.RunlaneAssertions.assertReplays;
import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import dev.runlane.testing.history.RunHistory;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class SubscriptionTest {
  private static final RemoteStep<String> INVOICE = RemoteStep.of("invoice", String.class)
      .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMinutes(5)));

  private final List<String> charged = new ArrayList<>();
  private RunlaneTesting testing;

  private final Task<String> subscribe = Task.define("subscribe", String.class)
      .idempotencyKey(customer -> customer)
      .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofHours(1)))
      .handler((customer, context) -> context
          .step("welcome", () -> Future.succeededFuture())
          .compose(welcomed -> context.sleep(Duration.ofDays(30)))
          .compose(trialOver -> context.step(Step.of("charge", String.class), () -> {
            charged.add(customer);
            return Future.succeededFuture("receipt of " + customer);
          }))
          .compose(receipt -> context.remote(INVOICE, receipt))
          .map(TaskResult::done));

  @BeforeEach
  void deploy(RunlaneTesting testing) {
    this.testing = testing
        .serve(
            "invoice",
            request -> Future.succeededFuture("invoice for " + request.input(String.class)))
        .deploy(subscribe);
  }

  @Test
  void the_trial_lasts_thirty_days() {
    TestRun run = testing.trigger(subscribe, "ada");
    testing.advance(Duration.ofDays(29));
    assertThat(charged).isEmpty();
    assertThat(run).isWaiting().completedSteps("welcome");

    testing.advance(Duration.ofDays(1).plusSeconds(1));

    assertThat(run)
        .succeeded()
        .completedSteps("welcome", "charge", "invoice")
        .hasOutput("invoice for receipt of ada");
  }

  @Test
  void a_charge_that_fails_twice_is_made_once() {
    testing.faults().failStep("charge", 2);

    TestRun run = testing.trigger(subscribe, "ada");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterFailures(2);
    assertThat(charged).containsExactly("ada");
  }

  @Test
  void an_invoice_is_asked_for_again() {
    testing.serve(
        "invoice",
        request -> request.attempt() < 3
            ? Future.failedFuture("the printer is out of paper")
            : Future.succeededFuture("printed"));

    TestRun run = testing.trigger(subscribe, "ada");
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("printed");
  }

  @Test
  void a_crash_between_two_steps_charges_nobody_twice() {
    TestRun run = testing.trigger(subscribe, "ada");
    testing.advance(Duration.ofDays(10));

    testing.kill();
    testing.advance(Duration.ofDays(10)); // nobody is there
    testing.deploy(subscribe);
    testing.runUntilIdle();

    assertThat(run).succeeded().endedAt(Instant.parse("2026-01-31T12:00:00Z"));
    assertThat(charged).containsExactly("ada");
  }

  @Test
  void a_reply_that_is_lost_changes_nothing() {
    TestRun run = testing.trigger(subscribe, "ada");
    testing.advance(Duration.ofDays(29));

    testing.faults().loseReply("appendRunEvents");
    testing.runUntilIdle();

    assertThat(run).succeeded();
    assertThat(charged).containsExactly("ada");
  }

  @Test
  void a_customer_subscribes_once() {
    TestRun first = testing.trigger(subscribe, "ada");
    TestRun second = testing.trigger(subscribe, "ada");

    assertThat(second).isEqualTo(first);
    assertThat(testing.runs(subscribe)).hasSize(1);
  }

  @Test
  void who_cancels_in_the_trial_is_not_charged() {
    TestRun run = testing.trigger(subscribe, "ada");
    testing.advance(Duration.ofDays(29));

    run.cancel("changed their mind");
    testing.runUntilIdle();

    assertThat(run).cancelled();
    assertThat(charged).isEmpty();
  }

  @Test
  void reports_are_made_one_at_a_time_each_night() {
    Task<Void> report = Task.define("report", Void.class)
        .queue(TaskQueue.of("reports").concurrencyLimit(1))
        .schedule(Schedule.cron("sales", "0 2 * * *"))
        .schedule(Schedule.cron("stock", "0 2 * * *"))
        .handler((none, context) ->
            testing.timers().after(Duration.ofMinutes(20)).map(TaskResult.done()));
    testing.deploy(report);

    testing.advance(Duration.ofHours(14).plusMinutes(30)); // half past two at night

    assertThat(testing.runs(report))
        .extracting(TestRun::status)
        .containsExactlyInAnyOrder(RunStatus.SUCCEEDED, RunStatus.RUNNING);
  }

  @Test
  void a_mail_that_bounces_is_sent_again() {
    testing
        .jobs()
        .jobs()
        .worker(
            "mail",
            (job, signal) -> Future.succeededFuture(JobResult.done("sent at " + testing.now())));
    Job job = testing.result(testing.jobs().jobs().queue("mail").add("welcome", "ada"));

    testing.advance(Duration.ofSeconds(1));

    assertThat(job).succeeded().afterAttempts(1);
  }

  @Test
  void todays_code_goes_on_with_yesterdays_runs(@TempDir Path folder) throws Exception {
    TestRun inTrial = testing.trigger(subscribe, "ada");
    testing.advance(Duration.ofDays(3));
    Path recorded =
        Files.writeString(folder.resolve("ada.json"), inTrial.history().toJson());

    assertReplays(RunHistory.read(recorded), subscribe);
  }
}
