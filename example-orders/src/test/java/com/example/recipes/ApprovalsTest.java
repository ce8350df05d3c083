package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class ApprovalsTest {
  record Transfer(String id, long cents) {}

  private final Map<String, Boolean> answers = new HashMap<>(); // a table of the application's
  private RunlaneTesting testing;
  private int asked;

  private final Task<Transfer> transfer = Task.define("transfers.make", Transfer.class)
      .handler((transfer, context) -> context
          .step("ask", Instant.class, () -> ask(transfer)) // once; until when to wait
          .compose(until -> answer(transfer.id()).compose(answer -> {
            if (answer.isEmpty() && now().isBefore(until)) { // no failure: look again later
              return Future.succeededFuture(
                  context.release(Duration.ofHours(1), "waits_for_approval"));
            }
            return answer.orElse(false) // written once, so that each later call reads the same
                ? context.step("pay", String.class, () -> pay(transfer)).map(TaskResult::done)
                : Future.succeededFuture(TaskResult.done("refused"));
          })));

  private Future<Instant> ask(Transfer transfer) {
    asked++;
    return Future.succeededFuture(now().plus(Duration.ofDays(7)));
  }

  private Future<Optional<Boolean>> answer(String transfer) {
    return Future.succeededFuture(Optional.ofNullable(answers.get(transfer)));
  }

  private Future<String> pay(Transfer transfer) {
    return Future.succeededFuture("paid " + transfer.id());
  }

  private Instant now() {
    return testing.now();
  }

  @BeforeEach
  void deploy(RunlaneTesting testing) {
    this.testing = testing;
    testing.deploy(transfer);
  }

  @Test
  void a_run_goes_on_when_it_finds_the_answer() {
    TestRun run = testing.trigger(transfer, new Transfer("t1", 500));
    testing.advance(Duration.ofDays(3));
    assertThat(run).isWaiting().wasReleasedBecause("waits_for_approval");

    answers.put("t1", true);
    testing.advance(Duration.ofMinutes(61));

    assertThat(run).succeeded().afterFailures(0).hasOutput("paid t1");
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void nobody_answers_in_time() {
    TestRun run = testing.trigger(transfer, new Transfer("t2", 500));
    testing.advance(Duration.ofDays(8));

    assertThat(run).succeeded().hasOutput("refused");
  }
}
