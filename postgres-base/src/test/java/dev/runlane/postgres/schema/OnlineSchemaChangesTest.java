package dev.runlane.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.postgres.Database;
import dev.runlane.postgres.schema.LockHolders.Holder;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OnlineSchemaChangesTest {
  private static final Duration SHORT = Duration.ofSeconds(119);
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final Holder AUTOVACUUM = holder("3/1", 7, "autovacuum worker", true, false, 1000);
  private static final Holder SESSION = holder("4/1", 8, "client backend", false, false, 1000);

  private final Database database = Database.shared();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void who_is_waited_for_is_told_once_and_a_session_is_never_waited_for_longer() {
    database.sql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS lane CASCADE;"
        + " CREATE SCHEMA lane; CREATE TABLE lane.things (id integer)");
    PgConnection maintenance = database.connect();
    run(maintenance, "BEGIN; LOCK lane.things IN SHARE UPDATE EXCLUSIVE MODE");
    PgConnection connection = database.connect();
    List<String> waits = new ArrayList<>();

    List<String> logged = CapturedErrors.during(() -> Database.failure(
        changes(connection).run("a change", transaction -> change(transaction, waits))));

    assertThat(logged)
        .filteredOn(line -> line.contains("a change still waits for locks that others hold: pid "))
        .hasSize(1)
        .allMatch(line -> line.endsWith(" has things"));
    assertThat(waits).hasSizeGreaterThan(5).containsOnly("40ms");
  }

  private static Future<Void> change(SqlConnection transaction, List<String> waits) {
    return transaction.query("SHOW lock_timeout").execute().compose(shown -> {
      waits.add(shown.iterator().next().getString(0));
      return transaction.query("LOCK lane.things").execute().mapEmpty();
    });
  }

  private OnlineSchemaChanges changes(PgConnection connection) {
    return new OnlineSchemaChanges(
        new HurriedTimers(Timers.of(database.vertx())),
        Duration.ofMinutes(5),
        work -> work.apply(connection),
        new SchemaName("lane"),
        "changes");
  }

  @Test
  @Timeout(300) // autovacuum may be late where the machine is busy, never that late
  void a_real_autovacuum_is_ended_by_a_role_that_may_not_even_see_it() {
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder().setting("autovacuum_naptime", "1s").start()) {
      PgConnectOptions options =
          PgConnectOptions.fromUri(server.createDatabase("vacuumed").toUri());
      PgConnection admin = Database.done(PgConnection.connect(database.vertx(), options));
      run(admin, """
          CREATE ROLE app LOGIN PASSWORD 'secret';
          CREATE SCHEMA lane AUTHORIZATION app;
          SET ROLE app;
          CREATE TABLE lane.things (id integer, filler text) WITH (autovacuum_vacuum_threshold = 0,
            autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
          INSERT INTO lane.things SELECT n, repeat('x', 500) FROM generate_series(1, 50000) n;
          DELETE FROM lane.things WHERE id % 2 = 0;
          RESET ROLE;
          """);
      assertThat(Poll.until(Duration.ofMinutes(4), () -> run(admin, """
              SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
              WHERE l.relation = 'lane.things'::regclass AND a.backend_type = 'autovacuum worker'
              """).size() > 0))
          .isTrue(); // it stays for some minutes
      PgConnection app = Database.done(
          PgConnection.connect(database.vertx(), options.setUser("app").setPassword("secret")));
      List<String> waits = new ArrayList<>();

      List<String> logged = CapturedErrors.during(() ->
          Database.done(changes(app).run("a change", transaction -> change(transaction, waits))));

      assertThat(logged).anyMatch(line -> line.endsWith(" (autovacuum worker) has things"));
      assertThat(waits).startsWith("40ms", "40ms", "40ms", "40ms", "1100ms");
      Database.done(app.close());
      Database.done(admin.close());
    }
  }

  private static RowSet<Row> run(PgConnection connection, String sql) {
    return Database.done(connection.query(sql).execute());
  }

  @Test
  void an_autovacuum_that_alone_was_in_the_way_for_long_is_ended_once_a_minute() {
    LockHolders alone = lasting(AUTOVACUUM);

    assertThat(OnlineSchemaChanges.endsAutovacuum(SHORT, null, alone)).isFalse();
    assertThat(OnlineSchemaChanges.endsAutovacuum(LONG, null, alone)).isTrue();
    assertThat(OnlineSchemaChanges.endsAutovacuum(LONG, Duration.ofSeconds(59), alone))
        .isFalse();
    assertThat(OnlineSchemaChanges.endsAutovacuum(LONG, Duration.ofSeconds(60), alone))
        .isTrue();
  }

  @Test
  void nobody_waits_longer_for_what_does_not_yield() {
    assertThat(yields(LockHolders.UNKNOWN)).isFalse();
    assertThat(yields(lasting())).isFalse();
    assertThat(yields(lasting(SESSION))).isFalse();
    assertThat(yields(lasting(AUTOVACUUM, SESSION))).isFalse();
    assertThat(yields(lasting(holder("3/1", 7, "autovacuum worker", true, true, 1000))))
        .isFalse();
    assertThat(yields(lasting(holder("3/1", 7, "autovacuum worker", true, false, 10_000))))
        .isFalse();
    assertThat(yields(lasting(holder("-1/700", null, null, false, false, 1000))))
        .isFalse();
    assertThat(yields(lasting(holder("4/1", 8, null, false, false, 1000)))).isFalse();
  }

  @Test
  void an_autovacuum_is_known_without_the_right_to_see_its_type() {
    LockHolders hidden = lasting(holder("3/1", 7, null, true, false, 1000));

    assertThat(yields(hidden)).isTrue();
    assertThat(hidden).hasToString("pid 7 (autovacuum worker) has things");
  }

  @Test
  void who_has_let_go_between_two_looks_is_not_named() {
    Holder next = holder("4/2", 8, "client backend", false, false, 1000);

    LockHolders holders = lasting(AUTOVACUUM, SESSION).after(List.of(AUTOVACUUM, next));

    assertThat(holders).hasToString("pid 7 (autovacuum worker) has things");
    assertThat(yields(holders)).isTrue();
    assertThat(holders.after(List.of())).hasToString("others, none of them for long");
  }

  private static boolean yields(LockHolders holders) {
    return OnlineSchemaChanges.endsAutovacuum(LONG, null, holders);
  }

  private static LockHolders lasting(Holder... holders) {
    return LockHolders.UNKNOWN.after(List.of(holders));
  }

  private static Holder holder(
      String transaction,
      @Nullable Integer pid,
      @Nullable String type,
      boolean hasNoUser,
      boolean preventsWraparound,
      int deadlockTimeoutMillis) {
    return new Holder(
        transaction,
        pid,
        type,
        hasNoUser,
        preventsWraparound,
        deadlockTimeoutMillis,
        null,
        null,
        "things");
  }

  /** Each pause counts as one of 30 seconds, and is over at once. */
  private static final class HurriedTimers implements Timers {
    private final Timers timers;
    private Duration passed = Duration.ZERO;

    HurriedTimers(Timers timers) {
      this.timers = timers;
    }

    @Override
    public Timer schedule(Duration delay, Runnable action) {
      passed = passed.plusSeconds(30);
      return timers.schedule(Duration.ofMillis(1), action);
    }

    @Override
    public Duration elapsed() {
      return passed;
    }
  }
}
