package dev.runlane.connector.store.schedule;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The schedules of connections. Futures fail with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for what cannot
 * be stored and with {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface Schedules {
  /** Stores a schedule, in the place of one of this connection. Whatever had stopped it is looked at anew. */
  Future<ConnectorSchedule> put(PutSchedule command);

  /** Pauses a schedule; a run that is active continues. Empty when there is none. */
  Future<Optional<ConnectorSchedule>> pause(String instanceId, Instant now);

  /** Resumes a schedule; whatever had stopped it is looked at anew. Empty when there is none. */
  Future<Optional<ConnectorSchedule>> resume(String instanceId, Instant now);

  /** Deletes a schedule; a run that is active continues. False when there is none. */
  Future<Boolean> delete(String instanceId);

  /** The schedule of a connection. */
  Future<Optional<ConnectorSchedule>> find(String instanceId);

  /** All schedules, by connection; bounded by the number of connections. */
  Future<List<ConnectorSchedule>> list();

  /**
   * Claims schedules that are to be looked at, the longest waiting first. No other process is given them until the
   * claim is over, spent by a run, or settled.
   *
   * @param claim unique to this call
   * @param limit at most this many, 1 to 1 000
   */
  default Future<List<ConnectorSchedule>> claimDue(
      String claim, Instant now, Instant until, int limit) {
    return claimDue(claim, now, until, limit, new LeftToOthers(Set.of(), now));
  }

  /**
   * The same but for some that are left to others.
   *
   * @param left those that the caller could do nothing for
   */
  Future<List<ConnectorSchedule>> claimDue(
      String claim, Instant now, Instant until, int limit, LeftToOthers left);

  /**
   * Schedules that are not claimed as long as others may claim them.
   *
   * @param connectorIds those of these connectors
   * @param overdue one that was to be looked at by then, and by nobody was, is claimed nevertheless
   */
  record LeftToOthers(Set<String> connectorIds, Instant overdue) {
    /** Copies the set. */
    public LeftToOthers {
      connectorIds = Set.copyOf(connectorIds);
    }
  }

  /** Holds a claim for longer. False when it is lost. */
  Future<Boolean> renew(String instanceId, String claim, Instant until);

  /** Gives a claimed schedule back. False, and nothing is stored, when the claim is lost. */
  Future<Boolean> settle(SettleSchedule command);

  /**
   * Notices that are due, each of them counted as sent once more and due again at {@code until}. Of those that are due,
   * the ones older than {@link ScheduleNotice#OLDEST_SENT} are deleted and not answered.
   *
   * @param limit at most this many, 1 to 1 000
   */
  Future<List<ScheduleNotice>> claimNotices(Instant now, Instant until, int limit);

  /** Sends a notice again then. */
  Future<Void> postpone(long notice, Instant until);

  /** Removes a notice: it was delivered, or given up. */
  Future<Void> remove(long notice);

  /**
   * Deletes notices that are due and were made before, as those that nobody sends; the longest due first.
   *
   * @param limit at most this many, 1 to 10 000
   * @return how many
   */
  Future<Integer> pruneNotices(Instant olderThan, int limit);
}
