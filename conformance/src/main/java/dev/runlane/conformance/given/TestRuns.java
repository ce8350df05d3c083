package dev.runlane.conformance.given;

import dev.runlane.conformance.kit.Given;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Runs in every state. Unless a case says otherwise they are of one task, in one unbounded queue,
 * created at noon of a fixed day, and everything that happened to them happened at that instant too.
 */
public final class TestRuns {
  private TestRuns() {}

  /** A run that is due at once. */
  public static TestRun queued(String id) {
    return TestRun.created(NewRun.of(id));
  }

  /** A run whose delivery request lies in the future. */
  public static TestRun scheduled(String id, Instant availableAt) {
    return queued(id).runAt(availableAt);
  }

  /** A run that holds a dispatch reservation; give it a bounded queue. */
  public static TestRun reserved(String id, Instant until) {
    return queued(id)
        .then((storage, creation, run) -> present(
            run,
            storage.reserveRunDispatch(
                Commands.reserve(run, creation.queue(), until, creation.at()))));
  }

  /** A run whose first attempt runs, leased with the token {@code tok_<run id>}. */
  public static TestRun running(String id, Instant leaseEnd) {
    return queued(id).then((storage, creation, run) -> {
      Lease lease = Given.lease(token(id), leaseEnd);
      return present(
          run, storage.claimRunLease(Commands.claim(run, creation.queue(), lease, creation.at())));
    });
  }

  /** A run whose first attempt failed and is tried again. */
  public static TestRun retrying(String id, Instant retryAt) {
    return ended(id, (run, at) -> Events.retryScheduled(run, at, retryAt));
  }

  /** A run whose first attempt gave it back. */
  public static TestRun released(String id, Instant resumeAt) {
    return ended(id, (run, at) -> Events.released(run, at, resumeAt));
  }

  /** A run whose first attempt gave it back until a step has its result. */
  public static TestRun awaitingSteps(String id, Instant resumeAt) {
    return ended(id, (run, at) -> Events.releasedToAwaitSteps(run, at, resumeAt));
  }

  /** A run whose owner was asked to stop. */
  public static TestRun cancellationRequested(String id, Instant leaseEnd) {
    return running(id, leaseEnd).then(appending(Events::cancellationRequested));
  }

  /** A run whose first attempt succeeded. */
  public static TestRun succeeded(String id) {
    return ended(id, Events::succeeded);
  }

  /** A run whose first attempt failed for good. */
  public static TestRun failed(String id) {
    return ended(id, Events::failed);
  }

  /** A run that was cancelled before anybody ran it. */
  public static TestRun cancelled(String id) {
    return queued(id).then(appending(Events::cancelled));
  }

  static String token(String runId) {
    return "tok_" + runId;
  }

  private static TestRun ended(String id, BiFunction<RunRecord, Instant, RunEvent> outcome) {
    return queued(id)
        .then((storage, creation, run) -> {
          Lease lease = Given.lease(token(id), creation.at().plus(Given.MINUTE));
          Instant due = run.runAt() == null ? creation.at() : run.runAt();
          return present(
              run, storage.claimRunLease(Commands.claim(run, creation.queue(), lease, due)));
        })
        .then(appending(outcome));
  }

  private static TestRun.Step appending(BiFunction<RunRecord, Instant, RunEvent> event) {
    return (storage, creation, run) -> storage
        .appendRunEvents(Commands.append(run, run.updatedAt(), event.apply(run, run.updatedAt())))
        .map(AppendedRun::run);
  }

  private static Future<RunRecord> present(RunRecord run, Future<Optional<AppendedRun>> attempted) {
    return attempted.map(answer -> answer
        .map(AppendedRun::run)
        .orElseThrow(() -> new AssertionError(
            "run %s was due and free, but storage refused it".formatted(run.id()))));
  }
}
