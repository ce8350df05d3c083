package dev.runlane.postgres.schema;

import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a schema forward, or says what it lacks. Any number of processes may do so at once, on an empty database
 * too: each migration runs in a transaction of its own that takes one advisory lock first and then looks whether
 * somebody else has already applied it. Killed at any moment, it leaves a migration undone or done.
 *
 * <p>A server before PostgreSQL 13 is refused with {@code ConfigurationInvalid}, a database that is not UTF8, and a
 * role behind a pooler whose transactions are not read committed, or in whose sessions no trigger fires; a schema that
 * was renamed, since its functions go on at the tables of the old name; and one of whose tables row level security may
 * hide rows from the role.
 *
 * <p>A schema that lacks nothing is only read, so a role without the right to create anything starts on it.
 *
 * <p>The application may be at work meanwhile, in releases of before this one too. A migration that waits for a table's
 * lock stands in front of others for 40 ms at most, again after a pause, for ten minutes in all; then the start fails,
 * retryable. {@link OnlineSchemaChanges} says what becomes of an autovacuum.
 */
public final class Migrator {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  /** A statement that takes longer than this is taken for one that gets no answer. */
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofMinutes(15), ConnectionBounds.DEFAULT_CLOSE_TIMEOUT);

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  /**
   * What the database has besides keeps a migration from being applied: a view that depends on a column, an event
   * trigger that raises, something of the same name, or an operator or cast that makes an expression ambiguous.
   */
  private static final Set<String> IN_THE_WAY =
      Set.of("0A000", "2BP01", "42701", "42710", "42723", "42725", "42P06", "42P07", "P0001");

  private static final Pattern TABLE = made("TABLE \\{schema}\\.(\\w+)");
  private static final Pattern SEQUENCE = made("SEQUENCE \\{schema}\\.(\\w+)");
  private static final Pattern KEY =
      Pattern.compile("CONSTRAINT (\\w+) (?:PRIMARY KEY|UNIQUE)|CREATE UNIQUE INDEX (\\w+)");

  /** Not those that functions make, which stand farther to the right. */
  private static final Pattern TRIGGER = made("TRIGGER (\\w+)\\s[^;]*?\\sON \\{schema}\\.(\\w+)");

  private static final Pattern FUNCTION = Pattern.compile("FUNCTION \\{schema}\\.(\\w+)\\(");
  private static final Pattern OBJECT = Pattern.compile("\\{schema}\\.(\\w+)");

  private static final SqlStatement<Migrator> LOOK = SqlStatement.of(
      "look",
      new Parameters<Migrator>()
          .value("schema_name", migrator -> migrator.schema.value())
          .value("quoted_schema", migrator -> migrator.schema.sql())
          .value("functions", migrator -> migrator.named(Migration::functions))
          .value("objects", migrator -> migrator.named(Migration::objects)));
  private static final SqlStatement<Expected> MISSING = SqlStatement.of(
      "missing_objects",
      new Parameters<Expected>()
          .value("schema_name", Expected::schema)
          .value("tables", expected -> expected.named(Migration::tables))
          .value("sequences", expected -> expected.named(Migration::sequences))
          .value("functions", expected -> expected.named(Migration::functions))
          .value("keys", expected -> expected.named(Migration::keys))
          .value("triggers", expected -> expected.triggers(Trigger::name))
          .value("trigger_tables", expected -> expected.triggers(Trigger::table)));
  private static final SqlStatement<@Nullable Void> TAKE_TIME = SqlStatement.plain("take_time");
  private static final SqlStatement<@Nullable Void> CREATE_SCHEMA =
      SqlStatement.plain("create_schema");
  private static final SqlStatement<@Nullable Void> CREATE_TABLE =
      SqlStatement.plain("create_schema_migrations");
  private static final SqlStatement<String> APPLIED = SqlStatement.of(
      "applied_migrations", new Parameters<String>().value("module", module -> module));
  private static final SqlStatement<Applied> RECORD = SqlStatement.of(
      "record_migration",
      new Parameters<Applied>()
          .value("module", Applied::module)
          .value("version", applied -> applied.migration().version())
          .value("name", applied -> applied.migration().name())
          .value("checksum", applied -> applied.migration().checksum()));

  private static final String SCRIPT_HEAD = """
      -- Run it with psql -v ON_ERROR_STOP=1. Each migration is a transaction of its own, which waits for a table's lock
      -- for a moment only, since whoever waits for it stands in front of the application. Where a lock is not to be had,
      -- or somebody else has applied a migration meanwhile, the script ends with an error: print it anew and run it again.
      -- Not in it are indexes that migrations leave out where a table is large: processes make them beside their work,
      -- and runlane migrate --apply does.
      """;

  /** CREATE SCHEMA IF NOT EXISTS asks for a right on the database that the owner of a schema need not have. */
  private static final String MADE_WHERE_MISSING = """
      DO $$
      BEGIN
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = '%s') THEN
          %s;
        END IF;
      END $$;
      """;

  /** Also where whoever runs the script goes on behind a failure. Module and name need no quoting. */
  private static final String NEXT_ONE = """
      DO $$
      BEGIN
        IF (SELECT (count(*) FILTER (WHERE version < %2$s), count(*) FILTER (WHERE version = %2$s))
            FROM %1$s.schema_migrations WHERE module = '%4$s') <> (%3$s::bigint, 0::bigint) THEN
          RAISE EXCEPTION 'migration %2$s (%5$s) of %4$s is not the next one';
        END IF;
      END $$;
      """;

  private static final String RECORDED = """

      INSERT INTO %s.schema_migrations (module, version, name, checksum) VALUES ('%s', %s, '%s', '%s');
      """;

  private final String module;
  private final List<Migration> migrations;
  private final BoundStatements statements;
  private final SchemaName schema;
  private final RowSecurity rows;
  private final Duration patience;

  /**
   * @param module whose migrations these are, such as {@code storage-pg-reactive}
   * @param folder opens a resource, as {@code Owner.class::getResourceAsStream} does in the module that has them
   * @param schema where the tables are made; created if it does not exist
   * @param resources the migrations in order, named {@code V001__why.sql}
   */
  public Migrator(
      String module,
      Function<String, @Nullable InputStream> folder,
      SchemaName schema,
      List<String> resources) {
    this(module, folder, schema, resources, PATIENCE);
  }

  /** One that gives up waiting for locks after {@code patience}. */
  Migrator(
      String module,
      Function<String, @Nullable InputStream> folder,
      SchemaName schema,
      List<String> resources,
      Duration patience) {
    this.module = module;
    this.schema = schema;
    this.patience = patience;
    this.statements = SqlStatements.load(
            Migrator.class::getResourceAsStream, schema, "sql/migrations.sql")
        .bind(
            Placeholders.NUMBERED,
            List.of(
                DatabaseSettings.LOOK,
                TAKE_TIME,
                LOOK,
                MISSING,
                CREATE_SCHEMA,
                CREATE_TABLE,
                APPLIED,
                RECORD));
    this.migrations = resources.stream()
        .map(resource -> Migration.load(folder, resource, schema))
        .toList();
    this.rows = new RowSecurity(
        schema, Stream.concat(Stream.of("schema_migrations"), tables().stream()).toList());
  }

  /**
   * Applies what is missing, on a connection of its own. Fails with {@code ConfigurationInvalid} when an
   * applied migration's text has changed since, when the role lacks a right that a missing one needs, where another
   * application has a table {@code schema_migrations} in the schema, and, in the server's words, where something else
   * in the database keeps a migration from being applied; with a retryable {@code StorageUnavailable} when others held
   * the locks it needs for too long. A newer version than ours is logged and
   * accepted, since it comes from a newer release during a rolling restart.
   */
  public Future<Void> migrate(Vertx vertx, PgConnectOptions options) {
    return connected(vertx, options, connection -> new Pass(vertx, connection).migrate())
        .recover(PgFailures.during("migrating schema " + schema.value()));
  }

  /**
   * Changes nothing. Fails with {@code ConfigurationInvalid}, naming what is missing, unless every migration
   * is applied with the text of this release; newer ones are logged and accepted.
   */
  public Future<Void> verify(Vertx vertx, PgConnectOptions options) {
    return connected(vertx, options, connection -> applied(connection).compose(applied -> {
          List<Migration> missing = missing(applied);
          if (!missing.isEmpty()) {
            throw RunlaneException.configurationInvalid(
                "schema %s lacks %s of %s, and this process is not to migrate",
                schema.value(), names(missing), module);
          }
          reportNewer(applied);
          return Future.<Void>succeededFuture();
        }))
        .recover(PgFailures.during("looking at schema " + schema.value()));
  }

  /** Whose migrations these are. */
  public String module() {
    return module;
  }

  /** How many there are in this release. */
  public int size() {
    return migrations.size();
  }

  /** The tables that they make. */
  public List<String> tables() {
    return List.of(named(Migration::tables));
  }

  /**
   * What the schema lacks, in order; all of them where there is no such schema. Changes nothing. Fails with {@code
   * ConfigurationInvalid} when an applied migration's text has changed since.
   */
  public Future<List<Pending>> pending(Vertx vertx, PgConnectOptions options) {
    return connected(vertx, options, connection -> applied(connection)
            .map(applied -> missing(applied).stream().map(this::described).toList()))
        .recover(PgFailures.during("looking at schema " + schema.value()));
  }

  /**
   * What applied migrations of this release have made and is not there: a part of a schema was restored, or something
   * was dropped by hand. Of indexes those alone that keep something from being there twice. Changes nothing.
   */
  public Future<List<MissingObject>> missingObjects(Vertx vertx, PgConnectOptions options) {
    return connected(vertx, options, connection -> applied(connection).compose(applied -> {
          Expected expected = new Expected(
              schema.value(),
              migrations.stream()
                  .filter(each -> applied.containsKey(each.version()))
                  .toList());
          return statements.get(MISSING).execute(connection, expected).map(rows -> {
            List<MissingObject> missing = new ArrayList<>();
            rows.forEach(row -> missing.add(new MissingObject(
                MissingObject.Kind.valueOf(row.getString("kind")),
                row.getString("name"),
                row.getString("table_name"))));
            return missing;
          });
        }))
        .recover(PgFailures.during("looking for what schema " + schema.value() + " has"));
  }

  /**
   * What should be in a schema and is not.
   *
   * @param kind what it is
   * @param name its name
   * @param table of a trigger, its table; else null
   */
  public record MissingObject(
      Kind kind, String name, @Nullable String table) {
    /** What there is in a schema. */
    public enum Kind {
      /** A table. */
      TABLE,
      /** A sequence. */
      SEQUENCE,
      /** A function. */
      FUNCTION,
      /** A primary key, a unique constraint or a unique index, which may also be there and invalid. */
      KEY,
      /** A trigger. */
      TRIGGER,
      /** A trigger that is there and disabled. */
      DISABLED_TRIGGER
    }
  }

  private Pending described(Migration migration) {
    return new Pending(
        module, migration.version(), migration.name(), migration.sql(), migration.checksum());
  }

  /**
   * The same as {@link #migrate} would do, for whoever applies migrations by other means: each in a transaction of its
   * own that takes the same locks, for as short, and records it. It does not come back for a lock: it fails.
   */
  public String script(List<Pending> pending) {
    StringBuilder script = new StringBuilder();
    if (!pending.isEmpty()) {
      script
          .append(SCRIPT_HEAD)
          .append(begun())
          .append(MADE_WHERE_MISSING.formatted(
              schema.value(), statements.get(CREATE_SCHEMA).sql()))
          .append(statements.get(CREATE_TABLE).sql())
          .append(";\nCOMMIT;\n");
    }
    for (Pending migration : pending) {
      script
          .append("\n-- Migration ")
          .append(migration.version())
          .append(" (")
          .append(migration.name())
          .append(") of ")
          .append(module)
          .append('\n')
          .append(begun())
          .append(NEXT_ONE.formatted(
              schema.sql(), migration.version(), numberBefore(migration), module, migration.name()))
          .append(migration.sql().strip())
          .append(RECORDED.formatted(
              schema.sql(), module, migration.version(), migration.name(), migration.checksum()))
          .append("COMMIT;\n");
    }
    return script.toString();
  }

  private String begun() {
    return "BEGIN;\n" + OnlineSchemaChanges.locking(schema, lockKey());
  }

  private String lockKey() {
    return "runlane migrations " + schema.value();
  }

  private long numberBefore(Pending migration) {
    return migrations.stream()
        .filter(each -> each.version() < migration.version())
        .count();
  }

  /**
   * A migration that a schema lacks.
   *
   * @param module whose it is
   * @param version its number in the module
   * @param name why, in a word
   * @param sql what it does, in that schema
   * @param checksum of its text, which is recorded with it
   */
  public record Pending(String module, int version, String name, String sql, String checksum) {}

  private <T> Future<T> connected(
      Vertx vertx, PgConnectOptions options, Function<SqlConnection, Future<T>> work) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS)
        .compose(connection -> DatabaseSettings.check(statements, connection)
            .compose(usable -> takeTime(connection, options))
            .compose(ready -> work.apply(connection))
            .recover(failure -> Future.failedFuture(withoutRights(failure)))
            .eventually(connection::close));
  }

  /** Through a pooler nothing is set, since somebody else has the session next. */
  private Future<Void> takeTime(SqlConnection connection, PgConnectOptions options) {
    return options.getUseLayer7Proxy()
        ? Future.succeededFuture()
        : connection.query(statements.get(TAKE_TIME).sql()).execute().mapEmpty();
  }

  private Throwable withoutRights(Throwable failure) {
    return failure instanceof PgException refused
            && INSUFFICIENT_PRIVILEGE.equals(refused.getSqlState())
        ? RunlaneException.configurationInvalid(
                "the role of this process may not do to schema %s what %s needs: %s",
                schema.value(), module, String.valueOf(refused.getErrorMessage()))
            .causedBy(refused)
        : failure;
  }

  /**
   * In the server's words, which tell what is in the way and hold nothing of any row. Whatever else goes wrong stays as
   * it is.
   */
  private Throwable inTheWay(String what, Throwable failure) {
    return failure instanceof PgException refused && IN_THE_WAY.contains(refused.getSqlState())
        ? RunlaneException.configurationInvalid(
                "%s of %s cannot be applied to schema %s as long as something else in the database is as it is"
                    + " (SQLSTATE %s): %s%s",
                what,
                module,
                schema.value(),
                refused.getSqlState(),
                String.valueOf(refused.getErrorMessage()),
                refused.getDetail() == null ? "" : "; " + refused.getDetail())
            .causedBy(refused)
        : failure;
  }

  /**
   * Checksums by version, none where nothing was ever applied. Fails where a text has changed, and where the role may
   * not see all there is.
   */
  private Future<Map<Integer, String>> applied(SqlConnection connection) {
    return look(connection)
        .compose(found -> found.getBoolean("table_exists")
            ? rows.requireAllRows(connection).compose(all -> recorded(connection))
            : Future.succeededFuture(Map.of()));
  }

  private Future<Row> look(SqlConnection connection) {
    return statements.get(LOOK).execute(connection, this).map(rows -> {
      Row found = rows.iterator().next();
      if (found.getBoolean("table_exists") && !found.getBoolean("table_is_ours")) {
        throw RunlaneException.configurationInvalid(
            "schema %s has a table schema_migrations of another application: use a schema of its own",
            schema.value());
      }
      if (found.getString("renamed_function") != null) {
        throw RunlaneException.configurationInvalid(
            "schema %s had another name, which its function %s still uses: give that name back to it, or, if the"
                + " function is another application's, use a schema of its own",
            schema.value(), found.getString("renamed_function"));
      }
      return found;
    });
  }

  private String[] named(Function<Migration, List<String>> names) {
    return migrations.stream()
        .flatMap(each -> names.apply(each).stream())
        .distinct()
        .toArray(String[]::new);
  }

  private Future<Map<Integer, String>> recorded(SqlConnection connection) {
    return statements.get(APPLIED).execute(connection, module).map(rows -> {
      Map<Integer, String> applied = new TreeMap<>();
      for (Row row : rows) {
        applied.put(row.getInteger("version"), row.getString("checksum"));
      }
      return applied;
    });
  }

  private List<Migration> missing(Map<Integer, String> applied) {
    List<Migration> missing = new ArrayList<>();
    for (Migration migration : migrations) {
      String checksum = applied.get(migration.version());
      if (checksum == null) {
        missing.add(migration);
      } else if (!checksum.equals(migration.checksum())) {
        throw RunlaneException.configurationInvalid(
            "migration %d (%s) of %s was applied to schema %s with another text",
            migration.version(), migration.name(), module, schema.value());
      }
    }
    return missing;
  }

  private static String names(List<Migration> migrations) {
    return migrations.stream()
        .map(migration -> "migration " + migration.version() + " (" + migration.name() + ")")
        .collect(Collectors.joining(", "));
  }

  private void reportNewer(Map<Integer, String> applied) {
    int newestKnown = migrations.stream().mapToInt(Migration::version).max().orElse(0);
    applied.keySet().stream()
        .filter(version -> version > newestKnown)
        .forEach(version -> LOG.warn(
            "schema {} has migration {} of {}, newer than this release's {}",
            schema.value(),
            version,
            module,
            newestKnown));
  }

  /** One call of {@link #migrate}, on one connection. */
  private final class Pass {
    private final SqlConnection connection;
    private final OnlineSchemaChanges locks;

    Pass(Vertx vertx, SqlConnection connection) {
      this.connection = connection;
      this.locks = new OnlineSchemaChanges(
          Timers.of(vertx), patience, work -> work.apply(connection), schema, lockKey());
    }

    Future<Void> migrate() {
      return applied(connection).compose(applied -> {
        List<Migration> missing = missing(applied);
        Future<Void> done =
            missing.isEmpty() ? done() : locks.run(named("its first table"), held -> prepare());
        for (Migration migration : missing) {
          done = done.compose(
              before -> locks.run(named(names(List.of(migration))), held -> applyOnce(migration)));
        }
        return done.map(complete -> {
          reportNewer(applied);
          return null;
        });
      });
    }

    private String named(String what) {
      return "schema " + schema.value() + ": " + what + " of " + module;
    }

    private Future<Void> prepare() {
      return look(connection)
          .compose(there -> (there.getBoolean("schema_exists") ? done() : make(CREATE_SCHEMA))
              .compose(made -> there.getBoolean("table_exists") ? done() : make(CREATE_TABLE)));
    }

    private Future<Void> make(SqlStatement<@Nullable Void> statement) {
      return connection
          .query(statements.get(statement).sql())
          .execute()
          .recover(failure -> Future.failedFuture(inTheWay("the table of migrations", failure)))
          .mapEmpty();
    }

    private Future<Void> done() {
      return Future.succeededFuture();
    }

    private Future<Void> applyOnce(Migration migration) {
      return recorded(connection).compose(applied -> {
        boolean needed = missing(applied).contains(migration);
        return needed ? apply(migration) : Future.succeededFuture();
      });
    }

    private Future<Void> apply(Migration migration) {
      return connection
          .query(migration.sql())
          .execute()
          .recover(failure -> Future.failedFuture(inTheWay(names(List.of(migration)), failure)))
          .compose(
              done -> statements.get(RECORD).execute(connection, new Applied(module, migration)))
          .map(recorded -> {
            LOG.info(
                "schema {}: applied migration {} ({}) of {}",
                schema.value(),
                migration.version(),
                migration.name(),
                module);
            return null;
          });
    }
  }

  private record Applied(String module, Migration migration) {}

  /** What these migrations have made in a schema. */
  private record Expected(String schema, List<Migration> migrations) {
    String[] named(Function<Migration, List<String>> names) {
      return migrations.stream()
          .flatMap(each -> names.apply(each).stream())
          .distinct()
          .toArray(String[]::new);
    }

    String[] triggers(Function<Trigger, String> part) {
      return migrations.stream()
          .flatMap(each -> each.triggers().stream())
          .map(part)
          .toArray(String[]::new);
    }
  }

  private record Trigger(String name, String table) {}

  private static Pattern made(String what) {
    return Pattern.compile("^CREATE (?:OR REPLACE )?" + what, Pattern.MULTILINE);
  }

  /** One step forward; {@code objects} are the names of all it speaks of, the others of those it creates. */
  private record Migration(
      int version,
      String name,
      String sql,
      String checksum,
      List<String> tables,
      List<String> sequences,
      List<String> functions,
      List<String> keys,
      List<Trigger> triggers,
      List<String> objects) {
    static Migration load(
        Function<String, @Nullable InputStream> folder, String resource, SchemaName schema) {
      String text = SqlStatements.resourceText(folder, resource);
      String file = resource.substring(resource.lastIndexOf('/') + 1);
      if (!file.matches("V\\d{3}__[a-z0-9_]+\\.sql")) {
        throw RunlaneException.of(
            ErrorCode.CONFIGURATION_INVALID, "a migration is not named %s", file);
      }
      return new Migration(
          Integer.parseInt(file.substring(1, 4)),
          file.substring(6, file.length() - 4),
          text.replace("{schema}", schema.sql()),
          sha256(text),
          named(TABLE, text),
          named(SEQUENCE, text),
          named(FUNCTION, text),
          named(KEY, text),
          TRIGGER
              .matcher(text)
              .results()
              .map(each -> new Trigger(each.group(1), each.group(2)))
              .toList(),
          named(OBJECT, text));
    }

    private static List<String> named(Pattern pattern, String text) {
      return pattern
          .matcher(text)
          .results()
          .map(each -> each.group(1) == null ? each.group(2) : each.group(1))
          .toList();
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
