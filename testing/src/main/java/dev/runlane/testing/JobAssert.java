package dev.runlane.testing;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on a job of a {@code JobTesting}, as it is now. Each failure shows its attempts. */
public final class JobAssert extends AbstractAssert<JobAssert, Job> {
  JobAssert(Job job) {
    super(job, JobAssert.class);
  }

  /** It has succeeded. */
  public JobAssert succeeded() {
    return hasState(JobState.COMPLETED);
  }

  /** It has failed, and was not cancelled. */
  public JobAssert failed() {
    hasState(JobState.FAILED);
    return require(now().cancelledAt().isEmpty(), "to have failed, but it was cancelled");
  }

  /** It has failed for a reason that contains this. */
  public JobAssert hasFailureContaining(String text) {
    Optional<String> reason = now().failedReason();
    return require(
        reason.filter(actually -> actually.contains(text)).isPresent(),
        "to have a failure with '%s', but it has %s",
        text,
        reason);
  }

  /** It was cancelled. */
  public JobAssert cancelled() {
    hasState(JobState.FAILED);
    return require(now().cancelledAt().isPresent(), "to be cancelled, but it failed");
  }

  /** It has not ended and no worker has it: it can be fetched, is delayed or waits for its children. */
  public JobAssert isWaiting() {
    JobState state = now().state();
    return require(
        !state.isTerminal() && state != JobState.ACTIVE, "to wait, but it is %s", state.value());
  }

  /** A worker has it. */
  public JobAssert isRunning() {
    return hasState(JobState.ACTIVE);
  }

  /** It is in this state. */
  public JobAssert hasState(JobState state) {
    JobState actually = now().state();
    return require(actually == state, "to be %s, but it is %s", state.value(), actually.value());
  }

  /** So many attempts have begun: failed, snoozed and lost ones and the last. */
  public JobAssert afterAttempts(int attempts) {
    int actually = now().startedAttempts();
    return require(
        actually == attempts, "to have made %d attempts, but it made %d", attempts, actually);
  }

  /** Its result is the JSON of this value, as the jobs write it, whatever the order of fields; null: it has none. */
  public JobAssert hasResult(@Nullable Object result) {
    Optional<Json> actually = now().returnvalue();
    boolean same = (result == null || actually.isEmpty())
        ? result == null && actually.isEmpty()
        : tree(actually.get()).equals(tree(actual.jsonOf(result)));
    return require(same, "to have the result %s, but it has %s", result, actually.map(Json::text));
  }

  private static Object tree(Json json) {
    return JsonCodec.standard().tree("a result", json);
  }

  private Job now() {
    isNotNull();
    return result(actual.refresh())
        .orElseThrow(() -> failure("expected job %s to exist, but it does not", actual.id()));
  }

  private static <T> T result(Future<T> future) {
    if (future.failed()) {
      throw new IllegalStateException("the job cannot be read", future.cause());
    }
    return future.result();
  }

  private JobAssert require(boolean holds, String expected, @Nullable Object... arguments) {
    if (!holds) {
      throw failure(
          "expected job %s (%s) " + expected + "%n%n%s",
          Stream.of(
                  Stream.of(actual.id(), actual.name()),
                  Arrays.stream(arguments),
                  Stream.of(attempts()))
              .flatMap(part -> part)
              .toArray());
    }
    return this;
  }

  private String attempts() {
    return result(actual.attempts()).stream()
        .map(attempt -> "  attempt " + attempt.attempt() + " from " + attempt.startedAt() + " to "
            + attempt.endedAt() + ": " + attempt.status().value()
            + (attempt.error() == null ? "" : ", " + attempt.error()))
        .collect(Collectors.joining("\n"));
  }
}
