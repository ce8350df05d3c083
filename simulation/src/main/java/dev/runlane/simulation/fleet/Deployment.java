package dev.runlane.simulation.fleet;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import java.util.ArrayList;
import java.util.List;

/**
 * How one version of the program differs from the usual one.
 *
 * @param sharedLimit the limit of the shared queue, or {@link dev.runlane.simulation.fault.Fault#NO_LIMIT}
 * @param lacksTask whether it does not know the stepped task
 * @param schedules the edition of the schedules, see {@link Clockwork}
 * @param readsOldKeys whether it cannot read one of the keys in a payload of the plain task
 */
record Deployment(int sharedLimit, boolean lacksTask, boolean readsOldKeys, int schedules) {
  /** As it should be. */
  static final Deployment USUAL = new Deployment(Catalogue.SHARED_LIMIT, false, false, 0);

  private static final RetryPolicy THREE_TIMES =
      RetryPolicy.attempts(Catalogue.MOST_FAILURES).fixedDelay(Catalogue.RETRY_DELAY);

  List<TaskQueue> queues() {
    return Catalogue.queues(sharedLimit);
  }

  /**
   * The tasks of one process, with its own handlers.
   *
   * @param isClocked whether there are schedules of every kind
   * @param refuses whether there is a task that refuses other payloads under a key
   */
  List<TaskDescription<?>> tasks(Handlers handlers, boolean isClocked, boolean refuses) {
    TaskQueue shared = queues().get(1);
    TaskQueue narrow = queues().get(2);
    List<TaskDescription<?>> all = new ArrayList<>();
    all.add(
        readsOldKeys
            ? Task.define(Catalogue.PLAIN, OldItem.class)
                .retry(THREE_TIMES)
                .tag(Tagging.TAG, OldItem::key)
                .handler((old, context) -> handlers.any(old.item(), context))
            : define(Catalogue.PLAIN).tag(Tagging.TAG, Item::key).handler(handlers::any));
    all.add(
        define(Catalogue.SHARING).queue(shared).concurrencyKey(Item::key).handler(handlers::any));
    all.add(define(Catalogue.ONE_BY_ONE).queue(narrow).handler(handlers::any));
    all.add(define(Catalogue.UNIQUE)
        .idempotencyKey(Item::key, IdempotencyTtl.of(Catalogue.KEY_TTL))
        .handler(handlers::any));
    all.add(define(Catalogue.ENDLESS)
        .queue(shared)
        .attemptTimeout(Catalogue.TIMEOUT)
        .handler(handlers::endless));
    all.add(define(Catalogue.BLOCKING).blockingHandler(handlers::blocking));
    all.add(define(Catalogue.TICKING)
        .schedule(Schedule.every(Catalogue.SCHEDULE, Catalogue.INTERVAL)
            .payload(new Item(1, "K1"))
            .missedFires(MissedFires.latest()))
        .tag(Tagging.TAG, Item::key)
        .handler(handlers::any));
    if (!lacksTask) {
      all.add(define(Catalogue.STEPPED).handler(handlers::stepped));
    }
    all.add(define(Catalogue.REMOTE).handler(handlers::remote));
    all.add(
        define(Catalogue.POISON).maxLostAttempts(Catalogue.MOST_LOST).handler(handlers::poison));
    all.add(define(Catalogue.RECALLED).handler(handlers::recalled));
    if (isClocked) {
      Task.Definition<Item> clocked = define(Catalogue.CLOCKED);
      Clockwork.ALL.forEach(each -> clocked.schedule(each.schedule(schedules)));
      all.add(clocked.handler(handlers::clocked));
    }
    if (refuses) {
      all.add(define(Catalogue.REFUSING)
          .idempotencyKey(Item::key, IdempotencyTtl.of(Catalogue.KEY_TTL))
          .refuseOtherPayload()
          .handler(handlers::any));
    }
    TaskDescription<Item> single = single(handlers);
    all.add(single);
    all.add(define(Catalogue.BRANCHING)
        .handler((item, context) -> handlers.branching(item, context, single)));
    return all;
  }

  private static TaskDescription<Item> single(Handlers handlers) {
    return define(Catalogue.SINGLE).singletonKey(Item::key).handler(handlers::any);
  }

  private static Task.Definition<Item> define(String id) {
    return Task.define(id, Item.class).retry(THREE_TIMES);
  }

  /** The payload as it was before there was a third key: some of those with it fail as what is not linked does. */
  record OldItem(long script, String key) {
    OldItem {
      if (key.equals("K3")) {
        if (script % 2 == 0) {
          throw new NoClassDefFoundError("on purpose");
        }
        throw new IllegalArgumentException("there is no key K3");
      }
    }

    Item item() {
      return new Item(script, key);
    }
  }
}
