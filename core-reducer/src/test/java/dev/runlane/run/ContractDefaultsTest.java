package dev.runlane.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The numbers, literally: users rely on them where they choose nothing. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ContractDefaultsTest {

  @Test
  void sequences_start_at_zero_and_stay_exact_in_every_json_reader() {
    assertThat(ContractDefaults.NEW_EVENT_SEQUENCE).isZero();
    assertThat(ContractDefaults.MAX_EVENT_SEQUENCE).isEqualTo(9_007_199_254_740_991L);
  }

  @Test
  void names_and_actor_are_those_of_the_contract() {
    assertThat(ContractDefaults.QUEUE).isEqualTo("default");
    assertThat(ContractDefaults.LANE_NAME).isEqualTo("lane");
    assertThat(ContractDefaults.SYSTEM_ACTOR).isEqualTo(new Actor(Actor.Type.SYSTEM, null));
  }

  @Test
  void times_are_those_of_the_contract() {
    assertThat(ContractDefaults.IDEMPOTENCY_KEY_TTL).isEqualTo(Duration.ofDays(30));
    assertThat(ContractDefaults.LEASE).isEqualTo(Duration.ofSeconds(30));
    assertThat(ContractDefaults.BACKOFF_FIRST).isEqualTo(Duration.ofSeconds(1));
    assertThat(ContractDefaults.BACKOFF_MOST).isEqualTo(Duration.ofMinutes(5));
    assertThat(ContractDefaults.POLL_WITHOUT_WAKEUPS).isEqualTo(Duration.ofSeconds(1));
    assertThat(ContractDefaults.POLL_WITH_WAKEUPS).isEqualTo(Duration.ofSeconds(30));
    assertThat(ContractDefaults.SWEEP).isEqualTo(Duration.ofSeconds(1));
    assertThat(ContractDefaults.CANCELLATION_SWEEP).isEqualTo(Duration.ofSeconds(5));
    assertThat(ContractDefaults.DISPATCH_RESERVATION).isEqualTo(Duration.ofSeconds(60));
    assertThat(ContractDefaults.OUTBOX_CLAIM).isEqualTo(Duration.ofSeconds(30));
    assertThat(ContractDefaults.SCHEDULE_CLAIM).isEqualTo(Duration.ofSeconds(60));
    assertThat(ContractDefaults.SCHEDULED_RECOVERY_DELAY).isEqualTo(Duration.ofSeconds(5));
    assertThat(ContractDefaults.ATTEMPT_TIMEOUT_GRACE).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void amounts_are_those_of_the_contract() {
    assertThat(ContractDefaults.BACKOFF_JITTER).isEqualTo(0.2);
    assertThat(ContractDefaults.SKEW_DIVISOR).isEqualTo(10);
    assertThat(ContractDefaults.WORKER_CONCURRENCY).isEqualTo(16);
    assertThat(ContractDefaults.PAGE_LIMIT).isEqualTo(50);
    assertThat(ContractDefaults.MAX_PAGE_LIMIT).isEqualTo(200);
    assertThat(ContractDefaults.PRUNE_LIMIT).isEqualTo(500);
    assertThat(ContractDefaults.OUTBOX_BATCH).isEqualTo(100);
    assertThat(ContractDefaults.PUBLISH_ATTEMPTS).isEqualTo(10);
    assertThat(ContractDefaults.SWEEP_LIMIT).isEqualTo(100);
    assertThat(ContractDefaults.MAX_LOST_ATTEMPTS).isEqualTo(5);
  }

  @Test
  void limits_are_those_of_the_contract() {
    assertThat(ContractDefaults.MAX_ENVIRONMENT_BYTES).isEqualTo(64);
    assertThat(ContractDefaults.MAX_ID_BYTES).isEqualTo(128);
    assertThat(ContractDefaults.MAX_KEY_BYTES).isEqualTo(512);
    assertThat(ContractDefaults.MAX_PAYLOAD_BYTES).isEqualTo(1_048_576);
    assertThat(ContractDefaults.MAX_META_BYTES).isEqualTo(16_384);
    assertThat(ContractDefaults.MAX_JSON_DEPTH).isEqualTo(64);
  }
}
