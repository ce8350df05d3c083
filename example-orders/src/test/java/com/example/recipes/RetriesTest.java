package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class RetriesTest {
  private int answersBusy;

  private final Task<String> charge = Task.define("cards.charge", String.class)
      .retry(RetryPolicy.attempts(6)
          .backoff(
              Backoff.exponential(Duration.ofSeconds(10), Duration.ofHours(1)).withJitter(0.2)))
      .handler((card, context) -> bank(card).map(TaskResult::done).recover(failure -> {
        if (failure instanceof CardRefused refused) { // no retry will change its mind
          return Future.failedFuture(RunlaneException.of(
                  ErrorCode.TASK_FAILED, "the bank refuses the card: %s", refused.reason)
              .asNotRetryable());
        }
        return Future.failedFuture(failure); // counts as a failure, and is tried again
      }));

  private final Task<String> poll = Task.define("reports.fetch", String.class)
      .handler((report, context) -> isReady(report)
          .map(ready -> ready
              ? TaskResult.done()
              : context.release(
                  Duration.ofMinutes(10), "not_ready_yet"))); // no failure, no retry used

  private Future<String> bank(String card) {
    return card.equals("stolen")
        ? Future.failedFuture(new CardRefused("reported stolen"))
        : Future.succeededFuture("receipt");
  }

  private Future<Boolean> isReady(String report) {
    return Future.succeededFuture(answersBusy-- <= 0);
  }

  @Test
  void what_may_go_away_is_tried_again(RunlaneTesting testing) {
    testing.deploy(charge);
    testing.faults().failAttempts("cards.charge", 3);

    TestRun run = testing.trigger(charge, "4711");
    testing.advance(Duration.ofMinutes(2));

    assertThat(run).succeeded().afterFailures(3).afterAttempts(4);
  }

  @Test
  void what_cannot_go_away_ends_the_run(RunlaneTesting testing) {
    testing.deploy(charge);

    TestRun run = testing.trigger(charge, "stolen");
    testing.runUntilIdle();

    assertThat(run).failed().afterAttempts(1).hasFailureContaining("reported stolen");
  }

  @Test
  void waiting_for_somebody_is_no_failure(RunlaneTesting testing) {
    answersBusy = 2;
    testing.deploy(poll);

    TestRun run = testing.trigger(poll, "march");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(3).afterFailures(0).waited(Duration.ofMinutes(20));
  }

  private static final class CardRefused extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;

    private CardRefused(String reason) {
      this.reason = reason;
    }
  }
}
