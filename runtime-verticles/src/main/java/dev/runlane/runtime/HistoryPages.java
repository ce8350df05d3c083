package dev.runlane.runtime;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.ListRunEvents;
import dev.runlane.storage.Page;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Reads pages of a run's history for an attempt under way, which an outage of the storage only delays. */
final class HistoryPages {
  private static final Backoff AGAIN =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final int MOST_TRIES = 20;

  private final RuntimeContext context;

  HistoryPages(RuntimeContext context) {
    this.context = context;
  }

  /**
   * One page; fails as the storage does, with an outage after many tries.
   *
   * @param over asked before each further try; true gives up
   */
  Future<Page<RunEventRecord>> read(ListRunEvents query, BooleanSupplier over) {
    return read(query, over, 1);
  }

  private Future<Page<RunEventRecord>> read(ListRunEvents query, BooleanSupplier over, int tries) {
    return context.storage().listRunEvents(query).recover(failure -> {
      boolean outage = failure instanceof RunlaneException known
          && known.code() == ErrorCode.STORAGE_UNAVAILABLE;
      return outage && tries < MOST_TRIES && !over.getAsBoolean()
          ? pause(tries, failure).compose(again -> read(query, over, tries + 1))
          : Future.failedFuture(failure);
    });
  }

  private Future<Void> pause(int tries, Throwable failure) {
    Duration pause = AGAIN.delay(tries, context.randomness());
    context.attemptLog().reads().failed(failure, pause);
    return context.timers().after(pause);
  }
}
