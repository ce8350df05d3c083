package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.postgres.options.PgAddress;
import dev.runlane.postgres.options.PgCredentials;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Passwords that change while connections are made: no process is started again for them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CredentialsTest {
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofSeconds(30), Duration.ofSeconds(1));
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ROLE = "rotated_role";

  private final Database database = Database.shared();
  private final List<Pool> pools = new ArrayList<>();

  @TempDir
  private Path folder;

  @BeforeEach
  void createRole() {
    database.sql("CREATE ROLE " + ROLE + " LOGIN");
    rotate("first");
  }

  @AfterEach
  void dropRole() {
    pools.forEach(pool -> Database.done(pool.close()));
    database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + ROLE
        + "'; DROP ROLE " + ROLE);
    database.close();
  }

  /** From now on the role has this password, and its sessions are gone. */
  private void rotate(String password) {
    database.sql("ALTER ROLE " + ROLE + " PASSWORD '" + password + "'");
    database.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + ROLE + "'");
  }

  private Pool pool(PgConnectOptions address) {
    Pool pool =
        PgConnections.pool(database.vertx(), address, new PoolOptions().setMaxSize(2), BOUNDS);
    pools.add(pool);
    return pool;
  }

  private static Future<String> user(Pool pool) {
    return pool.query("SELECT current_user")
        .execute()
        .map(rows -> rows.iterator().next().getString(0));
  }

  /** The pool learns from the first statement that a connection is gone. */
  private static String userInTheEnd(Pool pool) {
    return Database.inTheEnd(() -> user(pool));
  }

  private PgConnectOptions asked(Supplier<Future<PgCredentials>> source) {
    return PgCredentials.forEachConnection(database.optionsOf("nobody", "knows"), source);
  }

  @Test
  void every_new_connection_asks_who_logs_in() {
    AtomicReference<String> password = new AtomicReference<>("first");
    AtomicInteger times = new AtomicInteger();
    Pool pool = pool(PgTuning.tuned(
        asked(() -> {
          times.incrementAndGet();
          return Future.succeededFuture(new PgCredentials(ROLE, password.get()));
        }),
        Duration.ofSeconds(1),
        Duration.ofSeconds(10)));
    assertThat(Database.done(user(pool))).isEqualTo(ROLE);
    assertThat(Database.done(user(pool))).isEqualTo(ROLE);
    assertThat(times).as("a connection that is there asks nobody").hasValue(1);

    password.set("second");
    rotate("second");

    assertThat(userInTheEnd(pool)).isEqualTo(ROLE);
  }

  @Test
  void a_listener_hears_again_after_its_password_was_changed() {
    AtomicReference<String> password = new AtomicReference<>("first");
    PgListener listener = new PgListener(
        database.vertx(),
        asked(() -> Future.succeededFuture(new PgCredentials(ROLE, password.get()))));
    AtomicInteger heard = new AtomicInteger();
    Subscription subscription =
        Database.done(listener.listen("rotated", payload -> heard.incrementAndGet(), () -> {}));

    password.set("second");
    rotate("second");

    assertThat(Poll.until(PATIENCE, () -> {
          database.sql("NOTIFY rotated, 'again'");
          return heard.get() > 0;
        }))
        .isTrue();
    Database.done(subscription.close());
    Database.done(listener.close());
  }

  @Test
  void a_source_that_fails_throws_or_is_late_makes_no_connection_and_is_asked_again() {
    List<Supplier<Future<PgCredentials>>> answers = new ArrayList<>(List.of(
        () -> Future.failedFuture("the vault is sealed"),
        () -> {
          throw new IllegalStateException("the vault is away");
        },
        () -> Future.succeededFuture(new PgCredentials(ROLE, "first"))));
    Pool pool = pool(asked(() -> answers.remove(0).get()));

    assertThat(refused(user(pool))).hasMessageContaining("the vault is sealed");
    assertThat(refused(user(pool))).hasMessageContaining("the vault is away");
    assertThat(Database.done(user(pool))).isEqualTo(ROLE);

    Promise<PgCredentials> late = Promise.promise();
    Pool patient = PgConnections.pool(
        database.vertx(),
        asked(late::future),
        new PoolOptions().setMaxSize(1),
        ConnectionBounds.of(Duration.ofMillis(300), Duration.ofSeconds(1)));
    pools.add(patient);
    refused(user(patient));
    late.complete(new PgCredentials(ROLE, "first"));
    assertThat(Database.done(user(patient))).isEqualTo(ROLE);
  }

  @Test
  void a_wrong_password_is_an_outage_that_names_no_password() {
    RunlaneException failure = refused(
        user(pool(asked(() -> Future.succeededFuture(new PgCredentials(ROLE, "of yesterday"))))));

    assertThat(failure).hasMessageContaining(" as " + ROLE);
    assertThat(failure.getMessage()).doesNotContain("of yesterday");
    assertThat(new PgCredentials(ROLE, "secret").toString()).doesNotContain("secret");
  }

  @Test
  void the_file_of_passwords_that_an_address_names_is_read_for_each_connection()
      throws IOException {
    PgConnectOptions direct = database.optionsOf(ROLE, "");
    Path file = folder.resolve("pgpass");
    PgConnectOptions address = PgAddress.parse("postgresql://" + ROLE + "@" + direct.getHost() + ":"
        + direct.getPort() + "/" + direct.getDatabase() + "?passfile=" + file);
    Pool pool = pool(PgTuning.plain(address));
    assertThat(refused(user(pool))).hasMessageContaining(file.toString());
    Files.writeString(file, "# not yet\nelsewhere:*:*:*:first\n");
    assertThat(refused(user(pool))).hasMessageContaining("has no line");

    Files.writeString(file, "elsewhere:*:*:*:wrong\n*:*:*:" + ROLE + ":first\n*:*:*:*:wrong\n");
    assertThat(Database.done(user(pool))).isEqualTo(ROLE);

    Files.writeString(file, "*:" + direct.getPort() + ":*:*:se\\:co\\\\nd:s\n");
    rotate("se:co\\nd:s");
    assertThat(userInTheEnd(pool)).isEqualTo(ROLE);
  }

  private static RunlaneException refused(Future<?> connecting) {
    RunlaneException typed =
        (RunlaneException) Database.failure(connecting.recover(PgFailures.during("connecting")));
    assertThat(typed.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(typed.isRetryable()).isTrue();
    return typed;
  }
}
