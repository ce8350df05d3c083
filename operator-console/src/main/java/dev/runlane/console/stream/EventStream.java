package dev.runlane.console.stream;

import dev.runlane.console.answer.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServerResponse;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client that listens. What it does not take in time waits in a queue with a bound; beyond that it is told that it
 * missed something. Belongs to the console's context.
 */
final class EventStream implements Answer {
  /** The most changes that wait for a client = {@value}. */
  static final int MOST_WAITING = 4_000;

  private final BooleanSupplier isAllowed;
  private final boolean isMasked;
  private final @Nullable String runId;
  private final Set<String> types;
  private final ChangeFeed feed;
  private final Deque<String> waiting = new ArrayDeque<>();
  private final Promise<Void> over = Promise.promise();
  private Instant position;
  private boolean isNew = true;
  private boolean isPumping; // the connection is full, and says when it is not
  private @Nullable HttpServerResponse response;

  /**
   * Of one client.
   *
   * @param isAllowed whether the token or session by which the caller is known still is one
   */
  EventStream(
      BooleanSupplier isAllowed,
      boolean isMasked,
      @Nullable String runId,
      Set<String> types,
      Instant position,
      ChangeFeed feed) {
    this.isAllowed = isAllowed;
    this.isMasked = isMasked;
    this.runId = runId;
    this.types = types;
    this.position = position;
    this.feed = feed;
  }

  /** Completes when the stream has ended. */
  @Override
  public Future<?> send(HttpServerResponse to) {
    response = to;
    to.setStatusCode(200)
        .setChunked(true)
        .putHeader("content-type", "text/event-stream")
        .putHeader("content-encoding", "identity") // a compressor would hold events back
        .putHeader("x-accel-buffering", "no")
        .closeHandler(closed -> end())
        .exceptionHandler(broken -> end());
    write(": changes\n\n");
    feed.add(this);
    return over.future();
  }

  /** All that was committed by then has been told. */
  Instant position() {
    return position;
  }

  /** How much waits for the client to read on. */
  int waiting() {
    return waiting.size();
  }

  /** Whether it was told nothing yet. */
  boolean isNew() {
    return isNew;
  }

  /** Tells what it asks for of these; all that was committed by {@code now} is among them or was told before. */
  void tell(List<Change> changes, Instant now) {
    if (!isStillAllowed()) {
      return;
    }
    isNew = false;
    position = now;
    List<Change> wanted = changes.stream().filter(this::isWanted).toList();
    wanted.forEach(change -> write(change.text(isMasked)));
    if (!wanted.isEmpty()) {
      write("id: " + now + "\n\n");
    }
  }

  private boolean isWanted(Change change) {
    if (change.equals(Change.SKIPPED)) {
      return true;
    }
    boolean isOfRun = runId == null || runId.equals(change.runId());
    boolean isOfType = types.isEmpty() || change.runId() == null || types.contains(change.type());
    return isOfRun && isOfType;
  }

  /** Says that the stream is alive, and where it is. */
  void beat() {
    if (isStillAllowed()) {
      write(": alive\nid: " + position + "\n\n");
    }
  }

  /** Ends the stream where it is not. */
  private boolean isStillAllowed() {
    boolean isStill = isAllowed.getAsBoolean();
    if (!isStill && response != null && !over.future().isComplete()) {
      response.end();
      end();
    }
    return isStill;
  }

  private void write(String text) {
    if (over.future().isComplete()) {
      return;
    }
    if (waiting.size() >= MOST_WAITING) {
      waiting.clear();
      waiting.add(Change.SKIPPED.text(isMasked));
    }
    waiting.add(text);
    pump();
  }

  private void pump() {
    HttpServerResponse to = response;
    if (to == null || isPumping) {
      return;
    }
    while (!waiting.isEmpty() && !to.writeQueueFull()) {
      to.write(waiting.remove());
    }
    if (!waiting.isEmpty()) {
      isPumping = true;
      to.drainHandler(drained -> {
        isPumping = false;
        pump();
      });
    }
  }

  private void end() {
    feed.remove(this);
    waiting.clear();
    over.tryComplete();
  }
}
