package dev.runlane.storage.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PgStorageOptionsTest {
  @Test
  void a_copy_has_everything_and_shares_nothing() {
    PgStorageOptions options = new PgStorageOptions()
        .setSchema("lane")
        .setConnectOptions(new PgConnectOptions().setPort(7))
        .setPoolOptions(new PoolOptions().setMaxSize(3))
        .setBatchSize(10)
        .setMaxPending(20)
        .setStatementSlots(3)
        .setLockTimeout(Duration.ofMillis(30))
        .setStatementTimeout(Duration.ofSeconds(4))
        .setStatementDeadline(Duration.ofSeconds(5))
        .setCloseTimeout(Duration.ofSeconds(6))
        .setMaxPendingBytes(30)
        .setMigrate(false);

    PgStorageOptions copy = new PgStorageOptions(options);
    options.setSchema("other").getConnectOptions().setPort(8);
    options.getPoolOptions().setMaxSize(9);

    assertThat(copy.getSchema()).isEqualTo("lane");
    assertThat(copy.getConnectOptions().getPort()).isEqualTo(7);
    assertThat(copy.getPoolOptions().getMaxSize()).isEqualTo(3);
    assertThat(copy.getBatchSize()).isEqualTo(10);
    assertThat(copy.getMaxPending()).isEqualTo(20);
    assertThat(copy.getStatementSlots()).isEqualTo(3);
    assertThat(copy.getLockTimeout()).isEqualTo(Duration.ofMillis(30));
    assertThat(copy.getStatementTimeout()).isEqualTo(Duration.ofSeconds(4));
    assertThat(copy.getStatementDeadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(copy.getCloseTimeout()).isEqualTo(Duration.ofSeconds(6));
    assertThat(copy.getMaxPendingBytes()).isEqualTo(30);
    assertThat(copy.isMigrate()).isFalse();
  }

  @Test
  void a_pooler_is_remembered_in_every_copy_and_the_listen_connection_leads_past_it() {
    PgStorageOptions options = new PgStorageOptions()
        .setConnectOptions(new PgConnectOptions().setPort(6432).setUseLayer7Proxy(true));

    assertThat(options.getListenOptions().getPort()).isEqualTo(6432);
    PgStorageOptions copy =
        new PgStorageOptions(options.setListenOptions(new PgConnectOptions().setPort(5432)));

    assertThat(copy.getConnectOptions().getUseLayer7Proxy()).isTrue();
    assertThat(copy.getListenOptions().getPort()).isEqualTo(5432);
    assertThat(copy.getListenOptions().getUseLayer7Proxy()).isFalse();
  }

  @Test
  void the_deadline_of_a_statement_follows_its_timeout_unless_it_was_set() {
    PgStorageOptions options = new PgStorageOptions();

    assertThat(options.getStatementDeadline()).isEqualTo(Duration.ofSeconds(35));
    options.setStatementTimeout(Duration.ofMinutes(1));
    assertThat(options.getStatementDeadline()).isEqualTo(Duration.ofSeconds(65));
    options.setStatementDeadline(Duration.ofSeconds(7)).setStatementTimeout(Duration.ofSeconds(1));
    assertThat(options.getStatementDeadline()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void values_out_of_bounds_are_refused_at_once() {
    List<Consumer<PgStorageOptions>> malformed = List.of(
        options -> options.setSchema("Lane"),
        options -> options.setBatchSize(0),
        options -> options.setBatchSize(1_001),
        options -> options.setMaxPending(0),
        options -> options.setMaxPending(10_000_001),
        options -> options.setStatementSlots(0),
        options -> options.setStatementSlots(65),
        options -> options.setLockTimeout(Duration.ZERO),
        options -> options.setLockTimeout(Duration.ofDays(24).plusMillis(1)),
        options -> options.setStatementTimeout(Duration.ofMillis(-1)),
        options -> options.setStatementTimeout(Duration.ofDays(25)),
        options -> options.setStatementDeadline(Duration.ZERO),
        options -> options.setCloseTimeout(Duration.ZERO),
        options -> options.setMaxPendingBytes(0));

    for (Consumer<PgStorageOptions> each : malformed) {
      assertThatThrownBy(() -> each.accept(new PgStorageOptions()))
          .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
  }
}
