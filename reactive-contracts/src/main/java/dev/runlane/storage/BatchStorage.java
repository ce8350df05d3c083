package dev.runlane.storage;

import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.util.List;

/**
 * Many commands in one call: a capability beside {@link StorageAdapter} with the same rules, for
 * storages that can serve many cheaper than one at a time.
 */
public interface BatchStorage {
  /**
   * Appends for many runs; outcome <i>i</i> belongs to command <i>i</i>, and each command succeeds or
   * fails on its own as {@link StorageAdapter#appendRunEvents} would. Commands for one run or one
   * ownership key take effect in the order given. Fails as a whole, with nothing stored, with {@code
   * ValidationFailed} when one command is malformed.
   */
  Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands);

  /**
   * Claims and starts up to {@code limit} due runs, those due longest first whatever their queue, in one
   * atomic step: each gets {@code run.lease_claimed} and {@code run.started} exactly as the reducer projects
   * them. The lease ends {@code leaseFor} after the command's {@code now}, also where the run was last updated
   * later, since that is when its owner's timer ends; a run that was last updated at that end or after it is left
   * alone. Of a bounded queue a storage may take more runs of one partition before it begins another that is due
   * earlier than the last of them, where more than 16 runs are wanted, and may look at a part of the partitions at a
   * time, as long as it says that there may be more until it has looked at all of them in vain; up to 32 partitions are
   * looked at together. No run is ever claimed twice, and no bounded partition goes above its limit. As with {@link
   * StorageAdapter#claimRunLease}, runs whose dispatch reservation has expired are left alone until they are
   * reserved anew. Runs of which a competing claim holds the row are passed over, not waited for. Where the command
   * names runs, all of that holds for these alone.
   */
  Future<ClaimedRuns> claimRuns(ClaimRuns command);
}
