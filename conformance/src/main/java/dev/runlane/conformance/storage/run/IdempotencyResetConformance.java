package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.IDEMPOTENCY_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An operator can free a key whose run has ended, and no other. */
@DisplayName("resetting idempotency keys")
public abstract class IdempotencyResetConformance extends StorageConformance {
  @Test
  @Rule("S65")
  void a_reset_frees_a_retained_key_and_leaves_its_run_alone() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));
    StoredState before = stored();

    Outcomes.done(reset(ENVIRONMENT, TASK, "key"));

    assertNothingStored(before);
    assertThat(owner("key", NOON)).isEmpty();
    given(queued("run_2").idempotencyKey("key", TTL_HOUR));
    assertThat(owner("key", NOON)).contains("run_2");
  }

  @Test
  @Rule("S65")
  void a_reset_is_refused_while_the_owner_is_active() {
    given(queued("run_1").idempotencyKey("key_1", TTL_HOUR));
    given(running("run_2", minutes(1)).idempotencyKey("key_2", TTL_HOUR));

    assertConflict(reset(ENVIRONMENT, TASK, "key_1"), IDEMPOTENCY_KEY);
    assertConflict(reset(ENVIRONMENT, TASK, "key_2"), IDEMPOTENCY_KEY);

    assertThat(owner("key_1", NOON)).contains("run_1");
    assertThat(owner("key_2", NOON)).contains("run_2");
  }

  @Test
  @Rule("S65")
  void resetting_an_unknown_key_is_no_failure() {
    given(queued("run_1").idempotencyKey("key", TTL_HOUR));

    Outcomes.done(reset(ENVIRONMENT, TASK, "unknown"));

    assertThat(owner("key", NOON)).contains("run_1");
  }

  @Test
  @Rule({"S65", "S66"})
  void a_reset_stays_inside_its_task_and_environment() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));

    Outcomes.done(reset(ENVIRONMENT, OTHER_TASK, "key"));
    Outcomes.done(reset(OTHER_ENVIRONMENT, TASK, "key"));

    assertThat(owner("key", NOON)).contains("run_1");
  }

  @Test
  @Rule("S65")
  void a_reset_does_not_touch_whoever_owns_the_key_by_then() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));
    Outcomes.done(reset(ENVIRONMENT, TASK, "key"));
    given(queued("run_2").idempotencyKey("key", TTL_HOUR));

    assertConflict(reset(ENVIRONMENT, TASK, "key"), IDEMPOTENCY_KEY);

    assertThat(owner("key", NOON)).contains("run_2");
  }

  private Future<Void> reset(Environment environment, String task, String key) {
    return storage.resetIdempotencyKey(new ResetIdempotencyKey(environment, task, key, NOON));
  }
}
