package dev.runlane.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;

/**
 * Options whose user and password are asked for anew for each connection. A copy of them that asks too is made by
 * {@link PgTuning#copy} alone.
 */
public final class LoginOptions extends PgConnectOptions {
  private final Login login;

  /** The given options, but for who logs in. */
  public LoginOptions(PgConnectOptions options, Login login) {
    super(options);
    setUseLayer7Proxy(options.getUseLayer7Proxy());
    this.login = login;
  }

  /** The same question about other options. */
  LoginOptions with(PgConnectOptions options) {
    return new LoginOptions(options, login);
  }

  /** What the next connection is made with. Fails where nobody knows, as the connection does then. */
  public static Future<PgConnectOptions> current(Vertx vertx, PgConnectOptions options) {
    if (!(options instanceof LoginOptions asking)) {
      return Future.succeededFuture(options);
    }
    PgConnectOptions answered =
        new PgConnectOptions(options).setUseLayer7Proxy(options.getUseLayer7Proxy());
    return Future.<Void>succeededFuture().compose(begin -> asking.login.complete(vertx, answered));
  }

  /** Says who logs in. */
  @FunctionalInterface
  public interface Login {
    /** Completes the options of one connection, which are nobody else's, with user and password. */
    Future<PgConnectOptions> complete(Vertx vertx, PgConnectOptions options);
  }
}
