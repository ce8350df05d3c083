package com.example.mutiny;

import static dev.runlane.mutiny.RunlaneMutiny.future;
import static dev.runlane.mutiny.RunlaneMutiny.uni;

import dev.runlane.mutiny.RunlaneMutiny;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.smallrye.mutiny.Uni;
import java.util.function.Function;

public class Orders {
  public record Order(String id, long cents) {}

  public record Receipt(String number) {}

  private final Task<Order> charge;

  public Orders(Function<Order, Uni<Receipt>> payments) {
    charge = RunlaneMutiny.task(
        Task.define("orders.charge", Order.class).retry(RetryPolicy.attempts(5)).description(),
        (order, context) -> uni(() ->
                context.step("pay", Receipt.class, () -> future(payments.apply(order))))
            .map(TaskResult::done));
  }

  public Task<Order> charge() {
    return charge;
  }
}
