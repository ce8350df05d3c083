package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.postgres.options.PgAddress;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An address with several hosts, of which one takes writes, as after a failover without a name that follows. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SeveralServersTest {
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofSeconds(12), Duration.ofSeconds(1));

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Database database = new Database();
  private final TcpLine first = line(); // both lead to one server
  private final TcpLine second = line();
  private final List<Pool> pools = new ArrayList<>();

  @AfterEach
  void close() {
    pools.forEach(pool -> Database.done(pool.close()));
    first.close();
    second.close();
    database.close();
  }

  private TcpLine line() {
    return new TcpLine(database.options().getHost(), database.options().getPort());
  }

  private PgConnectOptions address(String parameters) {
    PgConnectOptions login = database.options();
    return PgTuning.plain(
        PgAddress.parse("postgresql://" + login.getUser() + ":" + login.getPassword()
            + "@127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port() + "/"
            + login.getDatabase() + parameters));
  }

  private Pool pool(PgConnectOptions address) {
    Pool pool =
        PgConnections.pool(database.vertx(), address, new PoolOptions().setMaxSize(1), BOUNDS);
    pools.add(pool);
    return pool;
  }

  private static Future<Integer> one(Pool pool) {
    return pool.query("SELECT 1").execute().map(rows -> rows.iterator().next().getInteger(0));
  }

  @Test
  void the_next_server_is_taken_where_one_refuses_or_is_silent() {
    first.close();
    assertThat(Database.done(one(pool(address(""))))).isEqualTo(1);
    assertThat(second.open()).isEqualTo(1);
  }

  @Test
  void a_silent_server_has_its_share_of_the_time_for_connecting() {
    first.silence();

    assertThat(Database.done(one(pool(address(""))))).isEqualTo(1);
    assertThat(second.open()).isEqualTo(1);
  }

  @Test
  void a_server_that_was_connected_to_is_asked_first_from_then_on() {
    first.silence();
    Pool pool = pool(address(""));
    Database.done(one(pool));
    first.speak();

    database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        + " WHERE datname = current_database() AND pid <> pg_backend_pid()");

    assertThat(Database.inTheEnd(() -> one(pool))).isEqualTo(1);
    assertThat(second.open()).isEqualTo(1);
    assertThat(Poll.until(PATIENCE, () -> first.open() == 0)).isTrue();
  }

  @Test
  void a_server_that_takes_no_writes_is_passed_over_unless_any_will_do() {
    database.sql("ALTER DATABASE " + database.options().getDatabase()
        + " SET default_transaction_read_only = on");

    RunlaneException failure = refused(one(pool(address(""))));
    assertThat(failure)
        .hasMessageContaining("127.0.0.1:" + first.port())
        .hasMessageContaining("127.0.0.1:" + second.port())
        .hasMessageContaining("it takes no writes");
    assertThat(failure.getMessage()).doesNotContain(database.options().getPassword());

    assertThat(Database.done(one(pool(address("?target_session_attrs=any"))))).isEqualTo(1);
    assertThat(first.open()).isEqualTo(1);
  }

  @Test
  void a_standby_is_passed_over_until_it_has_taken_over() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start();
        EmbeddedPostgres standby = primary.startStandby()) {
      Pool pool = pool(PgTuning.plain(PgAddress.parse("postgresql://postgres:" + primary.password()
          + "@" + standby.host() + ":" + standby.port() + "," + primary.host() + ":"
          + primary.port() + "/postgres")));
      Database.done(pool.query("CREATE TABLE written ()").execute());

      primary.kill();
      assertThat(Poll.until(
              PATIENCE, () -> refused(one(pool)).getMessage().contains("it takes no writes")))
          .isTrue();
      standby.promote();

      Database.inTheEnd(() -> pool.query("DROP TABLE written").execute());
    }
  }

  @Test
  void hosts_are_read_as_by_libpq() {
    PgConnectOptions address =
        PgAddress.parse("postgresql://me@one,two:5433,[::1]:5434,[::2]/shop?sslmode=require");

    assertThat(new PgServers(database.vertx()).candidates(address))
        .extracting(each -> each.getHost() + " " + each.getPort() + " " + each.getUser())
        .containsExactly("one 5432 me", "two 5433 me", "::1 5434 me", "::2 5432 me");
    assertThat(new PgServers(database.vertx())
            .candidates(PgAddress.parse("postgresql://one/shop?target_session_attrs=read-write")))
        .singleElement()
        .satisfies(
            only -> assertThat(only.getProperties()).doesNotContainKey("target_session_attrs"));
  }

  @Test
  void a_pooler_is_told_of_no_setting_in_the_first_message_that_it_was_not_told_to_ignore() {
    PgConnectOptions tuned = PgTuning.tuned(
        PgAddress.parse("postgresql://one,two/shop"), Duration.ofSeconds(1), Duration.ofSeconds(1));

    assertThat(new PgServers(database.vertx()).candidates(tuned))
        .hasSize(2)
        .allSatisfy(
            each -> assertThat(each.getProperties()).doesNotContainKey(PgTuning.OPERATOR_COST));
  }

  @Test
  void what_a_comparison_costs_is_set_behind_the_first_message() {
    Pool pool =
        pool(PgTuning.tuned(database.options(), Duration.ofSeconds(1), Duration.ofSeconds(10)));

    assertThat(Database.done(pool.query("SHOW " + PgTuning.OPERATOR_COST).execute())
            .iterator()
            .next()
            .getString(0))
        .isEqualTo(PgTuning.LITTLE);
  }

  @Test
  void a_comma_in_a_password_makes_no_hosts_of_it() {
    PgConnectOptions escaped = PgAddress.parse("postgresql://me:a%2Cb@one,two/shop");
    assertThat(escaped.getHost()).isEqualTo("one,two");
    assertThat(escaped.getPassword()).isEqualTo("a,b");

    for (String unescaped : List.of("secret,b", "secret,b/c")) {
      RunlaneException failure = catchThrowableOfType(
          RunlaneException.class,
          () -> PgTuning.plain(PgAddress.parse("postgresql://me:" + unescaped + "@one/shop")));
      assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
      assertThat(failure.getMessage()).doesNotContain("secret");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://one,/shop",
        "postgresql://,one/shop",
        "postgresql://one,two:0/shop",
        "postgresql://one,two:70000/shop",
        "postgresql://one,two:p/shop",
        "postgresql://one,two/shop?target_session_attrs=standby"
      })
  void hosts_and_wishes_that_cannot_be_met_are_refused(String address) {
    assertThat(catchThrowableOfType(
                RunlaneException.class, () -> PgTuning.plain(PgAddress.parse(address)))
            .code())
        .isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }

  private static RunlaneException refused(Future<?> connecting) {
    return (RunlaneException) Database.failure(connecting.recover(PgFailures.during("connecting")));
  }
}
