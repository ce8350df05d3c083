package dev.runlane.postgres;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a schema forward. Any number of processes may do so at once, on an empty database too: each
 * migration runs in a transaction of its own that takes one advisory lock first and then looks whether
 * somebody else has already applied it.
 */
public final class Migrator {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  /** A statement that takes longer than this is taken for one that gets no answer. */
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofMinutes(15), ConnectionBounds.DEFAULT_CLOSE_TIMEOUT);

  private final String module;
  private final List<Migration> migrations;
  private final SqlStatements statements;
  private final SchemaName schema;

  /**
   * @param module whose migrations these are, such as {@code storage-pg-reactive}
   * @param owner a class beside whose package the resources lie
   * @param schema where the tables are made; created if it does not exist
   * @param resources the migrations in order, named {@code V001__why.sql}
   */
  public Migrator(String module, Class<?> owner, SchemaName schema, List<String> resources) {
    this.module = module;
    this.schema = schema;
    this.statements = SqlStatements.load(Migrator.class, schema, "sql/migrations.sql");
    this.migrations = resources.stream()
        .map(resource -> Migration.load(owner, resource, schema))
        .toList();
  }

  /**
   * Applies what is missing, on a connection of its own. Fails with {@code ConfigurationInvalid} when an
   * applied migration's text has changed since; a newer version than ours is logged and accepted, since
   * it comes from a newer release during a rolling restart.
   */
  public Future<Void> migrate(Vertx vertx, PgConnectOptions options) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS)
        .compose(connection -> migrate(connection).eventually(connection::close))
        .recover(PgFailures.during("migrating schema " + schema.value()));
  }

  private Future<Void> migrate(SqlConnection connection) {
    Future<Void> done = transaction(connection, () -> prepare(connection));
    for (Migration migration : migrations) {
      done =
          done.compose(before -> transaction(connection, () -> applyOnce(connection, migration)));
    }
    return done.compose(applied -> reportNewer(connection));
  }

  private Future<Void> prepare(SqlConnection connection) {
    return connection
        .query(statements.get("create_schema"))
        .execute()
        .compose(created ->
            connection.query(statements.get("create_schema_migrations")).execute())
        .mapEmpty();
  }

  private Future<Void> applyOnce(SqlConnection connection, Migration migration) {
    return applied(connection).compose(applied -> {
      String checksum = applied.get(migration.version());
      if (checksum == null) {
        return apply(connection, migration);
      }
      return checksum.equals(migration.checksum())
          ? Future.succeededFuture()
          : Future.failedFuture(RunlaneException.configurationInvalid(
              "migration %d (%s) of %s was applied to schema %s with another text",
              migration.version(), migration.name(), module, schema.value()));
    });
  }

  private Future<Void> apply(SqlConnection connection, Migration migration) {
    LOG.info(
        "schema {}: applying migration {} ({}) of {}",
        schema.value(),
        migration.version(),
        migration.name(),
        module);
    return connection
        .query(migration.sql())
        .execute()
        .compose(done -> connection
            .preparedQuery(statements.get("record_migration"))
            .execute(Tuple.of(module, migration.version(), migration.name(), migration.checksum())))
        .mapEmpty();
  }

  private Future<Map<Integer, String>> applied(SqlConnection connection) {
    return connection
        .preparedQuery(statements.get("applied_migrations"))
        .execute(Tuple.of(module))
        .map(rows -> {
          Map<Integer, String> applied = new TreeMap<>();
          for (Row row : rows) {
            applied.put(row.getInteger("version"), row.getString("checksum"));
          }
          return applied;
        });
  }

  private Future<Void> reportNewer(SqlConnection connection) {
    int newestKnown = migrations.stream().mapToInt(Migration::version).max().orElse(0);
    return applied(connection).map(applied -> {
      applied.keySet().stream()
          .filter(version -> version > newestKnown)
          .forEach(version -> LOG.warn(
              "schema {} has migration {} of {}, newer than this release's {}",
              schema.value(),
              version,
              module,
              newestKnown));
      return null;
    });
  }

  private Future<Void> transaction(SqlConnection connection, Supplier<Future<Void>> work) {
    return connection.begin().compose(transaction -> connection
        .preparedQuery(statements.get("lock_migrations"))
        .execute(Tuple.of("runlane migrations " + schema.value()))
        .compose(locked -> work.get())
        .compose(done -> transaction.commit())
        .recover(failure ->
            transaction.rollback().transform((undone, second) -> Future.failedFuture(failure))));
  }

  private record Migration(int version, String name, String sql, String checksum) {
    static Migration load(Class<?> owner, String resource, SchemaName schema) {
      String text = SqlStatements.resourceText(owner, resource);
      String file = resource.substring(resource.lastIndexOf('/') + 1);
      if (!file.matches("V\\d{3}__[a-z0-9_]+\\.sql")) {
        throw RunlaneException.of(
            ErrorCode.CONFIGURATION_INVALID, "a migration is not named %s", file);
      }
      return new Migration(
          Integer.parseInt(file.substring(1, 4)),
          file.substring(6, file.length() - 4),
          text.replace("{schema}", schema.value()),
          sha256(text));
    }

    private static String sha256(String text) {
      try {
        return HexFormat.of()
            .formatHex(
                MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
      } catch (NoSuchAlgorithmException impossible) {
        throw new IllegalStateException("every Java platform has SHA-256", impossible);
      }
    }
  }
}
