package dev.runlane.storage;

import static dev.runlane.samples.SampleCommands.BOUNDED;
import static dev.runlane.samples.SampleCommands.UNBOUNDED;
import static dev.runlane.samples.SampleCommands.append;
import static dev.runlane.samples.SampleCommands.claimingFor;
import static dev.runlane.samples.SampleCommands.creation;
import static dev.runlane.samples.Samples.PAYLOAD;
import static dev.runlane.samples.Samples.QUEUE;
import static dev.runlane.samples.Samples.TASK;
import static dev.runlane.samples.Samples.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.Samples;
import dev.runlane.storage.run.AppendRunEvents;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is refused where a capability is not reported. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CapabilitiesTest {
  private static final Set<StorageCapability> ALL = EnumSet.allOf(StorageCapability.class);

  @ParameterizedTest
  @MethodSource("guarded")
  void an_append_needs_what_it_uses(StorageCapability needed, AppendRunEvents command) {
    Set<StorageCapability> others = EnumSet.complementOf(EnumSet.of(needed));

    refused(() -> Capabilities.requireForAppend(others, command));
    assertThatCode(() -> Capabilities.requireForAppend(Set.of(needed), command))
        .doesNotThrowAnyException();
    assertThatCode(() -> Capabilities.requireForAppend(ALL, command)).doesNotThrowAnyException();
  }

  static Stream<Arguments> guarded() {
    return Stream.of(
        Arguments.of(
            StorageCapability.ENFORCES_QUEUE_CONCURRENCY,
            creation(Samples.created()).in(BOUNDED)),
        Arguments.of(StorageCapability.PERSISTS_OUTBOX, claimingFor(Duration.ofSeconds(1))),
        Arguments.of(
            StorageCapability.ENFORCES_IDEMPOTENCY,
            creation(created(RunKeys.NONE.withIdempotencyKey("key", IdempotencyTtl.ACTIVE)))),
        Arguments.of(
            StorageCapability.ENFORCES_SINGLETON,
            creation(created(RunKeys.NONE.withSingletonKey("key")))));
  }

  @Test
  void a_plain_append_needs_nothing() {
    assertThatCode(() -> {
          Capabilities.requireForAppend(Set.of(), creation(Samples.created()));
          Capabilities.requireForAppend(Set.of(), creation(Samples.created()).in(UNBOUNDED));
          Capabilities.requireForAppend(Set.of(), append(new RunEvent.Started(header(), 1)));
          Capabilities.requireForAppend(
              Set.of(), creation(created(RunKeys.NONE.withConcurrencyKey("key"))));
        })
        .doesNotThrowAnyException();
  }

  @Test
  void only_bounded_queues_need_limits_to_be_enforced() {
    refused(() -> Capabilities.requireForQueues(Set.of(), List.of(UNBOUNDED, BOUNDED), "claim"));
    assertThatCode(() -> {
          Capabilities.requireForQueues(Set.of(), List.of(UNBOUNDED), "claim");
          Capabilities.requireForQueues(Set.of(), List.of(), "claim");
          Capabilities.requireForQueues(ALL, List.of(BOUNDED), "claim");
        })
        .doesNotThrowAnyException();
  }

  @Test
  void a_refusal_names_method_and_capability() {
    RunlaneException failure = catchThrowableOfType(
        RunlaneException.class,
        () -> Capabilities.require(Set.of(), StorageCapability.PRUNES_RUNS, "pruneRuns"));

    assertThat(failure.getMessage()).contains("pruneRuns", "prunesRuns");
  }

  private static void refused(Runnable call) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, call::run);

    assertThat(failure.code()).isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED);
    assertThat(failure.isRetryable()).isFalse();
  }

  private static RunEvent.Created created(RunKeys keys) {
    return new RunEvent.Created(header(), TASK, QUEUE, PAYLOAD, null, keys, RunSource.TRIGGER);
  }
}
