package dev.runlane.conformance.storage.refuse;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed input fails the future of a call before anything is stored; nothing is ever thrown. */
@DisplayName("refusing malformed commands")
public abstract class ValidationConformance extends StorageConformance {
  @ParameterizedTest
  @MethodSource("dev.runlane.conformance.storage.refuse.MalformedCommands#all")
  @Rule({"S12", "S23"})
  void a_malformed_command_fails_its_future_and_stores_nothing(MalformedCommands.Call call) {
    given(running("run_0", minutes(1)));
    StoredState before = stored();

    assertFails(notThrowing(call), VALIDATION_FAILED);

    assertNothingStored(before);
    assertThat(unsettledOutbox()).containsExactly("run_0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "a\0b", ":", "\ud800", "129 bytes"})
  @Rule({"S12", "ids"})
  void an_id_that_is_not_valid_is_refused_wherever_it_comes_in(String invalid) {
    String id = invalid.equals("129 bytes") ? "x".repeat(129) : invalid;

    assertRefused(s -> s.appendRunEvents(queued(id).creation()));
    assertRefused(s -> s.appendRunEvents(queued("run_1").task(id).creation()));
    assertRefused(
        s -> s.appendRunEvents(queued("run_1").environment(new Environment(id)).creation()));
    assertRefused(s -> s.getRun(new GetRun(Given.ENVIRONMENT, id)));

    assertThat(stored().runs()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "a\0b", "\udc00", "513 bytes"})
  @Rule({"S12", "ids"})
  void a_key_that_is_not_valid_is_refused(String invalid) {
    String key = invalid.equals("513 bytes") ? "x".repeat(513) : invalid;

    assertRefused(s -> s.appendRunEvents(queued("run_1").concurrencyKey(key).creation()));
    assertRefused(s -> s.appendRunEvents(queued("run_1").singletonKey(key).creation()));
    assertRefused(s ->
        s.appendRunEvents(queued("run_1").idempotencyKey(key, Given.TTL_HOUR).creation()));

    assertThat(stored().runs()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\0b", "\ud800", "\udc00x", "\udc00\ud800"})
  @Rule({"S12", "formats"})
  void text_that_cannot_be_stored_is_refused_wherever_it_comes_in(String text) {
    RunRecord run = given(running("run_1", minutes(1)));
    ClaimedOutboxMessage message = claimOutbox(Given.NOON, 1).get(0);

    assertAllRefused(MalformedValues.texts(run, message, text));

    assertStillClaimed(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1000000000-01-01T00:00:00Z",
        "0000-12-31T23:59:59.999999Z",
        "+10000-01-01T00:00:00Z",
        "+1000000000-12-31T23:59:59Z"
      })
  @Rule({"S12", "formats"})
  void an_instant_outside_the_years_1_to_9999_is_refused_wherever_it_comes_in(Instant instant) {
    RunRecord run = given(running("run_1", minutes(1)));
    ClaimedOutboxMessage message = claimOutbox(Given.NOON, 1).get(0);

    assertAllRefused(MalformedValues.instants(run, message, instant));

    assertStillClaimed(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "a\0b", "\ud800", "129 bytes"})
  @Rule({"S12", "ids"})
  void a_lease_with_an_invalid_token_or_worker_is_refused(String invalid) {
    String id = invalid.equals("129 bytes") ? "x".repeat(129) : invalid;
    RunRecord run = given(queued("run_1"));

    assertAllRefused(MalformedValues.leases(run, id));

    claim(run, Given.UNBOUNDED, "tok_1", Given.NOON);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT-0.000001S", "PT0S", "PT0.000000999S", "P36501D"})
  @Rule({"S12", "formats"})
  void a_claim_shorter_than_a_microsecond_or_longer_than_a_century_is_refused(Duration duration) {
    given(queued("run_1"));

    assertAllRefused(MalformedValues.claims(Given.NOON, duration));

    assertThat(claimOutbox(Given.NOON, 10)).hasSize(1);
  }

  @Test
  @Rule({"S12", "formats"})
  void a_claim_that_would_end_after_the_year_9999_is_refused() {
    given(queued("run_1"));

    assertAllRefused(
        MalformedValues.claims(Instant.parse("9999-12-31T23:59:59.999999Z"), Given.MINUTE));

    assertThat(claimOutbox(Given.NOON, 10)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000000001S", "PT0.0009S", "PT1.0005S", "P36501D"})
  @Rule({"S12", "S67"})
  void a_retention_that_is_not_whole_positive_milliseconds_within_a_century_is_refused(
      Duration retention) {
    assertRefused(MalformedValues.keeping(retention));

    assertThat(stored().runs()).isEmpty();
    given(queued("run_new").idempotencyKey("key", IdempotencyTtl.of(Duration.ofMillis(1))));
  }

  private void assertAllRefused(Map<String, MalformedCommands.Call> calls) {
    StoredState before = stored();
    assertThat(calls).isNotEmpty();
    calls.forEach((place, call) -> {
      try {
        assertRefused(call);
      } catch (AssertionError broken) {
        throw new AssertionError(place + ": " + broken.getMessage(), broken);
      }
    });
    assertNothingStored(before);
  }

  /** Marks a message with its token: nothing that was refused has settled it or taken it away. */
  private void assertStillClaimed(ClaimedOutboxMessage message) {
    Outcomes.done(storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        Given.ENVIRONMENT,
        List.of(
            new MarkOutboxMessagesPublished.Published(message.id(), message.claimToken(), null)),
        Given.NOON)));
  }

  private void assertRefused(MalformedCommands.Call call) {
    assertFails(notThrowing(call), VALIDATION_FAILED);
  }

  private Future<?> notThrowing(MalformedCommands.Call call) {
    StorageAdapter adapter = storage;
    try {
      return call.on(adapter);
    } catch (RuntimeException thrown) {
      throw new AssertionError("a method must not throw", thrown);
    }
  }
}
