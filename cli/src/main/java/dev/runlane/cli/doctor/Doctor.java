package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Finding.Severity.ERROR;
import static dev.runlane.cli.doctor.Finding.Severity.WARNING;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.operator.OperatorStore;
import dev.runlane.postgres.BoundStatements;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.Parameters;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.Placeholders;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatement;
import dev.runlane.postgres.SqlStatements;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks at one database of runs. Changes nothing. */
public final class Doctor {
  private static final Duration STATEMENT = Duration.ofSeconds(30);
  private static final Duration HEARD_WITHIN = Duration.ofSeconds(2);
  private static final Duration LATE = Duration.ofMinutes(1);
  private static final Duration TOLERATED_SKEW = Duration.ofSeconds(1);
  private static final Duration SEVERE_SKEW = Duration.ofSeconds(3); // a tenth of the usual lease
  private static final int OLDEST_VERSION = 130_000;

  private static final List<String> INDEXES = List.of(
      "run_events_occurred",
      "active_runs_due",
      "active_runs_due_bounded",
      "active_runs_reserved",
      "active_runs_cancelling",
      "active_runs_created",
      "terminal_runs_created",
      "terminal_runs_task",
      "terminal_runs_updated",
      "idempotency_owners_run",
      "singleton_owners_run",
      "outbox_messages_run",
      "outbox_messages_next",
      "pending_steps_next",
      "pending_steps_run",
      "schedule_occurrences_fires",
      "active_runs_due_task",
      "active_runs_due_task_bounded",
      "operator_actions_at");

  private static final Parameters<Asked> SCHEMA =
      new Parameters<Asked>().value("schema", Asked::schema);
  private static final SqlStatement<Asked> SCHEMA_EXISTS = SqlStatement.of("schema_exists", SCHEMA);
  private static final SqlStatement<@Nullable Void> VERSION = SqlStatement.plain("server_version");
  private static final SqlStatement<@Nullable Void> CLOCK = SqlStatement.plain("clock");
  private static final SqlStatement<@Nullable Void> SETTINGS = SqlStatement.plain("settings");
  private static final SqlStatement<Asked> RIGHTS = SqlStatement.of("missing_rights", SCHEMA);
  private static final SqlStatement<Asked> INVALID = SqlStatement.of("invalid_indexes", SCHEMA);
  private static final SqlStatement<Asked> PRESENT = SqlStatement.of("indexes", SCHEMA);
  private static final SqlStatement<Asked> DEAD_ROWS = SqlStatement.of("dead_rows", SCHEMA);
  private static final SqlStatement<Asked> TRANSACTIONS = SqlStatement.of(
      "long_transactions", new Parameters<Asked>().time("before", Asked::longSince));
  private static final SqlStatement<@Nullable Void> CONNECTIONS = SqlStatement.plain("connections");
  private static final SqlStatement<@Nullable Void> PROCESSES = SqlStatement.plain("processes");
  private static final SqlStatement<Asked> OUTBOX = SqlStatement.of("outbox", late());
  private static final SqlStatement<Asked> CAPACITY =
      SqlStatement.of("capacity", new Parameters<Asked>().value("environment", Asked::environment));
  private static final SqlStatement<Asked> QUEUES = SqlStatement.of(
      "queues_without_process", new Parameters<Asked>().value("environment", Asked::environment));
  private static final SqlStatement<Asked> LEASES = SqlStatement.of("lost_leases", late());
  private static final SqlStatement<Asked> STEPS = SqlStatement.of("waiting_steps", late());

  private static final SqlStatement<Asked> GONE = SqlStatement.of("gone_processes", gone());
  private static final SqlStatement<Asked> PAUSED = SqlStatement.of(
      "paused_queues", new Parameters<Asked>().value("environment", Asked::environment));
  private static final SqlStatement<Asked> TASKS = SqlStatement.of("tasks_without_process", gone());

  private final Vertx vertx;
  private final DatabaseOptions.Settings settings;
  private final Duration longTransaction;
  private final Clock clock;
  private final BoundStatements statements;

  /** @param longTransaction how long a transaction may be open unmentioned */
  public Doctor(
      Vertx vertx, DatabaseOptions.Settings settings, Duration longTransaction, Clock clock) {
    this.vertx = vertx;
    this.settings = settings;
    this.longTransaction = longTransaction;
    this.clock = clock;
    this.statements = SqlStatements.load(
            Doctor.class::getResourceAsStream, new SchemaName(settings.schema()), "sql/doctor.sql")
        .bind(
            Placeholders.NUMBERED,
            List.of(
                SCHEMA_EXISTS,
                VERSION,
                CLOCK,
                SETTINGS,
                RIGHTS,
                INVALID,
                PRESENT,
                DEAD_ROWS,
                TRANSACTIONS,
                CONNECTIONS,
                PROCESSES,
                OUTBOX,
                CAPACITY,
                QUEUES,
                LEASES,
                STEPS,
                GONE,
                PAUSED,
                TASKS));
  }

  /**
   * What the checks found, by their names, in their order; an empty list for one that found nothing.
   *
   * @param findings by check
   */
  public record Report(Map<String, List<Finding>> findings) {
    /** All findings, check by check. */
    public List<Finding> all() {
      return findings.values().stream().flatMap(List::stream).toList();
    }
  }

  private static Parameters<Asked> late() {
    return new Parameters<Asked>()
        .value("environment", Asked::environment)
        .time("late", Asked::lateSince);
  }

  private static Parameters<Asked> gone() {
    return new Parameters<Asked>()
        .value("environment", Asked::environment)
        .time("gone", Asked::goneSince);
  }

  /** What statements are asked with; instants by the database's clock. */
  private record Asked(
      String schema, String environment, Instant longSince, Instant lateSince, Instant goneSince) {}

  /** One check, on one connection. */
  private interface Check {
    Future<List<Finding>> look(PgConnection connection, Asked asked);
  }

  /** Looks at everything. Fails with {@code StorageUnavailable} where the database cannot be reached. */
  public Future<Report> examine() {
    return connect()
        .compose(connection ->
            examine(connection).eventually(() -> connection.close().otherwiseEmpty()))
        .recover(PgFailures.during("looking at the database"));
  }

  private Future<PgConnection> connect() {
    return PgConnections.connect(
        vertx,
        settings.connect(),
        ConnectionBounds.of(STATEMENT, ConnectionBounds.DEFAULT_CLOSE_TIMEOUT));
  }

  private Future<Report> examine(PgConnection connection) {
    return statements.get(CLOCK).execute(connection).compose(read -> {
      Instant now = instant(read.iterator().next(), "now");
      Asked asked = new Asked(
          settings.schema(),
          settings.environment(),
          now.minus(longTransaction),
          now.minus(LATE),
          now.minus(OperatorStore.GONE_AFTER));
      return statements.get(SCHEMA_EXISTS).execute(connection, asked).compose(found -> {
        Row row = found.iterator().next();
        Map<String, Check> checks = serverChecks();
        checks.put("migrations", this::migrations);
        if (row.getBoolean("has_runs")) {
          checks.putAll(tableChecks());
        }
        return inTurn(new ArrayList<>(checks.entrySet()), connection, asked, new LinkedHashMap<>());
      });
    });
  }

  private Map<String, Check> serverChecks() {
    Map<String, Check> checks = new LinkedHashMap<>();
    checks.put("version", this::version);
    checks.put("settings", this::settings);
    checks.put("clock", this::clock);
    checks.put("connections", this::connections);
    checks.put("listen", (connection, asked) -> listen(connection));
    checks.put("long_transactions", this::transactions);
    return checks;
  }

  private Map<String, Check> tableChecks() {
    Map<String, Check> checks = new LinkedHashMap<>();
    checks.put("rights", this::rights);
    checks.put("indexes", this::indexes);
    checks.put("dead_rows", this::deadRows);
    checks.put("pools", this::pools);
    checks.put("outbox", this::outbox);
    checks.put("capacity", this::capacity);
    checks.put("queues", this::queues);
    checks.put("paused", this::paused);
    checks.put("tasks", this::tasks);
    checks.put("leases", this::leases);
    checks.put("processes", this::processes);
    checks.put("steps", this::steps);
    return checks;
  }

  /** A check that fails is a finding, and the next one is made. */
  private Future<Report> inTurn(
      List<Map.Entry<String, Check>> checks,
      PgConnection connection,
      Asked asked,
      Map<String, List<Finding>> found) {
    if (checks.isEmpty()) {
      return Future.succeededFuture(new Report(found));
    }
    String name = checks.get(0).getKey();
    return checks
        .get(0)
        .getValue()
        .look(connection, asked)
        .recover(failure -> Future.succeededFuture(List.of(new Finding(
            name,
            WARNING,
            "This could not be looked at: "
                + settings.withoutAddress(String.valueOf(failure.getMessage())),
            "Nothing is known of it.",
            "Give this role the right to read it, or look as another one."))))
        .compose(findings -> {
          found.put(name, findings);
          return inTurn(checks.subList(1, checks.size()), connection, asked, found);
        });
  }

  private Future<List<Finding>> version(PgConnection connection, Asked asked) {
    return statements.get(VERSION).execute(connection).map(rows -> {
      Row row = rows.iterator().next();
      return version(row.getInteger("number"), row.getString("version"));
    });
  }

  static List<Finding> version(int number, String version) {
    return number >= OLDEST_VERSION
        ? List.of()
        : List.of(new Finding(
            "version",
            ERROR,
            "The server is PostgreSQL " + version + ".",
            "Runlane needs PostgreSQL 13 or newer; statements may fail or be slow.",
            "Upgrade the server."));
  }

  private Future<List<Finding>> settings(PgConnection connection, Asked asked) {
    return statements.get(SETTINGS).execute(connection).map(rows -> {
      List<Finding> findings = new ArrayList<>();
      rows.forEach(
          row -> setting(row.getString("name"), row.getString("setting")).ifPresent(findings::add));
      return findings;
    });
  }

  private static Optional<Finding> setting(String name, String value) {
    boolean good =
        switch (name) {
          case "synchronous_commit" -> !value.equals("off");
          case "transaction_read_only" -> value.equals("off");
          default -> value.equals("on");
        };
    if (good) {
      return Optional.empty();
    }
    String meaning =
        switch (name) {
          case "synchronous_commit" ->
            "Runs that were answered as stored may be lost when the server is killed.";
          case "transaction_read_only" ->
            "Nothing can be stored: this is a standby, or the database or role is read-only.";
          case "autovacuum", "track_counts" ->
            "Dead rows are never removed: claims grow slower from hour to hour.";
          default -> "A crash of the machine may destroy the database.";
        };
    String mend =
        switch (name) {
          case "transaction_read_only" -> "Give the address of the primary.";
          default -> "ALTER SYSTEM SET " + name + " = on; SELECT pg_reload_conf();";
        };
    return Optional.of(new Finding(
        "settings",
        name.equals("synchronous_commit") ? WARNING : ERROR,
        name + " is " + value + ".",
        meaning,
        mend));
  }

  /** The server's clock was read between two moments of ours; it may be wrong by half of that. */
  private Future<List<Finding>> clock(PgConnection connection, Asked asked) {
    Instant before = clock.now();
    return statements.get(CLOCK).execute(connection).map(rows -> {
      Instant after = clock.now();
      Instant middle = before.plus(Duration.between(before, after).dividedBy(2));
      Duration ahead = Duration.between(instant(rows.iterator().next(), "now"), middle);
      Duration off = ahead.abs().minus(Duration.between(before, after).dividedBy(2));
      if (off.compareTo(TOLERATED_SKEW) <= 0) {
        return List.of();
      }
      return List.of(new Finding(
          "clock",
          off.compareTo(SEVERE_SKEW) > 0 ? ERROR : WARNING,
          "This machine's clock is " + ahead.abs().toMillis() + " ms "
              + (ahead.isNegative() ? "behind" : "ahead of") + " the database's.",
          "A process on a machine whose clock is off by more than a tenth of the lease claims nothing;"
              + " schedules fire early or late.",
          "timedatectl set-ntp true"));
    });
  }

  private Future<List<Finding>> connections(PgConnection connection, Asked asked) {
    return statements.get(CONNECTIONS).execute(connection).map(rows -> {
      Row row = rows.iterator().next();
      return connections(row.getInteger("used"), row.getInteger("usable"));
    });
  }

  static List<Finding> connections(int used, int usable) {
    if (used * 10L < usable * 8L) {
      return List.of();
    }
    return List.of(new Finding(
        "connections",
        used * 100L >= usable * 95L ? ERROR : WARNING,
        used + " of " + usable + " connections are in use.",
        "Processes that start, and pools that grow, will be refused.",
        "Lower the pools' sizes, put a pooler before the server, or"
            + " ALTER SYSTEM SET max_connections = " + usable * 2 + " and restart it."));
  }

  private Future<List<Finding>> pools(PgConnection connection, Asked asked) {
    return statements
        .get(PROCESSES)
        .execute(connection)
        .compose(living -> statements.get(CONNECTIONS).execute(connection).map(rows -> {
          int processes = living.iterator().next().getInteger("living");
          int usable = rows.iterator().next().getInteger("usable");
          int wanted = processes * (PgStorageOptions.DEFAULT_POOL_SIZE + 1);
          return wanted <= usable
              ? List.<Finding>of()
              : List.of(new Finding(
                  "pools",
                  WARNING,
                  processes + " living processes may open " + wanted
                      + " connections with pools of the default size, but the server has " + usable
                      + ".",
                  "Under load, processes will be refused connections.",
                  "Set poolOptions.maxSize of the processes to "
                      + Math.max(1, usable / Math.max(1, processes) - 1)
                      + ", or put a pooler before the server."));
        }));
  }

  /** A session that LISTENs hears what another one notifies, unless something between takes sessions apart. */
  private Future<List<Finding>> listen(PgConnection connection) {
    String channel = "runlane_doctor_" + UUID.randomUUID().toString().replace("-", "");
    return connect().compose(listener -> {
      Promise<Boolean> heard = Promise.promise();
      listener.notificationHandler(notification -> heard.tryComplete(true));
      return listener
          .query("LISTEN " + channel)
          .execute()
          .compose(listening -> connection.query("NOTIFY " + channel).execute())
          .compose(sent -> heard
              .future()
              .timeout(HEARD_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
              .otherwise(false))
          .map(wasHeard -> wasHeard ? List.<Finding>of() : List.of(deaf()))
          .eventually(() -> listener.close().otherwiseEmpty());
    });
  }

  private static Finding deaf() {
    return new Finding(
        "listen",
        WARNING,
        "A LISTEN on this address hears no NOTIFY.",
        "The address leads through a pooler in transaction mode: wakeups and cancellations come only with"
            + " the next poll.",
        "Set listenOptions to an address that leads past the pooler.");
  }

  private Future<List<Finding>> transactions(PgConnection connection, Asked asked) {
    return list(TRANSACTIONS, connection, asked, row -> {
      boolean prepared = row.getString("kind").equals("prepared");
      return new Finding(
          "long_transactions",
          WARNING,
          (prepared ? "Prepared transaction " : "Backend ") + row.getString("id") + " of "
              + row.getString("who")
              + (row.getString("application").isEmpty()
                  ? ""
                  : " (" + row.getString("application") + ")")
              + " has a transaction open since " + instant(row, "since") + ", "
              + row.getString("state") + ".",
          "Vacuum cannot remove what died since: claims grow slower until it ends.",
          prepared
              ? "ROLLBACK PREPARED '" + row.getString("id").replace("'", "''") + "';"
              : "SELECT pg_terminate_backend(" + row.getString("id") + ");");
    });
  }

  /** Read as a process would at its start, without the right to change anything. */
  private Future<List<Finding>> migrations(PgConnection connection, Asked asked) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(settings.connect())
            .setSchema(settings.schema())
            .setMigrate(false));
    return storage
        .start()
        .transform((started, failure) -> storage.close().otherwiseEmpty().compose(closed -> {
          if (failure == null) {
            return Future.succeededFuture(List.<Finding>of());
          }
          return failure instanceof RunlaneException refused
                  && refused.code() == ErrorCode.CONFIGURATION_INVALID
              ? Future.succeededFuture(List.of(new Finding(
                  "migrations",
                  ERROR,
                  String.valueOf(refused.getMessage()) + ".",
                  "A process that may not migrate does not start.",
                  "runlane migrate --apply --schema " + settings.schema())))
              : Future.failedFuture(failure);
        }));
  }

  private Future<List<Finding>> rights(PgConnection connection, Asked asked) {
    return list(
        RIGHTS,
        connection,
        asked,
        row -> new Finding(
            "rights",
            ERROR,
            "This role lacks " + row.getString("rights") + " on " + asked.schema() + "."
                + row.getString("table_name") + ".",
            "A process of this role fails as soon as it comes to that table.",
            "GRANT " + row.getString("rights") + " ON " + new SchemaName(asked.schema()).sql() + "."
                + row.getString("table_name")
                + " TO CURRENT_USER; -- as the owner, naming the role"));
  }

  private Future<List<Finding>> indexes(PgConnection connection, Asked asked) {
    return list(
            INVALID,
            connection,
            asked,
            row -> new Finding(
                "indexes",
                WARNING,
                "Index " + row.getString("index_name") + " is invalid.",
                "It is written but never read: statements it is for walk the table.",
                "REINDEX INDEX CONCURRENTLY " + new SchemaName(asked.schema()).sql() + "."
                    + row.getString("index_name") + ";"))
        .compose(invalid -> statements.get(PRESENT).execute(connection, asked).map(rows -> {
          Set<String> present = new HashSet<>();
          rows.forEach(row -> present.add(row.getString("index_name")));
          List<Finding> findings = new ArrayList<>(invalid);
          INDEXES.stream()
              .filter(index -> !present.contains(index))
              .forEach(index -> findings.add(new Finding(
                  "indexes",
                  WARNING,
                  "Index " + index + " is missing.",
                  "The statements it is for walk the table, the longer the more runs there are.",
                  "runlane migrate --sql --schema another_name prints how it is made: make it here,"
                      + " CONCURRENTLY.")));
          return findings;
        }));
  }

  private Future<List<Finding>> deadRows(PgConnection connection, Asked asked) {
    return list(
        DEAD_ROWS,
        connection,
        asked,
        row -> new Finding(
            "dead_rows",
            WARNING,
            "Table " + row.getString("table_name") + " has " + row.getLong("dead")
                + " dead rows beside " + row.getLong("living") + " living ones"
                + (row.getOffsetDateTime("vacuumed_at") == null
                    ? ", and was never vacuumed."
                    : ", and was vacuumed at " + instant(row, "vacuumed_at") + "."),
            "Claims walk past the dead ones. Either autovacuum does not come, or an old transaction keeps"
                + " it from removing them.",
            "VACUUM " + new SchemaName(asked.schema()).sql() + "." + row.getString("table_name")
                + ";"));
  }

  private Future<List<Finding>> outbox(PgConnection connection, Asked asked) {
    return statements.get(OUTBOX).execute(connection, asked).map(rows -> {
      Row row = rows.iterator().next();
      List<Finding> findings = new ArrayList<>();
      if (row.getLong("dead") > 0) {
        findings.add(new Finding(
            "outbox",
            ERROR,
            row.getLong("dead") + " wakeups were given up.",
            "Only a polling worker finds their runs.",
            "Mend the transport, which runlane outbox list tells the failures of; then:"
                + " runlane outbox redrive --dead-letters"));
      }
      if (row.getLong("failing") > 0) {
        findings.add(new Finding(
            "outbox",
            WARNING,
            row.getLong("failing") + " wakeups could not be published and are tried again.",
            "Their runs start late.",
            "Look at the transport; runlane runs explain RUN names the failure."));
      }
      if (row.getLong("late") > 0) {
        findings.add(new Finding(
            "outbox",
            ERROR,
            row.getLong("late") + " wakeups are due for more than a minute, the oldest since "
                + instant(row, "oldest") + ".",
            "No process publishes them: no publisher runs, or it cannot keep up.",
            "Start a process with the role outboxPublisher."));
      }
      return findings;
    });
  }

  private Future<List<Finding>> capacity(PgConnection connection, Asked asked) {
    String schema = new SchemaName(asked.schema()).sql();
    return list(
        CAPACITY,
        connection,
        asked,
        row -> new Finding(
            "capacity",
            ERROR,
            "Queue " + row.getString("queue") + ", partition '" + row.getString("partition")
                + "': the row counts " + row.getInteger("counted") + " slots, but "
                + row.getInteger("occupied") + " runs occupy one.",
            row.getInteger("counted") > row.getInteger("occupied")
                ? "Fewer runs than the limit may run, or none."
                : "More runs than the limit may run.",
            "UPDATE " + schema + ".queue_capacity c SET used = (SELECT count(*) FROM " + schema
                + ".active_runs a WHERE a.env = c.env AND a.queue = c.queue AND a.partition ="
                + " c.partition AND a.occupies) WHERE c.queue = " + literal(row.getString("queue"))
                + " AND c.partition = " + literal(row.getString("partition"))
                + "; -- while no worker of the queue runs"));
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private Future<List<Finding>> queues(PgConnection connection, Asked asked) {
    return list(
        QUEUES,
        connection,
        asked,
        row -> new Finding(
            "queues",
            ERROR,
            row.getLong("runs") + " runs of queue " + row.getString("queue")
                + " are due, the oldest since " + instant(row, "oldest")
                + ", and no living process has that queue.",
            "Nobody takes them.",
            "Start a process with the queue, or: runlane runs cancel --queue "
                + row.getString("queue") + " --dry-run"));
  }

  private Future<List<Finding>> leases(PgConnection connection, Asked asked) {
    return statements.get(LEASES).execute(connection, asked).map(rows -> {
      Row row = rows.iterator().next();
      return row.getLong("runs") == 0
          ? List.of()
          : List.of(new Finding(
              "leases",
              ERROR,
              row.getLong("runs") + " runs have lost their worker, the oldest at "
                  + instant(row, "oldest") + ", and nobody took them over.",
              "They stay running, and keep their slots, until a worker of their queue and task comes.",
              "Start a worker of their queue and task: runlane runs list --status running"));
    });
  }

  private Future<List<Finding>> paused(PgConnection connection, Asked asked) {
    return list(
        PAUSED,
        connection,
        asked,
        row -> new Finding(
            "paused",
            WARNING,
            row.getLong("runs") + " runs of queue " + row.getString("queue")
                + " are due, the oldest since " + instant(row, "oldest") + ", but "
                + row.getString("actor") + " paused it at " + instant(row, "paused_at")
                + (row.getString("reason").isEmpty() ? "." : ": " + row.getString("reason")),
            "Nobody takes them until it is resumed; triggers and schedules make more.",
            "runlane queues resume " + row.getString("queue")));
  }

  private Future<List<Finding>> tasks(PgConnection connection, Asked asked) {
    return list(
        TASKS,
        connection,
        asked,
        row -> new Finding(
            "tasks",
            ERROR,
            row.getLong("runs") + " runs of task " + row.getString("task_id") + " in queue "
                + row.getString("queue") + " are due, the oldest since " + instant(row, "oldest")
                + ", and no living process of that queue has the task.",
            "Nobody takes them.",
            "Deploy the task, or: runlane runs cancel --task " + row.getString("task_id")
                + " --queue " + row.getString("queue") + " --dry-run"));
  }

  private Future<List<Finding>> processes(PgConnection connection, Asked asked) {
    return list(
        GONE,
        connection,
        asked,
        row -> new Finding(
            "processes",
            WARNING,
            "Process " + row.getString("process_id") + " on " + row.getString("host")
                + " gave no sign of life since " + instant(row, "last_seen") + ", and holds "
                + row.getLong("runs") + " runs until " + instant(row, "until") + " at the latest.",
            "Nobody works on them, and nobody may take them over before their leases end.",
            "See what became of it; which runs: runlane workers --leases "
                + row.getString("process_id")));
  }

  private Future<List<Finding>> steps(PgConnection connection, Asked asked) {
    return list(
        STEPS,
        connection,
        asked,
        row -> new Finding(
            "steps",
            WARNING,
            row.getLong("steps") + " remote steps of group " + row.getString("grp")
                + " wait to be looked after, the oldest since " + instant(row, "oldest") + ".",
            "Nobody asks workers for them: their runs wait until somebody does.",
            "Start a process with the role stepDispatcher and the step transport."));
  }

  private Future<List<Finding>> list(
      SqlStatement<Asked> statement,
      PgConnection connection,
      Asked asked,
      Function<Row, Finding> finding) {
    return statements.get(statement).execute(connection, asked).map(rows -> {
      List<Finding> findings = new ArrayList<>();
      rows.forEach(row -> findings.add(finding.apply(row)));
      return findings;
    });
  }

  private static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }
}
