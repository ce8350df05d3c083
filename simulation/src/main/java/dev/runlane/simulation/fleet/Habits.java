package dev.runlane.simulation.fleet;

import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.world.Chance;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import java.time.Duration;
import java.util.Optional;

/**
 * In what a seed's processes differ from those that nobody has configured. A duration of zero and a count of zero mean
 * the default.
 *
 * @param noBatches whether the storage takes one command at a time
 * @param noPushes whether the storage tells nobody of cancellations
 * @param undecodable how long a payload that cannot be read is waited for
 * @param outcome how long an outcome that cannot be stored is kept
 * @param publishes how often a message is published at most
 * @param publishBatch messages of one publish
 * @param pruneBatch runs of one call of retention
 * @param longestTrip how long a call to the storage takes at most on each way
 * @param isWithoutNet whether workers beside consumers look for work as workers do that hear of none
 * @param isDeferred whether triggers leave the publish to the sweeps
 * @param poisoned how many runs kill their process again and again
 * @param branching how many runs use steps in every way there is
 * @param ticks how often somebody asks a process for one pass over everything
 */
public record Habits(
    boolean noBatches,
    boolean noPushes,
    Duration undecodable,
    Duration outcome,
    int publishes,
    int publishBatch,
    int pruneBatch,
    Duration longestTrip,
    boolean isWithoutNet,
    boolean isDeferred,
    int poisoned,
    int branching,
    int ticks) {
  /** Most bytes of an output: as much as the default would cost time to write, and shows nothing else. */
  static final int MOST_OUTPUT = 1_000;

  /** The habits of a seed's fleet. */
  static Habits of(Chance chance) {
    return new Habits(
        chance.happens(0.2),
        chance.happens(0.2),
        chance.happens(0.5) ? Duration.ofSeconds(chance.from(10, 90)) : Duration.ZERO,
        chance.happens(0.2) ? Duration.ofSeconds(chance.from(15, 60)) : Duration.ZERO,
        chance.happens(0.2) ? chance.from(1, 3) : 0,
        chance.happens(0.2) ? chance.from(1, 2) : 0,
        chance.happens(0.5) ? chance.from(1, 3) : 0,
        chance.happens(0.75) ? StorageLine.LONGEST_TRIP : Duration.ofMillis(chance.from(50, 1_500)),
        chance.happens(0.2),
        chance.happens(0.2),
        chance.happens(0.2) ? chance.from(1, 2) : 0,
        chance.from(0, 12),
        chance.happens(0.3) ? chance.from(1, 6) : 0);
  }

  /** The runtime's options. */
  RunlaneOptions runlane() {
    RunlaneOptions options = new RunlaneOptions().setMaxOutputBytes(MOST_OUTPUT);
    if (!undecodable.isZero()) {
      options.setUndecodablePayloadTimeout(undecodable);
    }
    if (!outcome.isZero()) {
      options.setOutcomeTimeout(outcome);
    }
    return isDeferred ? options.setDispatchOnTrigger(DispatchMode.DEFERRED) : options;
  }

  /** The outbox publisher's options; where wakeups alone begin runs, none of them is ever given up. */
  OutboxPublisherOptions publisher(Setup.Transport transport) {
    OutboxPublisherOptions options = new OutboxPublisherOptions();
    if (publishes > 0 && transport != Setup.Transport.SHARED_ALONE) {
      options.setMaxAttempts(publishes);
    }
    return publishBatch > 0 ? options.setBatchSize(publishBatch) : options;
  }

  /** Retention's options. */
  RetentionOptions retention() {
    RetentionOptions options = new RetentionOptions();
    return pruneBatch > 0 ? options.setBatchSize(pruneBatch).setBatchesPerSweep(2) : options;
  }

  /** The storage as processes of this fleet have it. */
  StorageAdapter storage(StorageAdapter real) {
    return noBatches || noPushes ? new Less(real, this) : real;
  }

  /** A storage without some of what it may offer. */
  private static final class Less extends ForwardingStorageAdapter {
    private final Habits habits;

    Less(StorageAdapter real, Habits habits) {
      super(real);
      this.habits = habits;
    }

    @Override
    public Optional<BatchStorage> batch() {
      return habits.noBatches ? Optional.empty() : super.batch();
    }

    @Override
    public Optional<CancellationSource> cancellations() {
      return habits.noPushes ? Optional.empty() : super.cancellations();
    }
  }
}
