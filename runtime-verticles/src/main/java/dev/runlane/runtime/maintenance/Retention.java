package dev.runlane.runtime.maintenance;

import static dev.runlane.storage.StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes terminal runs that are old enough, occurrences of schedules that nobody needs any more, old actions of
 * operators, minutes of throughput, and webhooks that no process has any more, batch after batch. The cutoff is fixed
 * when a pass begins and kept until nothing older is left, however many sweeps that takes, since cursors belong to one
 * cutoff.
 */
public final class Retention implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  /** Younger occurrences stay, so that whoever makes up for many missed fires is done with those before it. */
  private static final Duration OCCURRENCES_KEPT = Duration.ofDays(1);

  private final RuntimeContext context;
  private final RetentionOptions options;
  private final @Nullable Duration olderThan;
  private @Nullable Pass unfinished;

  /** Throws {@code CapabilityUnsupported} when runs are to be removed and the storage prunes none. */
  public Retention(RuntimeContext context, RetentionOptions options) {
    this.context = context;
    this.options = options;
    olderThan = options.getOlderThan().orElse(null);
    if (olderThan != null) {
      Capabilities.require(
          context.storage().capabilities(), StorageCapability.PRUNES_RUNS, "retention");
    }
  }

  /** Removes a bounded number of each; true when more are left. A failure begins a new pass. */
  @Override
  public Future<Boolean> sweepOnce() {
    Instant now = context.clock().now();
    return pruneRunsAndOccurrences()
        .transform((more, failure) -> pruneActions(now.minus(options.getActionsOlderThan()))
            .compose(moreActions -> pruneThroughput(now.minus(OperatorStore.THROUGHPUT_KEPT))
                .map(moreMinutes -> moreActions || moreMinutes))
            .compose(moreForOperators -> forgetWebhooks(now).map(moreForOperators))
            .compose(moreForOperators -> failure == null
                ? Future.succeededFuture(more || moreForOperators)
                : Future.failedFuture(failure)));
  }

  /** Whether more are left; false where the storage keeps nothing for operators. */
  private Future<Boolean> pruneActions(Instant olderThan) {
    return context
        .storage()
        .operator()
        .map(store -> inBatches(() -> store.pruneActions(
            new PruneActions(context.environment(), olderThan, options.getBatchSize()))))
        .orElse(Future.succeededFuture(false));
  }

  /** Whether more are left; false where the storage keeps nothing for operators. */
  private Future<Boolean> pruneThroughput(Instant olderThan) {
    return context
        .storage()
        .operator()
        .map(store -> inBatches(() -> store.pruneThroughput(
            new PruneThroughput(context.environment(), olderThan, options.getBatchSize()))))
        .orElse(Future.succeededFuture(false));
  }

  /** Those that no process has any more, where none tells of others, which would forget them. */
  private Future<Void> forgetWebhooks(Instant now) {
    return context
        .storage()
        .operator()
        .map(store ->
            store.registerWebhooks(new RegisterWebhooks(context.environment(), Map.of(), now)))
        .orElse(Future.succeededFuture());
  }

  /** Whether more are left after so many batches of one removal as a sweep makes. */
  private Future<Boolean> inBatches(Supplier<Future<Integer>> removal) {
    AtomicInteger batches = new AtomicInteger();
    AtomicBoolean more = new AtomicBoolean();
    return FutureLoop.whileTrue(() -> removal.get().map(removed -> {
          more.set(removed == options.getBatchSize());
          return more.get() && batches.incrementAndGet() < options.getBatchesPerSweep();
        }))
        .map(over -> more.get());
  }

  private Future<Boolean> pruneRunsAndOccurrences() {
    if (olderThan == null) {
      return Future.succeededFuture(false);
    }
    Instant now = context.clock().now();
    Pass pass = unfinished == null ? new Pass(now.minus(olderThan), null) : unfinished;
    unfinished = null;
    Instant occurrencesBefore = now.minus(longer(olderThan, OCCURRENCES_KEPT));
    return prune(pass)
        .map(rest -> {
          unfinished = rest;
          return rest != null;
        })
        .compose(more ->
            pruneOccurrences(occurrencesBefore).map(moreOccurrences -> more || moreOccurrences));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /** Whether more are left; false where the storage knows nothing of schedules. */
  private Future<Boolean> pruneOccurrences(Instant completedBefore) {
    return context
        .storage()
        .schedules()
        .filter(schedules -> context.storage().capabilities().contains(CLAIMS_SCHEDULE_OCCURRENCES))
        .map(schedules -> inBatches(() -> schedules.pruneOccurrences(
            new PruneOccurrences(context.environment(), completedBefore, options.getBatchSize()))))
        .orElse(Future.succeededFuture(false));
  }

  /** What is left of the pass after so many batches as a sweep makes; null when it is over. */
  private Future<@Nullable Pass> prune(Pass pass) {
    AtomicReference<@Nullable Pass> left = new AtomicReference<>(pass);
    AtomicInteger batches = new AtomicInteger();
    AtomicLong pruned = new AtomicLong();
    return FutureLoop.whileTrue(() -> {
          Pass next = Objects.requireNonNull(left.get());
          return pruneOnce(next).map(done -> {
            Pass rest = next.after(done);
            left.set(rest);
            pruned.addAndGet(done.prunedRuns());
            return rest != null && batches.incrementAndGet() < options.getBatchesPerSweep();
          });
        })
        .map(over -> {
          if (pruned.get() > 0) {
            LOG.info("removed {} runs that ended before {}", pruned, pass.cutoff());
          }
          return left.get();
        });
  }

  private Future<PrunedRuns> pruneOnce(Pass pass) {
    return context
        .storage()
        .pruneRuns(new PruneRuns(
            context.environment(),
            options.getStatuses(),
            pass.cutoff(),
            context.clock().now(),
            options.getBatchSize(),
            pass.cursor()));
  }

  /**
   * One walk over everything older than a cutoff.
   *
   * @param cursor where the storage stopped; null: at the beginning
   */
  private record Pass(Instant cutoff, @Nullable String cursor) {
    @Nullable
    Pass after(PrunedRuns done) {
      return done.nextCursor() == null ? null : new Pass(cutoff, done.nextCursor());
    }
  }
}
