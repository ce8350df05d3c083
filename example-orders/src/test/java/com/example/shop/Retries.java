package com.example.shop;

import com.example.shop.Shop.Order;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TriggerResult;
import io.vertx.core.Future;

/** The block of the page on errors. */
abstract class Retries {
  private final Runlane runlane;
  private final Task<Order> charge = Shop.CHARGE;

  Retries(Runlane runlane) {
    this.runlane = runlane;
  }

  abstract Future<TriggerResult> later(Order order);

  Future<TriggerResult> trigger(Order order) {
    return runlane.trigger(charge, order).recover(failure -> {
      if (failure instanceof RunlaneException known && known.isRetryable()) {
        return later(order); // nothing is stored, or the same key finds what is
      }
      return Future.failedFuture(failure);
    });
  }
}
