package dev.runlane.connector.run.request;

/** What became of an owner's answer. */
public enum AnswerOutcome {
  /** It was taken, and is on its way to the connector. */
  DELIVERED,
  /** Nothing waits for an answer. */
  NO_PENDING_INTERACTION,
  /** Something else waits for an answer. */
  INTERACTION_ID_MISMATCH
}
