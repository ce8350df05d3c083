package com.example.rxjava3;

import static dev.runlane.rxjava3.RunlaneRx.future;
import static dev.runlane.rxjava3.RunlaneRx.single;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.rxjava3.RunlaneRx;
import io.reactivex.rxjava3.core.Single;
import java.util.function.Function;

public class Orders {
  public record Order(String id, long cents) {}

  public record Receipt(String number) {}

  private final Task<Order> charge;

  public Orders(Function<Order, Single<Receipt>> payments) {
    charge = RunlaneRx.task(
        Task.define("orders.charge", Order.class).retry(RetryPolicy.attempts(5)).description(),
        (order, context) -> single(
                () -> context.step("pay", Receipt.class, () -> future(payments.apply(order))))
            .map(TaskResult::done));
  }

  public Task<Order> charge() {
    return charge;
  }
}
