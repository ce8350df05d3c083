package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
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
class IdempotencyTest {
  record Payment(String order, long cents) {}

  private final List<String> asked = new ArrayList<>();

  private final Task<Payment> pay = Task.define("orders.pay", Payment.class)
      .idempotencyKey(Payment::order, IdempotencyTtl.of(Duration.ofDays(90)))
      .refuseOtherPayload() // the same order with another amount is a mistake of the caller
      .handler((payment, context) -> context
          .step(
              "charge",
              String.class,
              () -> provider(payment.order() + "-charge", payment)) // the provider's own key
          .map(TaskResult::done));

  private final Task<Void> reindex = Task.define("search.reindex", Void.class)
      .singletonKey(none -> "all") // one at a time; the next may start when it has ended
      .handler((none, context) -> context.sleep(Duration.ofHours(1)).map(TaskResult.done()));

  private Future<String> provider(String key, Payment payment) {
    if (!asked.contains(key)) {
      asked.add(key);
    }
    return Future.succeededFuture("receipt for " + payment.order());
  }

  @Test
  void the_same_key_is_one_run(RunlaneTesting testing) {
    testing.deploy(pay);

    TriggerResult first = testing.result(testing.runlane().trigger(pay, new Payment("o1", 500)));
    TriggerResult second = testing.result(testing.runlane().trigger(pay, new Payment("o1", 500)));

    assertThat(first.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(second.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(second.run().id()).isEqualTo(first.run().id());
    Future<TriggerResult> other = testing.runlane().trigger(pay, new Payment("o1", 900));
    testing.runUntilIdle();
    assertThat(other.failed()).isTrue();
    assertThat(asked).hasSize(1);
  }

  @Test
  void one_import_at_a_time(RunlaneTesting testing) {
    testing.deploy(reindex);

    TriggerResult first = testing.result(testing.runlane().trigger(reindex, null));
    TriggerResult second = testing.result(testing.runlane().trigger(reindex, null));
    testing.runUntilIdle();
    TriggerResult third = testing.result(
        testing.runlane().trigger(reindex, null, new TriggerOptions().setSingletonKey("all")));

    assertThat(second.outcome()).isEqualTo(TriggerOutcome.SINGLETON_EXISTING);
    assertThat(third.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(third.run().id()).isNotEqualTo(first.run().id());
  }
}
