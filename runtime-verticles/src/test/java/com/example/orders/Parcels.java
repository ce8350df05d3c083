package com.example.orders;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import java.util.List;

/** Packs and labels the parcels of an order in parallel; a retry repeats what failed, and only that. */
public final class Parcels {
  private final Warehouse warehouse;
  private final Task<Order> task;

  public Parcels(Warehouse warehouse) {
    this.warehouse = warehouse;
    task = Task.define("orders.send", Order.class)
        .retry(RetryPolicy.attempts(5))
        .handler((order, context) -> Future.join(
                order.parcels().stream().map(parcel -> send(context, parcel)).toList())
            .compose(sent -> context.step("close", () -> warehouse.close(order)))
            .map(closed -> TaskResult.done()));
  }

  private Future<String> send(TaskContext context, String parcel) {
    return context
        .step("pack " + parcel, String.class, () -> warehouse.pack(parcel))
        .compose(box -> context.step("label " + parcel, String.class, () -> warehouse.label(box)));
  }

  public Task<Order> task() {
    return task;
  }

  /** What is to be sent. */
  public record Order(List<String> parcels) {}

  /** The service around it. */
  public interface Warehouse {
    Future<String> pack(String parcel);

    Future<String> label(String box);

    Future<Void> close(Order order);
  }
}
