package dev.runlane.connector.controller;

/** What became of an owner's answer to a question of a connector. In all cases but the first nothing reached it. */
public sealed interface AnswerResult {
  /** It was handed to the run that waited for it. */
  record Accepted() implements AnswerResult {}

  /** There is no such run, or it has ended. */
  record RunNotFound() implements AnswerResult {}

  /** The run waits for nothing. */
  record NoPendingInteraction() implements AnswerResult {}

  /** The run waits for the answer to another question. */
  record InteractionMismatch() implements AnswerResult {}

  /**
   * The run's child is another process's.
   *
   * @param address where that process takes answers
   */
  record Elsewhere(String address) implements AnswerResult {}

  /** The run's child is another process's, at an address that is none of the known ones. */
  record NoPeer() implements AnswerResult {}
}
