package dev.runlane.storage.limit;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/**
 * Where processes publish their queues and limits for each other: a capability beside {@link
 * dev.runlane.storage.StorageAdapter} with the same rules. What a process publishes holds until it expires, so a
 * killed process is forgotten by itself; a storage obeys each command's own policy all the same.
 */
public interface QueueLimitStorage {
  /** For how long a publication that has expired is kept for callers whose clocks are behind = 1 hour. */
  Duration KEPT_AFTER_EXPIRY = Duration.ofHours(1);

  /**
   * Replaces what the process has published by these queues, until an instant, and answers the queues of every
   * process whose publication has not expired at {@code now}, its own among them. Of processes that publish at once one
   * is the first, and seen by the others, so that no two can both miss that their limits differ. No queues: the process
   * takes its publication back. What other processes published is forgotten once it expired more than
   * {@link #KEPT_AFTER_EXPIRY} before {@code now}.
   */
  Future<List<PublishedQueue>> publishQueues(PublishQueues command);

  /**
   * As {@link #publishQueues}, but answers where others differ alone: of each queue of the command to which some other
   * living process gives another limit, that of the lowest and that of the highest limit, unbounded being the highest;
   * of several processes with one limit any. So an answer is not longer the more processes there are.
   */
  default Future<List<PublishedQueue>> publishAndCompare(PublishQueues command) {
    return publishQueues(command).map(all -> DifferingQueues.of(command, all));
  }

  /**
   * The queues of every process whose publication has not expired at the query's {@code now}, all or those that the
   * query names. Changes nothing.
   */
  Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query);
}
