package com.example.orders;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
class ChargeTest {
  record Order(String id, long cents) {}

  private final Task<Order> charge = Task.define("orders.charge", Order.class)
      .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofHours(1)))
      .handler((order, context) -> pay(order, context.attempt()));

  @Test
  void a_declined_card_is_tried_again_after_an_hour(RunlaneTesting testing) {
    testing.deploy(charge);

    TestRun run = testing.trigger(charge, new Order("o1", 500));
    testing.runUntilIdle();

    assertThat(run)
        .succeeded()
        .afterAttempts(2)
        .waited(Duration.ofHours(1))
        .hasOutput("receipt o1");
  }

  private Future<TaskResult> pay(Order order, int attempt) {
    return attempt == 1
        ? Future.failedFuture("the card was declined")
        : Future.succeededFuture(TaskResult.done("receipt " + order.id()));
  }
}
