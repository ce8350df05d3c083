package dev.runlane.connector.store.record;

import dev.runlane.connector.store.key.ConnectorRef;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whose cursors.
 *
 * @param connector the connection
 * @param grantId the grant that keeps cursors of its own, or null for the connection's
 */
public record StateScope(ConnectorRef connector, @Nullable String grantId) {
  /** Refuses null but for the grant. */
  public StateScope {
    Objects.requireNonNull(connector);
  }

  /** The connection's own. */
  public static StateScope of(ConnectorRef connector) {
    return new StateScope(connector, null);
  }
}
