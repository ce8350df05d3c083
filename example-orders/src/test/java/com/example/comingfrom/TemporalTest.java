package com.example.comingfrom;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class TemporalTest {
  record Transfer(String from, String to, long cents) {}

  private final List<String> done = new ArrayList<>();

  // Activities with their RetryOptions become steps with theirs.
  private static final Step<String> WITHDRAW =
      Step.of("withdraw", String.class).retry(RetryPolicy.attempts(3));
  private static final Step<String> DEPOSIT =
      Step.of("deposit", String.class).retry(RetryPolicy.attempts(3));
  // A signal that a person sends becomes a remote step that is answered when they do.
  private static final RemoteStep<Boolean> APPROVAL =
      RemoteStep.of("approval", Boolean.class).deadline(Duration.ofDays(7));

  // The workflow's method becomes a blocking handler: the same shape, line by line.
  private final Task<Transfer> transfer = Task.define("transfer", Transfer.class)
      .retry(RetryPolicy.attempts(5))
      .blockingHandler((transfer, context) -> {
        if (transfer.cents() > 1_000_00 && !context.callRemote(APPROVAL, transfer)) {
          return TaskResult.done("refused");
        }
        context.callStep(WITHDRAW, () -> did("withdraw from " + transfer.from()));
        context.await(context.sleep(Duration.ofHours(1))); // Workflow.sleep
        try {
          context.callStep(DEPOSIT, () -> did("deposit to " + transfer.to()));
        } catch (RuntimeException failure) { // a saga: what undoes is a step too
          context.callStep(
              Step.of("give back", String.class), () -> did("deposit to " + transfer.from()));
          throw failure;
        }
        return TaskResult.done("transferred");
      });

  private String did(String what) {
    if (what.equals("deposit to closed")) {
      throw new IllegalStateException("the account is closed");
    }
    done.add(what);
    return what;
  }

  @Test
  void a_large_transfer_waits_for_somebody(RunlaneTesting testing) {
    testing.serve(APPROVAL, request -> Future.succeededFuture(true)).deploy(transfer);

    TestRun run = testing.trigger(transfer, new Transfer("ada", "bob", 5_000_00));
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("transferred");
    assertThat(done).containsExactly("withdraw from ada", "deposit to bob");
  }

  @Test
  void a_deposit_that_fails_for_good_is_undone(RunlaneTesting testing) {
    testing.deploy(transfer);

    TestRun run = testing.trigger(transfer, new Transfer("ada", "closed", 1));
    testing.advance(Duration.ofHours(2));

    assertThat(done).containsExactly("withdraw from ada", "deposit to ada");
    assertThat(run.record().counters().failures()).isPositive();
  }
}
