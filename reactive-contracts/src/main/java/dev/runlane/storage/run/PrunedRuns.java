package dev.runlane.storage.run;

import org.jspecify.annotations.Nullable;

/**
 * What one prune call removed.
 *
 * @param prunedRuns runs removed; where they have very many events fewer than asked for, though more are left
 * @param nextCursor continues where this call stopped; null when nothing is left
 */
public record PrunedRuns(int prunedRuns, @Nullable String nextCursor) {}
