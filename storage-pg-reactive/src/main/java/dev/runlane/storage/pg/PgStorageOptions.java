package dev.runlane.storage.pg;

import static dev.runlane.options.OptionTypes.flag;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.postgres.options.PgBatchOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;

/** How a {@link PgStorageAdapter} uses Postgres. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class PgStorageOptions extends PgBatchOptions<PgStorageOptions> {
  /** Whether {@code start()} brings the schema forward = {@value}. */
  public static final boolean DEFAULT_MIGRATE = true;

  private static final OptionSet OPTIONS = PgBatchOptions.options("a Postgres storage");
  private static final Option<PgConnectOptions> LISTEN_OPTIONS =
      OPTIONS.add("listenOptions", null, connection());
  private static final Option<Boolean> MIGRATE = OPTIONS.add("migrate", DEFAULT_MIGRATE, flag());

  /** The defaults: Postgres on the local machine as the client's own defaults say. */
  public PgStorageOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public PgStorageOptions(PgStorageOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public PgStorageOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** How the LISTEN connection is made: as all others unless it was set. A copy. */
  public PgConnectOptions getListenOptions() {
    return find(LISTEN_OPTIONS).orElseGet(this::getConnectOptions);
  }

  /**
   * Sets how the LISTEN connection is made. It needs a session of its own, so where the others lead through a pooler in
   * transaction mode ({@link PgConnectOptions#setUseLayer7Proxy}) this one leads past it.
   */
  public PgStorageOptions setListenOptions(PgConnectOptions listenOptions) {
    return set(LISTEN_OPTIONS, listenOptions);
  }

  /**
   * Whether {@code start()} brings the schema forward; else it checks the version and fails where something is missing.
   */
  public boolean isMigrate() {
    return get(MIGRATE);
  }

  /** Sets whether {@code start()} brings the schema forward; without it, the tables must be there. */
  public PgStorageOptions setMigrate(boolean migrate) {
    return set(MIGRATE, migrate);
  }
}
