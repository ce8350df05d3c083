package dev.runlane.testing;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.testing.history.RunHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on a run as it is now. Each failure shows the run's history as a timeline. */
public final class RunAssert extends AbstractAssert<RunAssert, TestRun> {
  /** How much a time may differ = 1 s: a worker does not begin at the very instant. */
  public static final Duration TOLERANCE = Duration.ofSeconds(1);

  RunAssert(TestRun run) {
    super(run, RunAssert.class);
  }

  /** It has succeeded. */
  public RunAssert succeeded() {
    return hasStatus(RunStatus.SUCCEEDED);
  }

  /** It has failed. */
  public RunAssert failed() {
    return hasStatus(RunStatus.FAILED);
  }

  /** It has failed with this code. */
  public RunAssert failedWith(ErrorCode code) {
    failed();
    FailureRecord failure = Objects.requireNonNull(run().failure());
    return require(
        failure.code() == code, "to have failed with %s, but it has with %s", code, failure.code());
  }

  /** Its last failure, of an attempt or of itself, has a message that contains this. */
  public RunAssert hasFailureContaining(String text) {
    FailureRecord failure = run().failure();
    return require(
        failure != null && failure.message().contains(text),
        "to have a failure with '%s', but it has %s",
        text,
        failure);
  }

  /** It was cancelled. */
  public RunAssert cancelled() {
    return hasStatus(RunStatus.CANCELLED);
  }

  /** It has not ended and nobody works on it: it is queued or scheduled, or waits for a retry or after a release. */
  public RunAssert isWaiting() {
    RunStatus status = run().status();
    return require(
        !status.isTerminal() && !status.isLeased(), "to wait, but it is %s", status.value());
  }

  /** It waits, and goes on at this instant. */
  public RunAssert isWaitingUntil(Instant due) {
    isWaiting();
    Instant runAt = run().runAt();
    return require(due.equals(runAt), "to wait until %s, but it does until %s", due, runAt);
  }

  /** An attempt is under way. */
  public RunAssert isRunning() {
    return hasStatus(RunStatus.RUNNING);
  }

  /** It has this status. */
  public RunAssert hasStatus(RunStatus status) {
    RunStatus actual = run().status();
    return require(actual == status, "to be %s, but it is %s", status.value(), actual.value());
  }

  /** So many attempts have begun: failed, released and lost ones and the last. */
  public RunAssert afterAttempts(int attempts) {
    int actual = run().counters().attempts();
    return require(
        actual == attempts, "to have made %d attempts, but it made %d", attempts, actual);
  }

  /** So many attempts have failed. */
  public RunAssert afterFailures(int failures) {
    int actual = run().counters().failures();
    return require(actual == failures, "to have had %d failures, but it had %d", failures, actual);
  }

  /** Between its attempts it waited as long in sum, give or take {@link #TOLERANCE} for each pause. */
  public RunAssert waited(Duration sum) {
    List<Duration> pauses = actualHistory().pauses();
    Duration actual = pauses.stream().reduce(Duration.ZERO, Duration::plus);
    return require(
        isNear(actual, sum, Math.max(1, pauses.size())),
        "to have waited %s in sum, but it waited %s: %s",
        sum,
        actual,
        pauses);
  }

  /** Between its attempts, in order, it waited as long, give or take {@link #TOLERANCE}. */
  public RunAssert waitedBetweenAttempts(Duration... pauses) {
    List<Duration> actual = actualHistory().pauses();
    boolean fits = actual.size() == pauses.length;
    for (int pause = 0; fits && pause < pauses.length; pause++) {
      fits = isNear(actual.get(pause), pauses[pause], 1);
    }
    return require(
        fits,
        "to have waited %s between its attempts, but it waited %s",
        Arrays.asList(pauses),
        actual);
  }

  /** It ended at this instant, give or take {@link #TOLERANCE}. */
  public RunAssert endedAt(Instant instant) {
    Instant actual = run().finishedAt();
    return require(
        actual != null && isNear(Duration.between(instant, actual).abs(), Duration.ZERO, 1),
        "to have ended at %s, but it did at %s",
        instant,
        actual);
  }

  /** Its output is the JSON of this value, whatever the order of fields; null: it has none. */
  public RunAssert hasOutput(@Nullable Object output) {
    Json found = run().output();
    JsonCodec codec = actual.testing().codec();
    boolean same = (output == null || found == null)
        ? output == null && found == null
        : tree(found).equals(tree(codec.encode("the expected output", output, JsonLimits.PAYLOAD)));
    return require(
        same, "to have the output %s, but it has %s", output, found == null ? null : found.text());
  }

  private static Object tree(Json json) {
    return JsonCodec.standard().tree("an output", json);
  }

  /** Exactly these steps, local and remote, have completed, in the order of their positions; sleeps are left out. */
  public RunAssert completedSteps(String... names) {
    List<String> actual = actualHistory().completedSteps();
    return require(
        actual.equals(Arrays.asList(names)),
        "to have completed the steps %s, but it has %s",
        Arrays.asList(names),
        actual);
  }

  /** One of its events is of this type and says this reason, such as {@code worker_stopping} of a release. */
  public RunAssert wasReleasedBecause(String reason) {
    return require(
        actualHistory().events(RunEvent.Released.class).stream()
            .anyMatch(released -> reason.equals(released.reason())),
        "to have been released because of %s",
        reason);
  }

  private RunRecord run() {
    return actualHistory().run();
  }

  private RunHistory actualHistory() {
    isNotNull();
    return actual.history();
  }

  private RunAssert require(boolean holds, String expected, @Nullable Object... arguments) {
    if (!holds) {
      throw failure(
          "expected %s " + expected + "%n%n%s",
          Stream.of(
                  Stream.of(actual),
                  Arrays.stream(arguments),
                  Stream.of(actual.timeline() + openEnd()))
              .flatMap(part -> part)
              .toArray());
    }
    return this;
  }

  /** What a run is waiting for that has not ended. */
  private String openEnd() {
    return run().status().isLeased()
        ? "\n  the handler's future is not complete: only the test, its timers() and steps are waited for, no other thread"
        : "";
  }

  private static boolean isNear(Duration actual, Duration wanted, int times) {
    return actual.minus(wanted).abs().compareTo(TOLERANCE.multipliedBy(times)) <= 0;
  }
}
