package dev.runlane.cli.doctor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What no test makes of its own server: another release, no connection left, gigabytes of log. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ServerRulesTest {
  @Test
  void postgres_before_13_is_an_error() {
    assertThat(ServerChecks.version(120_022, "12.22"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.text()).contains("PostgreSQL 12.22"));
    assertThat(ServerChecks.version(130_000, "13.0")).isEmpty();
  }

  @Test
  void a_replication_slot_that_nobody_reads_from_is_a_warning_once_it_keeps_much() {
    assertThat(ServerChecks.slot("standby", (1L << 30) - 1, 99_999)).isEmpty();
    assertThat(ServerChecks.slot("standby", 3L << 30, 0)).singleElement().satisfies(finding -> {
      assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
      assertThat(finding.text())
          .isEqualTo(
              "Nobody reads from replication slot standby, which keeps 3 GiB of the server's log.");
      assertThat(finding.mend()).contains("SELECT pg_drop_replication_slot('standby');");
    });
    assertThat(ServerChecks.slot("standby", 0, 100_000))
        .singleElement()
        .satisfies(finding -> assertThat(finding.text())
            .contains("which keeps rows that died up to 100000 transactions ago."));
  }

  @Test
  void a_transaction_may_take_as_long_as_a_statement_of_a_process() {
    assertThat(ServerChecks.setting("transaction_timeout", "0", false, null)).isEmpty();
    assertThat(ServerChecks.setting("transaction_timeout", "60000", false, null))
        .isEmpty();
    assertThat(
            ServerChecks.setting("transaction_timeout", "1000", false, "ALTER ROLE me RESET it;"))
        .hasValueSatisfying(finding -> {
          assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
          assertThat(finding.text()).isEqualTo("transaction_timeout is 1000 ms.");
          assertThat(finding.mend()).isEqualTo("ALTER ROLE me RESET it;");
        });
    assertThat(ServerChecks.setting("transaction_timeout", "1000", false, null))
        .hasValueSatisfying(finding ->
            assertThat(finding.mend()).startsWith("ALTER SYSTEM SET transaction_timeout = 0;"));
  }

  @Test
  void a_server_that_takes_no_writes_is_a_standby_or_was_told_so() {
    assertThat(ServerChecks.setting("transaction_read_only", "on", true, null))
        .hasValueSatisfying(
            finding -> assertThat(finding.mend()).isEqualTo("Give the address of the primary."));
    assertThat(ServerChecks.setting("transaction_read_only", "on", false, null))
        .hasValueSatisfying(finding -> assertThat(finding.mend())
            .startsWith("ALTER SYSTEM SET default_transaction_read_only = off;"));
  }

  @Test
  void connections_that_run_out_are_a_warning_and_then_an_error() {
    assertThat(ServerChecks.connections(79, 100)).isEmpty();
    assertThat(ServerChecks.connections(80, 100))
        .singleElement()
        .extracting(Finding::severity)
        .isEqualTo(Finding.Severity.WARNING);
    assertThat(ServerChecks.connections(97, 100))
        .singleElement()
        .extracting(Finding::severity)
        .isEqualTo(Finding.Severity.ERROR);
  }

  @Test
  void connections_of_other_roles_count_without_rights_on_statistics() {
    PgConnectOptions owner = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("counted").toUri());
    Vertx vertx = Vertx.vertx();
    try {
      List<PgConnection> held = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        held.add(await(PgConnection.connect(vertx, owner)));
      }
      await(held.get(0).query("CREATE ROLE counts LOGIN PASSWORD 'p'").execute());
      PgConnection other = await(PgConnection.connect(
          vertx, new PgConnectOptions(owner).setUser("counts").setPassword("p")));

      assertThat(used(other)).isGreaterThanOrEqualTo(4);
      assertThat(Poll.until(Duration.ofSeconds(60), () -> used(other) == used(held.get(0))))
          .as("as many as the owner sees, once no other session begins or ends")
          .isTrue();
    } finally {
      await(vertx.close());
    }
  }

  private static int used(PgConnection connection) {
    return await(Doctor.statements(new SchemaName("none"))
            .get(ServerChecks.CONNECTIONS)
            .execute(connection))
        .iterator()
        .next()
        .getInteger("used");
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
