package dev.runlane.connector.controller;

import dev.runlane.connector.process.StderrTail;
import io.vertx.core.Future;

/** A run whose child is this process's. Used on the context on which it was started. */
public interface LiveRun {
  /**
   * Completes when the run has its terminal event and nothing is left of its child. Fails when the run could not be
   * ended as it should be, for example because the storage did not answer.
   */
  Future<Void> ended();

  /** The owner's cancellation was accepted: ends the child, and the run as cancelled. Again: nothing. */
  void cancel();

  /** The controller stops: ends the child, and the run as abandoned. */
  void abandon();

  /** The run is somebody else's now: ends the child and writes nothing more. */
  void letGo();

  /** Hands an owner's answer to the question that is open, if it is that one. */
  AnswerResult answer(InteractionAnswer answer);

  /** What the child wrote on its standard error, up to now, redacted. */
  StderrTail stderrTail();
}
