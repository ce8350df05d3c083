package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Examination.instant;
import static dev.runlane.cli.doctor.Finding.Severity.ERROR;
import static dev.runlane.cli.doctor.Finding.Severity.NOTE;
import static dev.runlane.cli.doctor.Finding.Severity.WARNING;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The checks of the server, whatever it holds. */
final class ServerChecks {
  private static final Duration HEARD_WITHIN = Duration.ofSeconds(10);
  private static final Duration TOLERATED_SKEW = Duration.ofSeconds(1);
  private static final Duration SEVERE_SKEW = Duration.ofSeconds(3); // a tenth of the usual lease
  private static final int OLDEST_VERSION = 130_000;
  private static final Duration LONGEST_STATEMENT =
      PgStorageOptions.DEFAULT_STATEMENT_TIMEOUT; // a process's own
  private static final long MUCH_LOG = 1L << 30;
  private static final long MANY_TRANSACTIONS = 100_000;

  private static final SqlStatement<@Nullable Void> VERSION = SqlStatement.plain("server_version");
  private static final SqlStatement<@Nullable Void> SETTINGS = SqlStatement.plain("settings");
  private static final SqlStatement<Asked> TRANSACTIONS = SqlStatement.of(
      "long_transactions", new Parameters<Asked>().time("before", Asked::longSince));
  private static final SqlStatement<@Nullable Void> HIDDEN = SqlStatement.plain("hidden_sessions");
  private static final SqlStatement<@Nullable Void> SLOTS = SqlStatement.plain("idle_slots");
  static final SqlStatement<@Nullable Void> CONNECTIONS = SqlStatement.plain("connections");

  static final List<SqlStatement<?>> STATEMENTS =
      List.of(VERSION, SETTINGS, TRANSACTIONS, HIDDEN, SLOTS, CONNECTIONS);

  static final List<Check> ALL = List.of(
      new Check("version", examination -> examination
          .plainRow(VERSION)
          .map(row -> version(row.getInteger("number"), row.getString("version")))),
      new Check("settings", ServerChecks::settings),
      new Check("clock", ServerChecks::clock),
      new Check("connections", examination -> examination
          .plainRow(CONNECTIONS)
          .map(row -> connections(row.getInteger("used"), row.getInteger("usable")))),
      new Check("listen", ServerChecks::listen),
      new Check("long_transactions", ServerChecks::transactions),
      new Check("replication_slots", ServerChecks::slots));

  private ServerChecks() {}

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

  private static Future<List<Finding>> settings(Examination examination) {
    return examination
        .statements()
        .get(SETTINGS)
        .execute(examination.connection())
        .map(rows -> {
          List<Finding> findings = new ArrayList<>();
          rows.forEach(row -> setting(
                  row.getString("name"),
                  row.getString("setting"),
                  row.getBoolean("is_standby"),
                  row.getString("reset"))
              .ifPresent(findings::add));
          return findings;
        });
  }

  /** @param reset takes back what was set for the role or the database; null where neither has set it */
  static Optional<Finding> setting(
      String name, String value, boolean isStandby, @Nullable String reset) {
    boolean good =
        switch (name) {
          case "synchronous_commit" -> !value.equals("off");
          case "transaction_read_only" -> value.equals("off");
          case "transaction_timeout" ->
            value.equals("0") || Long.parseLong(value) > LONGEST_STATEMENT.toMillis();
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
          case "transaction_timeout" ->
            "A statement that takes longer fails, and its connection is closed; processes set no other.";
          case "autovacuum", "track_counts" ->
            "Dead rows are never removed: claims grow slower from hour to hour.";
          default -> "A crash of the machine may destroy the database.";
        };
    return Optional.of(new Finding(
        "settings",
        name.equals("synchronous_commit") || name.equals("transaction_timeout") ? WARNING : ERROR,
        name + " is " + value + (name.equals("transaction_timeout") ? " ms." : "."),
        meaning,
        mend(name, isStandby, reset)));
  }

  private static String mend(String name, boolean isStandby, @Nullable String reset) {
    if (name.equals("transaction_read_only") && isStandby) {
      return "Give the address of the primary.";
    }
    if (reset != null) {
      return reset;
    }
    return switch (name) {
      case "transaction_read_only" -> system("default_transaction_read_only", "off");
      case "transaction_timeout" -> system(name, "0");
      default -> system(name, "on");
    };
  }

  private static String system(String name, String value) {
    return "ALTER SYSTEM SET " + name + " = " + value + "; SELECT pg_reload_conf();";
  }

  /** The server's clock was read between two moments of ours; it may be wrong by half of that. */
  private static Future<List<Finding>> clock(Examination examination) {
    Instant before = examination.clock().now();
    return examination.now().map(now -> {
      Instant after = examination.clock().now();
      Instant middle = before.plus(Duration.between(before, after).dividedBy(2));
      Duration ahead = Duration.between(now, middle);
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

  /** A session that LISTENs hears what another one notifies, unless something between takes sessions apart. */
  private static Future<List<Finding>> listen(Examination examination) {
    String channel = "runlane_doctor_" + UUID.randomUUID().toString().replace("-", "");
    return Examination.connect(examination.vertx(), examination.settings(), examination.patience())
        .compose(listener -> {
          Promise<Boolean> heard = Promise.promise();
          listener.notificationHandler(notification -> heard.tryComplete(true));
          return listener
              .query("LISTEN " + channel)
              .execute()
              .compose(listening ->
                  examination.connection().query("NOTIFY " + channel).execute())
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

  private static Future<List<Finding>> transactions(Examination examination) {
    return longTransactions(examination)
        .compose(found -> examination.plainRow(HIDDEN).map(row -> {
          if (row.getInteger("hidden") == 0) {
            return found;
          }
          List<Finding> findings = new ArrayList<>(found);
          findings.add(hidden(row.getInteger("hidden"), row.getString("role")));
          return findings;
        }));
  }

  private static Finding hidden(int sessions, String role) {
    return new Finding(
        "long_transactions",
        NOTE,
        sessions + " sessions of other roles are not shown to " + role + ".",
        "Whether one of them holds back vacuum with a transaction that stays open is not known.",
        "GRANT pg_read_all_stats TO " + role + "; -- as a superuser");
  }

  private static Future<List<Finding>> slots(Examination examination) {
    return examination.statements().get(SLOTS).execute(examination.connection()).map(rows -> {
      List<Finding> findings = new ArrayList<>();
      rows.forEach(row -> findings.addAll(slot(
          row.getString("name"), row.getLong("kept_bytes"), row.getLong("held_transactions"))));
      return findings;
    });
  }

  /** What a slot that nobody reads from keeps of the log, and of rows that died. */
  static List<Finding> slot(String name, long keptBytes, long heldTransactions) {
    List<String> kept = new ArrayList<>();
    List<String> meaning = new ArrayList<>();
    if (keptBytes >= MUCH_LOG) {
      kept.add("keeps " + keptBytes / MUCH_LOG + " GiB of the server's log");
      meaning.add("The disk fills up, and a server whose disk is full stores nothing.");
    }
    if (heldTransactions >= MANY_TRANSACTIONS) {
      kept.add("keeps rows that died up to " + heldTransactions + " transactions ago");
      meaning.add("Vacuum cannot remove them: claims grow slower from hour to hour.");
    }
    return kept.isEmpty()
        ? List.of()
        : List.of(new Finding(
            "replication_slots",
            WARNING,
            "Nobody reads from replication slot " + name + ", which " + String.join(" and ", kept)
                + ".",
            String.join(" ", meaning),
            "Start its reader, or, where that will not come back: SELECT pg_drop_replication_slot('"
                + name + "');"));
  }

  private static Future<List<Finding>> longTransactions(Examination examination) {
    return examination.rows(TRANSACTIONS, row -> {
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
}
