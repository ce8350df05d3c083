package dev.runlane.connector.store.grant;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The grants that the built-in sink enforces. Futures fail with {@link
 * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for what cannot be stored and with {@link
 * dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface Grants {
  /** How many grants one list has at most = {@value}. */
  int MOST_LISTED = 200;

  /** Stores a grant, in the place of one with this id. */
  Future<Void> put(Grant grant, Instant now);

  /** The grant with this id. */
  Future<Optional<Grant>> find(String grantId);

  /**
   * The grants of a connection, those that changed last first.
   *
   * @param limit how many at most, from 1 to {@value #MOST_LISTED}
   */
  Future<List<Grant>> ofConnection(String instanceId, int limit);

  /** Takes a grant back; what its runs still send is refused. False when there is none. */
  Future<Boolean> revoke(String grantId, Instant now);
}
