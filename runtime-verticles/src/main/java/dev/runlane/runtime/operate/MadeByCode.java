package dev.runlane.runtime.operate;

/** What a task's code makes of a payload: a trigger elsewhere gives it, or says that it goes without. */
public enum MadeByCode {
  /** Idempotency, singleton and concurrency keys, by which runs are told apart. */
  KEYS,

  /** Tags, by which people find runs and webhooks choose them. */
  TAGS
}
