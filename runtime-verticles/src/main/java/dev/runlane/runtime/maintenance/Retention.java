package dev.runlane.runtime.maintenance;

import static dev.runlane.storage.StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.PruneActions;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes terminal runs that are old enough, occurrences of schedules that nobody needs any more, and old actions of
 * operators and minutes of throughput, batch after batch. The cutoff is fixed when a pass begins and
 * kept until nothing older is left, however many sweeps that takes, since cursors belong to one cutoff.
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
    return pruneRunsAndOccurrences().transform((more, failure) -> pruneActions(
            context.clock().now().minus(options.getActionsOlderThan()),
            options.getBatchesPerSweep())
        .compose(moreActions -> pruneThroughput(
                context.clock().now().minus(OperatorStore.THROUGHPUT_KEPT),
                options.getBatchesPerSweep())
            .map(moreMinutes -> moreActions || moreMinutes))
        .compose(moreForOperators -> failure == null
            ? Future.succeededFuture(more || moreForOperators)
            : Future.failedFuture(failure)));
  }

  /** Whether more are left after so many batches; false where the storage keeps nothing for operators. */
  private Future<Boolean> pruneActions(Instant olderThan, int batches) {
    Optional<OperatorStore> operator = context.storage().operator();
    if (operator.isEmpty()) {
      return Future.succeededFuture(false);
    }
    int limit = options.getBatchSize();
    return operator
        .get()
        .pruneActions(new PruneActions(context.environment(), olderThan, limit))
        .compose(removed -> removed == limit && batches > 1
            ? pruneActions(olderThan, batches - 1)
            : Future.succeededFuture(removed == limit));
  }

  /** Like {@link #pruneActions}. */
  private Future<Boolean> pruneThroughput(Instant olderThan, int batches) {
    Optional<OperatorStore> operator = context.storage().operator();
    if (operator.isEmpty()) {
      return Future.succeededFuture(false);
    }
    int limit = options.getBatchSize();
    return operator
        .get()
        .pruneThroughput(new PruneThroughput(context.environment(), olderThan, limit))
        .compose(removed -> removed == limit && batches > 1
            ? pruneThroughput(olderThan, batches - 1)
            : Future.succeededFuture(removed == limit));
  }

  private Future<Boolean> pruneRunsAndOccurrences() {
    if (olderThan == null) {
      return Future.succeededFuture(false);
    }
    Instant now = context.clock().now();
    Pass pass = unfinished == null ? new Pass(now.minus(olderThan), null) : unfinished;
    unfinished = null;
    Instant occurrencesBefore = now.minus(longer(olderThan, OCCURRENCES_KEPT));
    return prune(pass, options.getBatchesPerSweep(), 0)
        .map(rest -> {
          unfinished = rest;
          return rest != null;
        })
        .compose(more -> pruneOccurrences(occurrencesBefore, options.getBatchesPerSweep())
            .map(moreOccurrences -> more || moreOccurrences));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /** Whether more are left after so many batches; false where the storage knows nothing of schedules. */
  private Future<Boolean> pruneOccurrences(Instant completedBefore, int batches) {
    Optional<ScheduleStorage> schedules = context.storage().schedules();
    if (schedules.isEmpty()
        || !context.storage().capabilities().contains(CLAIMS_SCHEDULE_OCCURRENCES)) {
      return Future.succeededFuture(false);
    }
    int limit = options.getBatchSize();
    return schedules
        .get()
        .pruneOccurrences(new PruneOccurrences(context.environment(), completedBefore, limit))
        .compose(removed -> removed == limit && batches > 1
            ? pruneOccurrences(completedBefore, batches - 1)
            : Future.succeededFuture(removed == limit));
  }

  /** What is left of the pass after so many batches at most; null when it is over. */
  private Future<@Nullable Pass> prune(Pass pass, int batches, int prunedBefore) {
    return context
        .storage()
        .pruneRuns(new PruneRuns(
            context.environment(),
            options.getStatuses(),
            pass.cutoff(),
            context.clock().now(),
            options.getBatchSize(),
            pass.cursor()))
        .compose(done -> {
          int pruned = prunedBefore + done.prunedRuns();
          Pass rest = pass.after(done);
          if (rest != null && batches > 1) {
            return prune(rest, batches - 1, pruned);
          }
          if (pruned > 0) {
            LOG.info("removed {} runs that ended before {}", pruned, pass.cutoff());
          }
          return Future.succeededFuture(rest);
        });
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
