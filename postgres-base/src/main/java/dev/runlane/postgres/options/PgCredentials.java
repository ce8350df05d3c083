package dev.runlane.postgres.options;

import dev.runlane.postgres.LoginOptions;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.util.function.Supplier;

/**
 * Who logs in to a database, where that changes while processes run: passwords that are rotated, tokens that are good
 * for minutes, roles that are made for a day.
 *
 * @param user the role
 * @param password its password, or a token in its place; never logged
 */
public record PgCredentials(String user, String password) {
  /** Throws {@code ConfigurationInvalid} for an empty user. */
  public PgCredentials {
    if (user.isEmpty()) {
      throw RunlaneException.configurationInvalid("credentials of a database need a user");
    }
  }

  /**
   * A copy of {@code options} whose user and password {@code source} says for each connection: for connectOptions and
   * listenOptions of all stores and step tables, whose pools, LISTEN connections and migrations then ask it. A
   * connection that is there stays as it is; {@link io.vertx.sqlclient.PoolOptions#setMaxLifetime} bounds its age.
   *
   * <p>It is asked on an event loop, which it may not block, often at once for several connections, and has the ten
   * seconds that a connection has to be made. Where it fails, throws or is late the connection is not made: calls fail
   * with a retryable {@code StorageUnavailable} whose message has the failure's, and the next connection asks again.
   * Vert.x's own pools and connections do not ask; they take a supplier of options.
   */
  public static PgConnectOptions forEachConnection(
      PgConnectOptions options, Supplier<Future<PgCredentials>> source) {
    return new LoginOptions(options, (vertx, asked) -> source
        .get()
        .map(current -> asked.setUser(current.user()).setPassword(current.password())));
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "PgCredentials[user=" + user + ']';
  }
}
