package dev.runlane.conformance;

import static dev.runlane.conformance.Given.minutes;
import static dev.runlane.conformance.Outcomes.assertFails;
import static dev.runlane.conformance.TestRuns.queued;
import static dev.runlane.conformance.TestRuns.running;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.storage.GetRun;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed input fails the future of a call before anything is stored; nothing is ever thrown. */
@DisplayName("refusing malformed commands")
public abstract class ValidationConformance extends StorageConformance {
  @ParameterizedTest
  @MethodSource("dev.runlane.conformance.MalformedCommands#all")
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
