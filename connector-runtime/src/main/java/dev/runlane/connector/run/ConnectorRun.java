package dev.runlane.connector.run;

import dev.runlane.connector.process.StderrTail;
import dev.runlane.connector.protocol.InteractionMessage;
import dev.runlane.connector.protocol.InteractionStatus;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run that was begun. It is used on the context on which it was begun; its futures complete there. */
public final class ConnectorRun {
  private final RunDriver driver;
  private final Promise<ConnectorRunResult> result = Promise.promise();

  ConnectorRun(RunDriver driver) {
    this.driver = driver;
  }

  void begin() {
    driver.run().onComplete(result);
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
   * already. The wish itself is told to the timeline by {@link
   * dev.runlane.connector.store.ActiveRuns#requestCancel}. A second call changes nothing.
   */
  public void cancel() {
    driver.stop(RunFault.cancelled(false));
  }

  /** The run is somebody else's now: ends the child and tells nobody. */
  public void leaseLost() {
    driver.stop(RunFault.fencedOut());
  }

  /** The process stops: ends the child, and the run as abandoned. */
  public void abandon() {
    driver.stop(RunFault.abandoned());
  }

  /**
   * Delivers the owner's answer to the question that waits. The answer is sent to the connector and kept
   * nowhere; from then on its values are redacted in whatever the connector writes. Throws {@link
   * dev.runlane.run.ErrorCode#VALIDATION_FAILED}, and leaves the question, for an answer of more values than a
   * {@link dev.runlane.connector.protocol.Redaction} takes.
   *
   * @param interactionId the question's request id
   * @param status success or cancelled
   * @param data a JSON value, with success alone; null for none
   */
  public AnswerOutcome answer(String interactionId, InteractionStatus status, @Nullable Json data) {
    return driver.answer(interactionId, status, data);
  }

  /** The question that waits for an answer, or empty. */
  public Optional<InteractionMessage> pendingInteraction() {
    return driver.pendingInteraction();
  }

  /** What the child wrote on its standard error, up to now, redacted; empty before there is a child. */
  public Optional<StderrTail> stderrTail() {
    return driver.stderrTail();
  }

  /** Calls {@code listener} with every line of the child's standard error from now on, redacted; replaces another. */
  public void onStderr(Consumer<String> listener) {
    driver.onStderr(listener);
  }
}
