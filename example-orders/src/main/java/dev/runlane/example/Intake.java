package dev.runlane.example;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Takes a file's orders and cancellations in. Doing it again changes nothing. */
final class Intake {
  private static final int BATCH = 250;
  private static final int MOST_FAILED = 100_000;

  private final Shop shop;
  private final Screen screen;

  Intake(Shop shop, Screen screen) {
    this.shop = shop;
    this.screen = screen;
  }

  /** How many orders were new, once all orders and then all cancellations are stored. */
  Future<Integer> take(OrderFile file) {
    return failedBefore()
        .compose(failed -> takeOrders(
            file.orders().stream().filter(order -> !failed.contains(order.id())).toList()))
        .compose(taken -> cancelFrom(file.cancellations(), 0).map(taken));
  }

  /** A failed run gives its key back, so that somebody may order again; reading a file again is no order. */
  private Future<Set<String>> failedBefore() {
    RunFilter filter = RunFilter.ALL
        .withTaskIds(List.of(shop.tasks().charge().id()))
        .withStatuses(Set.of(RunStatus.FAILED));
    return new RunPages(shop.runlane().runs())
        .read(filter, MOST_FAILED)
        .map(runs -> runs.stream().map(RunSummary::idempotencyKey).collect(Collectors.toSet()));
  }

  private Future<Integer> takeOrders(List<Order> orders) {
    List<Order> plain = orders.stream().filter(each -> !each.isPreOrder()).toList();
    List<Order> preOrders = orders.stream().filter(Order::isPreOrder).toList();
    return takeFrom(plain, 0)
        .compose(taken -> takePreOrders(preOrders).map(later -> taken + later));
  }

  private Future<Integer> takeFrom(List<Order> orders, int from) {
    if (from >= orders.size()) {
      return Future.succeededFuture(0);
    }
    List<Order> batch = orders.subList(from, Math.min(orders.size(), from + BATCH));
    return shop.runlane()
        .triggerAll(shop.tasks().charge(), batch, new TriggerOptions())
        .map(Intake::created)
        .compose(taken -> takeFrom(orders, from + batch.size()).map(rest -> taken + rest));
  }

  private Future<Integer> takePreOrders(List<Order> orders) {
    List<Future<TriggerResult>> taken = orders.stream()
        .map(order -> shop.runlane()
            .trigger(
                shop.tasks().charge(), order, new TriggerOptions().setDelay(order.chargeAfter())))
        .toList();
    return Future.all(taken).map(all -> created(all.list()));
  }

  private static int created(List<TriggerResult> results) {
    return (int) results.stream()
        .filter(each -> each.outcome() == TriggerOutcome.CREATED)
        .count();
  }

  private Future<Void> cancelFrom(List<Cancellation> cancellations, int from) {
    if (from >= cancellations.size()) {
      return Future.succeededFuture();
    }
    return cancel(cancellations.get(from))
        .compose(cancelled -> cancelFrom(cancellations, from + 1));
  }

  private Future<Void> cancel(Cancellation wanted) {
    return shop.runlane()
        .runs()
        .findCurrent(shop.tasks().charge(), wanted.orderId())
        .compose(run -> {
          if (run.isEmpty()) {
            screen.say("order " + wanted.orderId() + " can't be cancelled: no such order is open");
            return Future.succeededFuture();
          }
          return cancel(wanted, run.get());
        });
  }

  private Future<Void> cancel(Cancellation wanted, RunRecord run) {
    if (run.status() == RunStatus.CANCELLED) {
      return Future.succeededFuture();
    }
    return shop.runlane()
        .runs()
        .cancel(run.id(), RunActionOptions.by("customer").setReason(wanted.reason()))
        .map(cancelled -> "order " + wanted.orderId() + " is cancelled: " + wanted.reason())
        .recover(failure -> failure instanceof RunlaneException tooLate
                && tooLate.code() == ErrorCode.VALIDATION_FAILED
            ? Future.succeededFuture(
                "order " + wanted.orderId() + " is not cancelled: its payment has ended already")
            : Future.failedFuture(failure))
        .map(said -> {
          screen.say(said);
          return null;
        });
  }
}
