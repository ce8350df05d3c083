package dev.runlane.storage.memory;

/**
 * What at most one run owns.
 *
 * @param taskId the task the key belongs to
 * @param key the idempotency or singleton key
 */
record TaskKey(String taskId, String key) {}
