package dev.runlane.cli.option;

import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.options.PgAddress;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the runs are: which Postgres, schema and environment. The address is shown nowhere. */
public final class DatabaseOptions {
  @Option(
      names = "--database",
      paramLabel = "URI",
      description =
          "The Postgres, such as postgresql://user:password@host/database. Other users of this"
              + " machine can see a command's options: prefer RUNLANE_DATABASE or a file.")
  private @Nullable String database;

  @Option(
      names = "--database-file",
      paramLabel = "FILE",
      description = "A file whose only line is that address. Default: RUNLANE_DATABASE_FILE.")
  private @Nullable Path databaseFile;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "The schema of the tables. Default: RUNLANE_SCHEMA, else runlane.")
  private @Nullable String schema;

  @Option(
      names = {"-e", "--environment"},
      paramLabel = "NAME",
      description = "The environment of the runs. Default: RUNLANE_ENVIRONMENT, else default.")
  private @Nullable String environment;

  /** None is given yet. */
  public DatabaseOptions() {}

  /**
   * What was given.
   *
   * @param connect the address
   * @param schema the schema of the tables
   * @param environment the name of the environment
   */
  public record Settings(PgConnectOptions connect, String schema, String environment) {
    /** The text without the address, where a failure quotes it. */
    public String withoutAddress(String text) {
      String server = connect.getHost() + ":" + connect.getPort();
      return text.replace(
              server + "/" + connect.getDatabase() + " as " + connect.getUser(), "the database")
          .replace(connect.getHost() + "/" + server, "its address")
          .replace("/" + server, "its address")
          .replace(server, "its address");
    }

    /** Whether a command that is given neither schema nor environment works on these. */
    public boolean isScopeOf(Map<String, String> variables) {
      return schema.equals(DatabaseOptions.schema(null, variables))
          && environment.equals(DatabaseOptions.environment(null, variables));
    }
  }

  /** What was given, by options before variables. Throws {@link UsageException} where there is no address. */
  public Settings settings(Map<String, String> variables) {
    PgConnectOptions connect = parsed(address(variables));
    String chosen = schema(schema, variables);
    try {
      new PgStorageOptions().setSchema(chosen);
    } catch (RunlaneException refused) {
      throw new UsageException("--schema: " + refused.getMessage());
    }
    return new Settings(connect, chosen, environment(environment, variables));
  }

  private static String schema(@Nullable String given, Map<String, String> variables) {
    return or(given, variables.get("RUNLANE_SCHEMA"), PgStorageOptions.DEFAULT_SCHEMA);
  }

  private static String environment(@Nullable String given, Map<String, String> variables) {
    return or(given, variables.get("RUNLANE_ENVIRONMENT"), "default");
  }

  /**
   * What a program is told of it, each value only where it was given. Throws {@link UsageException} for what cannot be
   * used.
   */
  public ApplicationSettings application(Map<String, String> variables) {
    String given = isGiven(variables) ? address(variables) : null;
    if (given != null) {
      parsed(given);
    }
    return ApplicationSettings.of(
        given,
        orNull(schema, variables.get("RUNLANE_SCHEMA")),
        orNull(environment, variables.get("RUNLANE_ENVIRONMENT")));
  }

  /** Whether the command line names an address. */
  public boolean isOptionGiven() {
    return database != null || databaseFile != null;
  }

  /** Whether the command line names a schema or an environment. */
  public boolean isScoped() {
    return schema != null || environment != null;
  }

  /** Whether there is an address. */
  public boolean isGiven(Map<String, String> variables) {
    return database != null
        || databaseFile != null
        || orNull(null, variables.get("RUNLANE_DATABASE")) != null
        || orNull(null, variables.get("RUNLANE_DATABASE_FILE")) != null;
  }

  /** Whether the schema is named, and not the one that is used where none is. */
  public boolean isSchemaGiven(Map<String, String> variables) {
    return orNull(schema, variables.get("RUNLANE_SCHEMA")) != null;
  }

  /** What an address says; throws {@link UsageException} for what is none. */
  public static PgConnectOptions parsed(String address) {
    try {
      return PgTuning.copy(PgAddress.parse(address)); // with the files that TLS needs
    } catch (RunlaneException malformed) {
      throw new UsageException("--database: " + malformed.getMessage());
    }
  }

  private String address(Map<String, String> variables) {
    Optional<String> given = given(database, databaseFile);
    if (given.isPresent()) {
      return given.get();
    }
    String named = variables.get("RUNLANE_DATABASE");
    String file = variables.get("RUNLANE_DATABASE_FILE");
    if (named != null && !named.isBlank()) {
      return named.strip();
    }
    if (file != null && !file.isBlank()) {
      return line("RUNLANE_DATABASE_FILE", Path.of(file));
    }
    throw new UsageException("no database: set RUNLANE_DATABASE or RUNLANE_DATABASE_FILE, or give"
        + " --database-file or --database");
  }

  /** The address that options give; empty where they give none. Throws {@link UsageException} where both do. */
  public static Optional<String> given(@Nullable String database, @Nullable Path databaseFile) {
    if (database != null && databaseFile != null) {
      throw new UsageException("--database and --database-file exclude each other");
    }
    return databaseFile == null
        ? Optional.ofNullable(database)
        : Optional.of(line("--database-file", databaseFile));
  }

  private static String line(String option, Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      throw new UsageException("%s: %s cannot be read (%s)"
          .formatted(option, file, unreadable.getClass().getSimpleName()));
    }
  }

  private static String or(@Nullable String given, @Nullable String variable, String otherwise) {
    String chosen = orNull(given, variable);
    return chosen == null ? otherwise : chosen;
  }

  private static @Nullable String orNull(@Nullable String given, @Nullable String variable) {
    if (given != null) {
      return given;
    }
    return variable == null || variable.isBlank() ? null : variable.strip();
  }
}
