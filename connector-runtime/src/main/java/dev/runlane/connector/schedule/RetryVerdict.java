package dev.runlane.connector.schedule;

/** What a failure asks for. */
public enum RetryVerdict {
  /** Another attempt soon: it may pass. */
  RETRY,
  /** No attempt before the next interval: the same would come of it. */
  FINAL,
  /** No attempt before the next interval, and then not before a person has seen to it. */
  NEEDS_PERSON
}
