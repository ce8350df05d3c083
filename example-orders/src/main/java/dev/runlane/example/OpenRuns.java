package dev.runlane.example;

import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Watches the orders that are not settled: those with an active run. A charge triggers its shipment before it
 * ends, so no order is without an active run in between.
 */
final class OpenRuns {
  /** Counted exactly up to here; more is only "more". */
  static final int MOST_COUNTED = 2_000;

  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(10); // with a storage that fails
  private static final Set<RunStatus> ACTIVE = Arrays.stream(RunStatus.values())
      .filter(RunStatus::isActive)
      .collect(Collectors.toUnmodifiableSet());

  private final Shop shop;
  private final Screen screen;
  private final Timers timers;
  private final Interruption interruption;
  private final RunFilter filter;

  OpenRuns(Shop shop, Screen screen, Timers timers, Interruption interruption) {
    this.shop = shop;
    this.screen = screen;
    this.timers = timers;
    this.interruption = interruption;
    filter = RunFilter.ALL.withStatuses(ACTIVE).withTaskIds(shop.tasks().ofOrders());
  }

  /** How many there are. */
  Future<Integer> count() {
    return read().map(List::size);
  }

  /** Completes once there is none; fails when the storage has not answered for a while. */
  Future<Void> settled() {
    Promise<Void> settled = Promise.promise();
    look(settled, timers.elapsed());
    return settled.future();
  }

  private void look(Promise<Void> settled, Duration lastAnswer) {
    read().onComplete(answer -> {
      if (interruption.isAsked()) {
        return; // the shop is closing, and nobody waits for this any more
      }
      Duration now = timers.elapsed();
      if (answer.failed() && now.minus(lastAnswer).compareTo(PATIENCE) > 0) {
        settled.fail(answer.cause());
      } else if (answer.succeeded() && answer.result().isEmpty()) {
        settled.complete();
      } else {
        screen.progress(answer.failed() ? "waiting for the database ..." : text(answer.result()));
        timers.schedule(PAUSE, () -> look(settled, answer.failed() ? lastAnswer : now));
      }
    });
  }

  private Future<List<RunSummary>> read() {
    return new RunPages(shop.runlane().runs()).read(filter, MOST_COUNTED);
  }

  private static String text(List<RunSummary> open) {
    Map<RunStatus, Long> counts = open.stream()
        .collect(Collectors.groupingBy(
            RunSummary::status, () -> new EnumMap<>(RunStatus.class), Collectors.counting()));
    String total = open.size() >= MOST_COUNTED ? "more than " + MOST_COUNTED : "" + open.size();
    return "open " + total + ": "
        + counts.entrySet().stream()
            .map(each -> each.getValue() + " " + each.getKey().value())
            .collect(Collectors.joining(", "));
  }
}
