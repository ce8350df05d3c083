package dev.runlane.runtime;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a tool passes to a {@link RunlaneApplication} it starts. Each value may be missing: the program's own
 * settings hold then. The address is a secret, and {@link #toString} leaves it out.
 */
public final class ApplicationSettings {
  private final @Nullable String database;
  private final @Nullable String schema;
  private final @Nullable String environment;

  private ApplicationSettings(
      @Nullable String database, @Nullable String schema, @Nullable String environment) {
    this.database = database;
    this.schema = schema;
    this.environment = environment;
  }

  /** What the tool was given; null for what it was not given. */
  public static ApplicationSettings of(
      @Nullable String database, @Nullable String schema, @Nullable String environment) {
    return new ApplicationSettings(database, schema, environment);
  }

  /** The address of the Postgres, such as {@code postgresql://user:password@host/database}. */
  public Optional<String> database() {
    return Optional.ofNullable(database);
  }

  /** The schema of the tables. */
  public Optional<String> schema() {
    return Optional.ofNullable(schema);
  }

  /** The name of the environment of the runs. */
  public Optional<String> environment() {
    return Optional.ofNullable(environment);
  }

  @Override
  public String toString() {
    return "ApplicationSettings[" + (database == null ? "no database" : "a database") + ", schema="
        + schema + ", environment=" + environment + "]";
  }
}
