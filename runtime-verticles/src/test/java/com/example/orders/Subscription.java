package com.example.orders;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import java.time.Duration;

/** Charges a customer, waits for the trial to end, and ships: one run, whatever crashes meanwhile. */
public final class Subscription {
  private static final Step<Receipt> CHARGE =
      Step.of("charge", Receipt.class).retry(RetryPolicy.attempts(3));

  private final Task<Customer> task;

  public Subscription(Duration trial, Payments payments) {
    task = Task.define("subscriptions.begin", Customer.class)
        .retry(RetryPolicy.attempts(5))
        .handler((customer, context) -> context
            .step(CHARGE, () -> payments.charge(customer))
            .compose(receipt -> context
                .sleep(trial) // a month without a thread, a connection or a lease
                .compose(over -> context.step("ship", String.class, () -> payments.ship(receipt))))
            .map(TaskResult::done));
  }

  public Task<Customer> task() {
    return task;
  }

  /** Who subscribes. */
  public record Customer(String id) {}

  /** What a charge answers; recorded as JSON. */
  public record Receipt(String number) {}

  /** The services around it. */
  public interface Payments {
    Future<Receipt> charge(Customer customer);

    Future<String> ship(Receipt receipt);
  }
}
