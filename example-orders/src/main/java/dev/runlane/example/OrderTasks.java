package dev.runlane.example;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What the shop does: charge an order, ship it, settle with the merchants every night. */
final class OrderTasks {
  /** The payment provider takes three calls at a time from each merchant. */
  private static final TaskQueue PAYMENTS = TaskQueue.of("payments").concurrencyLimit(3);

  private static final TaskQueue SHOP = TaskQueue.of("shop").asDefault();

  private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

  private final Payments payments;
  private final Carrier carrier;
  private final Task<Order> charge;
  private final Task<Shipment> ship;
  private final Task<Settlement> settle;

  OrderTasks(Payments payments, Carrier carrier) {
    this.payments = payments;
    this.carrier = carrier;
    ship = Task.define("orders.ship", Shipment.class)
        .idempotencyKey(Shipment::order)
        .handler(this::ship);
    charge = Task.define("orders.charge", Order.class)
        .queue(PAYMENTS)
        .concurrencyKey(Order::merchant)
        .idempotencyKey(Order::id) // a second start finds the first one's runs
        .retry(RetryPolicy.attempts(5)
            .backoff(Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(2))
                .withJitter(0.2)))
        .attemptTimeout(Duration.ofSeconds(10))
        .handler(this::charge);
    settle = Task.define("orders.settle", Settlement.class)
        .schedule(Schedule.cron("nightly-settlement", "0 2 * * *", "Europe/Berlin")
            .payload(new Settlement("EUR")))
        .blockingHandler(
            (settlement, context) -> TaskResult.done(Map.of("settledIn", settlement.currency())));
  }

  /** The one that starts an order. */
  Task<Order> charge() {
    return charge;
  }

  /** All of them. */
  List<Task<?>> all() {
    return List.of(charge, ship, settle);
  }

  /** Those an order is settled by, by id. */
  List<String> ofOrders() {
    return List.of(charge.id(), ship.id());
  }

  static List<TaskQueue> queues() {
    return List.of(PAYMENTS, SHOP);
  }

  /**
   * The shipment is triggered before the charge is recorded. Dying in between repeats both, and both know
   * the order's id: it is charged once and shipped once.
   */
  private Future<TaskResult> charge(Order order, TaskContext context) {
    return context
        .untilSignalled(payments.charge(order, context.failures()))
        .compose(receipt -> context
            .trigger(ship, new Shipment(order.id(), receipt.paidAt()))
            .map(shipping -> TaskResult.done(receipt)));
  }

  /** Waiting holds nothing: the run is given back and taken up again when the parcel should be gone. */
  private Future<TaskResult> ship(Shipment shipment, TaskContext context) {
    Duration left = carrier.untilPickUp(shipment);
    return Future.succeededFuture(
        left.isZero()
            ? TaskResult.done(Map.of("parcel", "parcel_" + shipment.order()))
            : context.release(
                left.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : left, "wait for shipment"));
  }

  /**
   * A night's work.
   *
   * @param currency what merchants are paid in
   */
  record Settlement(String currency) {}
}
