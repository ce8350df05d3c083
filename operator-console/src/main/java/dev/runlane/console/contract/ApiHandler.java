package dev.runlane.console.contract;

import dev.runlane.console.answer.Answer;
import io.vertx.core.Future;

/** Carries out an operation of the document. What it throws fails the request, as a failed future does. */
@FunctionalInterface
public interface ApiHandler {
  /** The answer to a request that satisfies the document, of a caller who may ask. */
  Future<Answer> handle(ApiCall call);
}
