package dev.runlane.connector.run;

import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.run.Json;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One run that was begun. Its methods may be called on any thread; its futures complete on the run's context. */
public final class ConnectorRun {
  private final Context context;
  private final RunDriver driver;
  private final Promise<ConnectorRunResult> result = Promise.promise();

  private ConnectorRun(Context context, RunDriver driver) {
    this.context = context;
    this.driver = driver;
  }

  static ConnectorRun begin(Context context, RunParts parts) {
    ConnectorRun run = new ConnectorRun(context, new RunDriver(parts));
    context.runOnContext(turn -> run.driver.run().onComplete(run.result));
    return run;
  }

  /**
   * Completes when the run has ended and nothing is left of its child. Fails only when its end could not be
   * stored, with {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE} or what else the store failed with: then
   * the run counts as active until somebody takes it over.
   */
  public Future<ConnectorRunResult> result() {
    return result.future();
  }

  /**
   * The owner wants the run to end. Ends the child; the run becomes cancelled unless its end is being stored
   * already. The request itself is recorded in the timeline by {@link
   * dev.runlane.connector.store.run.ActiveRuns#requestCancel}. A second call changes nothing.
   */
  public void cancel() {
    context.runOnContext(turn -> driver.stop(RunFault.cancelled(false)));
  }

  /** The run is somebody else's now: ends the child and records nothing. */
  public void leaseLost() {
    context.runOnContext(turn -> driver.stop(RunFault.fencedOut()));
  }

  /** The process stops: ends the child, and the run as abandoned. */
  public void abandon() {
    context.runOnContext(turn -> driver.stop(RunFault.abandoned()));
  }

  /**
   * Delivers the owner's answer to the question that waits. The answer is sent to the connector and kept
   * nowhere; from then on its values are redacted in whatever the connector writes. Fails with {@link
   * dev.runlane.run.ErrorCode#VALIDATION_FAILED}, and leaves the question, for an answer of more values than a
   * {@link dev.runlane.connector.protocol.redact.Redaction} takes.
   *
   * @param interactionId the question's request id
   * @param status success or cancelled
   * @param data a JSON value, with success alone; null for none
   */
  public Future<AnswerOutcome> answer(
      String interactionId, InteractionStatus status, @Nullable Json data) {
    return inContext(() -> driver.answer(interactionId, status, data));
  }

  /** The question that waits for an answer, or empty. */
  public Future<Optional<InteractionMessage>> pendingInteraction() {
    return inContext(driver::pendingInteraction);
  }

  /**
   * Calls {@code listener}, on the run's context, with every line of the child's standard error from now on, redacted.
   */
  public void onStderr(Consumer<String> listener) {
    context.runOnContext(turn -> driver.onStderr(listener));
  }

  /** What the child wrote on its standard error, up to now, redacted; empty before there is a child. */
  public Future<Optional<StderrTail>> stderrTail() {
    return inContext(driver::stderrTail);
  }

  private <T> Future<T> inContext(Supplier<T> work) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(turn -> {
      try {
        promise.complete(work.get());
      } catch (RuntimeException failure) {
        promise.fail(failure);
      }
    });
    return promise.future();
  }
}
