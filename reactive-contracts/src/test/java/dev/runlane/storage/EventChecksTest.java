package dev.runlane.storage;

import static dev.runlane.samples.SampleCommands.append;
import static dev.runlane.samples.SampleCommands.failing;
import static dev.runlane.samples.SampleCommands.lease;
import static dev.runlane.samples.Samples.NOON;
import static dev.runlane.samples.Samples.PAYLOAD;
import static dev.runlane.samples.Samples.PRODUCTION;
import static dev.runlane.samples.Samples.QUEUE;
import static dev.runlane.samples.Samples.RUN;
import static dev.runlane.samples.Samples.TASK;
import static dev.runlane.samples.Samples.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.runlane.run.Actor;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.SampleCommands;
import dev.runlane.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an event may not say, in whichever command it comes. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EventChecksTest {
  private static final String HALF = "\ud83d";
  private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");
  private static final Instant TOO_EARLY = Instant.parse("0000-12-31T23:59:59.999999Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

  static Stream<RunEvent> events() {
    return Samples.events().values().stream();
  }

  @ParameterizedTest
  @MethodSource("events")
  void every_sample_is_accepted(RunEvent event) {
    assertThatCode(() -> CommandChecks.check(append(event))).doesNotThrowAnyException();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void a_malformed_event_is_refused(String what, RunEvent event) {
    RunlaneException failure = catchThrowableOfType(
        RunlaneException.class, () -> CommandChecks.check(append(Samples.created(), event)));

    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  static Stream<Arguments> a_malformed_event_is_refused() {
    return Stream.of(headers(), creations(), deliveries(), leases(), ends(), steps())
        .flatMap(each -> each);
  }

  private static Stream<Arguments> headers() {
    return Stream.of(
        arguments("actor", new RunEvent.Started(header().by(Actor.operator("a\0")), 1)),
        arguments("trace name", new RunEvent.Started(header().withTrace(Map.of("\0", "")), 1)),
        arguments("trace value", new RunEvent.Started(header().withTrace(Map.of("a", HALF)), 1)),
        arguments(
            "occurredAt",
            new RunEvent.Started(EventHeader.bySystem(PRODUCTION, RUN, TOO_LATE), 1)));
  }

  private static Stream<Arguments> creations() {
    return Stream.of(
        arguments("task", created("a:b", QUEUE, RunKeys.NONE)),
        arguments("queue", created(TASK, "", RunKeys.NONE)),
        arguments("runAt", created(TOO_EARLY, RunKeys.NONE, RunSource.TRIGGER)),
        arguments("concurrency key", created(RunKeys.NONE.withConcurrencyKey("a:b"))),
        arguments("singleton key", created(RunKeys.NONE.withSingletonKey("\0"))),
        arguments("idempotency key", created(keyed("", IdempotencyTtl.ACTIVE))),
        arguments("ttl zero", created(keyed("key", IdempotencyTtl.of(Duration.ZERO)))),
        arguments("ttl negative", created(keyed("key", IdempotencyTtl.of(Duration.ofSeconds(-1))))),
        arguments("ttl in nanos", created(keyed("key", IdempotencyTtl.of(Duration.ofNanos(1))))),
        arguments("ttl endless", created(keyed("key", IdempotencyTtl.of(Duration.ofDays(36_501))))),
        arguments("source run", created(null, RunKeys.NONE, RunSource.rerun("\0"))),
        arguments("schedule", created(null, RunKeys.NONE, RunSource.schedule(HALF, "o", NOON))),
        arguments("occurrence", created(null, RunKeys.NONE, RunSource.schedule("s", HALF, NOON))),
        arguments("fireAt", created(null, RunKeys.NONE, RunSource.schedule("s", "o", TOO_LATE))));
  }

  private static Stream<Arguments> deliveries() {
    return Stream.of(
        arguments("requestedAt", requested(TOO_LATE, NOON, NOON, Map.of())),
        arguments("availableAt", requested(NOON, TOO_LATE, NOON, Map.of())),
        arguments("dispatchExpiresAt", requested(NOON, NOON, TOO_LATE, Map.of())),
        arguments("delivery's trace", requested(NOON, NOON, null, Map.of("a", "\0"))));
  }

  private static Stream<Arguments> leases() {
    return Stream.of(
        arguments("token", SampleCommands.claimed(lease("a:b", "worker_1"))),
        arguments("worker", SampleCommands.claimed(lease("tok_1", ""))),
        arguments("heartbeat", new RunEvent.LeaseHeartbeat(header(), lease("", "worker_1"))),
        arguments("expiresAt", SampleCommands.claimed(new Lease("tok_1", "worker_1", TOO_LATE))));
  }

  private static Stream<Arguments> ends() {
    return Stream.of(
        arguments("failed", new RunEvent.Failed(header(), 1, failing("\0"))),
        arguments("retried", new RunEvent.RetryScheduled(header(), 1, failing(HALF), NOON)),
        arguments("retryAt", new RunEvent.RetryScheduled(header(), 1, failing(""), TOO_LATE)),
        arguments("released", new RunEvent.Released(header(), 1, NOON, "\0")),
        arguments("resumeAt", new RunEvent.Released(header(), 1, TOO_EARLY, null)),
        arguments("asked to cancel", new RunEvent.CancellationRequested(header(), HALF)),
        arguments("cancelled", new RunEvent.Cancelled(header(), "\0")));
  }

  private static Stream<Arguments> steps() {
    return Stream.of(
        arguments("step of another run", requested("run_2:0", "charge", null, 1, null)),
        arguments("step without position", requested("run_1:", "charge", null, 1, null)),
        arguments("position with a zero before", requested("run_1:01", "charge", null, 1, null)),
        arguments("position beyond the last", requested("run_1:1000", "charge", null, 1, null)),
        arguments("name empty", requested("run_1:0", "", null, 1, null)),
        arguments("name too long", requested("run_1:0", "n".repeat(192), null, 1, null)),
        arguments("name with NUL", requested("run_1:0", "\0", null, 1, null)),
        arguments("group too long", requested("run_1:0", "charge", "g".repeat(192), 1, null)),
        arguments("group with half a pair", requested("run_1:0", "charge", HALF, 1, null)),
        arguments("attempt zero", requested("run_1:0", "charge", null, 0, null)),
        arguments("dueAt", requested("run_1:0", "sleep", null, 1, TOO_LATE)),
        arguments("result of another run", completed("run_2:0", 1, NOON, null)),
        arguments("result beyond the last", completed("run_1:1000", 1, NOON, null)),
        arguments("tries below zero", completed("run_1:0", -1, NOON, null)),
        arguments("startedAt", completed("run_1:0", 1, TOO_EARLY, null)),
        arguments("a step's failure", completed("run_1:0", 1, NOON, "\0")));
  }

  private static RunEvent requested(
      String stepId, String name, String group, int attempt, Instant dueAt) {
    return new RunEvent.StepRequested(header(), stepId, name, group, null, attempt, dueAt);
  }

  private static RunEvent completed(String stepId, int tries, Instant startedAt, String message) {
    return new RunEvent.StepCompleted(
        header(), stepId, tries, startedAt, null, message == null ? null : failing(message));
  }

  @ParameterizedTest
  @MethodSource
  void the_limits_themselves_are_accepted(RunEvent event) {
    assertThatCode(() -> CommandChecks.check(append(event))).doesNotThrowAnyException();
  }

  static Stream<RunEvent> the_limits_themselves_are_accepted() {
    return Stream.of(
        requested("run_1:999", "n".repeat(191), "g".repeat(191), 1, LAST),
        completed("run_1:0", 0, FIRST, ""),
        created(FIRST, RunKeys.NONE, RunSource.TRIGGER),
        created(LAST, RunKeys.NONE, RunSource.TRIGGER),
        created(keyed("k".repeat(512), IdempotencyTtl.of(Duration.ofMillis(1)))),
        created(keyed("key", IdempotencyTtl.of(Duration.ofDays(36_500)))));
  }

  private static RunKeys keyed(String key, IdempotencyTtl ttl) {
    return RunKeys.NONE.withIdempotencyKey(key, ttl);
  }

  private static RunEvent created(RunKeys keys) {
    return created(null, keys, RunSource.TRIGGER);
  }

  private static RunEvent created(Instant runAt, RunKeys keys, RunSource source) {
    return new RunEvent.Created(header(), TASK, QUEUE, PAYLOAD, runAt, keys, source);
  }

  private static RunEvent created(String task, String queue, RunKeys keys) {
    return new RunEvent.Created(header(), task, queue, PAYLOAD, null, keys, RunSource.TRIGGER);
  }

  private static RunEvent requested(
      Instant requestedAt, Instant availableAt, Instant expiresAt, Map<String, String> trace) {
    return new RunEvent.DeliveryRequested(
        header(),
        new DeliveryIntent(PRODUCTION, RUN, QUEUE, requestedAt, availableAt, expiresAt, trace));
  }
}
