package dev.runlane.storage;

import dev.runlane.run.Environment;

/**
 * Reads one run.
 *
 * @param environment scope
 * @param runId the run
 */
public record GetRun(Environment environment, String runId) {}
