package dev.runlane.connector.store.grant;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;

/**
 * The grants that the built-in sink enforces. Futures fail with {@link
 * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for what cannot be stored and with {@link
 * dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface Grants {
  /** Stores a grant, in the place of one with this id. */
  Future<Void> put(Grant grant, Instant now);

  /** The grant with this id. */
  Future<Optional<Grant>> find(String grantId);

  /** Takes a grant back; what its runs still send is refused. False when there is none. */
  Future<Boolean> revoke(String grantId, Instant now);
}
