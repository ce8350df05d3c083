package dev.runlane.connector.http;

import dev.runlane.connector.store.key.ConnectorRef;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;

/**
 * Says who owns a connection, where several owners share one server. What is another's is refused with 403 and
 * left out of lists.
 */
@FunctionalInterface
public interface ConnectionOwners {
  /** Whoever is let through owns everything. */
  ConnectionOwners ONE = (request, connection) -> Future.succeededFuture(true);

  /**
   * Whether the connection is the caller's.
   *
   * @param request of a caller whom the authentication has let through
   */
  Future<Boolean> owns(RoutingContext request, ConnectorRef connection);
}
