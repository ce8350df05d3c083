package dev.runlane.connector.store.pg;

import static dev.runlane.options.OptionTypes.flag;
import static dev.runlane.options.OptionTypes.id;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.postgres.options.PgOptions;
import io.vertx.core.json.JsonObject;

/**
 * How a {@link PgConnectorStore} uses Postgres. Setters throw {@code ConfigurationInvalid} for values out of range.
 */
public final class PgConnectorStoreOptions extends PgOptions<PgConnectorStoreOptions> {
  /** The environment whose connectors these are = {@value}. */
  public static final String DEFAULT_ENVIRONMENT = "default";

  private static final OptionSet OPTIONS = PgOptions.options("a Postgres connector store");
  private static final Option<String> ENVIRONMENT =
      OPTIONS.add("environment", DEFAULT_ENVIRONMENT, id());
  private static final Option<Boolean> AUTO_MIGRATE = OPTIONS.add("autoMigrate", true, flag());

  /** The defaults: Postgres on the local machine as the client's own defaults say. */
  public PgConnectorStoreOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public PgConnectorStoreOptions(PgConnectorStoreOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public PgConnectorStoreOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The environment whose connectors these are. */
  public String getEnvironment() {
    return get(ENVIRONMENT);
  }

  /** Sets the environment; stores of different environments in one schema see nothing of each other. */
  public PgConnectorStoreOptions setEnvironment(String environment) {
    return set(ENVIRONMENT, environment);
  }

  /** Whether connecting brings the schema forward. */
  public boolean isAutoMigrate() {
    return get(AUTO_MIGRATE);
  }

  /** Sets whether connecting brings the schema forward; where it does not, somebody else has. */
  public PgConnectorStoreOptions setAutoMigrate(boolean autoMigrate) {
    return set(AUTO_MIGRATE, autoMigrate);
  }
}
