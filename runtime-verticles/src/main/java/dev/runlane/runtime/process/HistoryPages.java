package dev.runlane.runtime.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Reads pages of a run's history for an attempt under way, which an outage of the storage only delays: its own storage
 * being away is no failure of what an application does.
 */
public final class HistoryPages {
  private static final Backoff AGAIN =
      Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2));

  private final RuntimeContext context;

  public HistoryPages(RuntimeContext context) {
    this.context = context;
  }

  /**
   * One page; fails as the storage does. An outage is waited out, however long it is, until {@code over}.
   *
   * @param over asked before each further try; true gives up, since the attempt or its lease is over
   */
  public Future<Page<RunEventRecord>> read(ListRunEvents query, BooleanSupplier over) {
    AtomicInteger tries = new AtomicInteger();
    return context.retrying(() -> context.storage().listRunEvents(query), failure -> {
      boolean outage = failure instanceof RunlaneException known
          && known.code() == ErrorCode.STORAGE_UNAVAILABLE;
      return outage && !over.getAsBoolean()
          ? Optional.of(pause(tries.incrementAndGet(), failure))
          : Optional.empty();
    });
  }

  private Duration pause(int tries, Throwable failure) {
    Duration pause = AGAIN.delay(tries, context.randomness());
    context.attemptLog().reads().failed(failure, pause);
    return pause;
  }
}
