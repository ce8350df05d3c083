package com.example.orders;

import dev.runlane.lane.Lane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Function;

/** What charging an order is, for the shop that triggers it and for the payment service that does it. */
public final class Charging {
  public static final TaskQueue PAYMENTS = TaskQueue.of("payments").concurrencyLimit(10);

  public static final TaskDescription<Order> CHARGE = Task.define("orders.charge", Order.class)
      .queue(PAYMENTS)
      .idempotencyKey(Order::id)
      .retry(RetryPolicy.attempts(5))
      .description();

  private Charging() {}

  /** The shop's runtime, which knows no payment provider. */
  public static Runlane shop(Vertx vertx, Lane lane) {
    return Runlane.builder(vertx, lane).queue(PAYMENTS).task(CHARGE).build();
  }

  /** The payment service's. */
  public static Runlane payments(Vertx vertx, Lane lane, Function<Order, Future<String>> provider) {
    return Runlane.builder(vertx, lane)
        .queue(PAYMENTS)
        .task(CHARGE.handler((order, context) -> provider.apply(order).map(TaskResult::done)))
        .build();
  }

  /** What is charged. */
  public record Order(String id, int cents) {}
}
