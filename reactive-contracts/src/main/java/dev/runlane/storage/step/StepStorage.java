package dev.runlane.storage.step;

import dev.runlane.run.RunEvent;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/**
 * What remote steps wait for: a capability beside {@link dev.runlane.storage.StorageAdapter StorageAdapter}, {@link
 * dev.runlane.storage.StorageCapability#PERSISTS_STEPS}.
 *
 * <p>A pending step is derived from the events of its run, in the transaction that stores them, as an outbox
 * message is: {@link RunEvent.StepRequested} with a dispatch makes one, due when the event occurred; {@link
 * RunEvent.StepCompleted} removes it, whoever has claimed it; the end of the run ends its claim, makes it due at
 * once and marks it, so that its task is taken away whatever process dies meanwhile. A request that its run's end
 * follows in the same command makes none, and pruning a run removes what it left. What is requested anew
 * replaces what is there. No other event touches pending steps, and a run without remote steps costs nothing.
 *
 * <pre>
 *   requested ─► due ─► claimed ─► moved: dispatched, due again to look after it ──┐
 *                 ▲                  │                                             │
 *                 └── retried, or moved: to be dispatched again ◄──────────────────┤
 *                                                     removed with its result ◄────┘
 * </pre>
 *
 * <p>Everything fails as the methods of {@link dev.runlane.storage.StorageAdapter StorageAdapter} do, and with
 * {@code CapabilityUnsupported} where the capability is not reported. Lost races are outcomes, not failures.
 */
public interface StepStorage {
  /**
   * Claims steps that are due, those due longest first, each for at most one caller: until the claim is over
   * nobody else gets it. Steps of which a competitor holds the row are passed over, not waited for.
   */
  Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command);

  /**
   * Ends claims and says when the steps are due next.
   *
   * @return the ids of those that were claimed with the token given; all others are unchanged. A step whose run
   *     has ended meanwhile is not claimed any more
   */
  Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command);

  /**
   * Removes claimed steps of runs that have ended.
   *
   * @return the ids of those that were claimed with the token given and whose run has ended; all others are
   *     unchanged
   */
  Future<Set<String>> removePendingSteps(RemovePendingSteps command);

  /**
   * Makes the next attempt due, not dispatched, and ends a claim. False, with nothing changed, when the step is
   * not pending, is at another attempt, or its run has ended.
   */
  Future<Boolean> retryStep(RetryStep command);

  /** The pending steps of a run by their positions; none where the run is unknown. Changes nothing. */
  Future<List<PendingStep>> listPendingSteps(ListPendingSteps query);
}
