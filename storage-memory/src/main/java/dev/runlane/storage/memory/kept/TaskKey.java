package dev.runlane.storage.memory.kept;

/**
 * What at most one run owns.
 *
 * @param taskId the task the key belongs to
 * @param key the idempotency or singleton key
 */
public record TaskKey(String taskId, String key) {}
