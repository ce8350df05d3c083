package dev.runlane.example;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/** Whoever works on the orders: this process, or others. */
interface Crew {
  /** The shop as this process sees it. */
  Shop shop();

  /** Begins to work, once the shop has started. */
  Future<Void> begin();

  /** Fails when the work can't go on; never succeeds. */
  Future<Void> trouble();

  /** Gives back what is under way, and closes the shop. */
  Future<Void> close();

  /** This process alone, in all roles. */
  record Alone(Shop shop) implements Crew {
    @Override
    public Future<Void> begin() {
      return shop.open(Shop.everything());
    }

    @Override
    public Future<Void> trouble() {
      return Promise.<Void>promise().future();
    }

    @Override
    public Future<Void> close() {
      return shop.close();
    }
  }

  /** Worker processes, to whom this one publishes what it takes in. */
  record BehindKafka(Shop shop, Workers workers) implements Crew {
    @Override
    public Future<Void> begin() {
      return shop.open(Shop.publishing()).compose(publishing -> workers.start());
    }

    @Override
    public Future<Void> trouble() {
      return workers.trouble();
    }

    @Override
    public Future<Void> close() {
      return workers.stop().eventually(shop::close);
    }
  }
}
