package dev.runlane.postgres;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnectOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/**
 * What is settled only when a connection is made: by itself, one server as its address has it.
 *
 * @param <C> the driver's form of an address
 */
interface Servers<C extends SqlConnectOptions> {
  /** The one server of an address. */
  static <C extends SqlConnectOptions> Servers<C> one() {
    return new Servers<>() {};
  }

  /** The servers to connect to, one at least, which are tried until one is suitable. */
  default List<C> candidates(C address) {
    return List.of(address);
  }

  /** The candidate, complete with who logs in. */
  default Future<C> login(C candidate) {
    return Future.succeededFuture(candidate);
  }

  /** Fails where a connection that was made to a candidate cannot be used. */
  default Future<Void> check(C candidate, SqlConnection made) {
    return Future.succeededFuture();
  }
}
