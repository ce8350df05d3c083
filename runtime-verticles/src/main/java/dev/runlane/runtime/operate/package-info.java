/**
 * API: reading runs and operating on them: pages, attempts, explanations, cancellation, retry, rerun,
 * pruning, keys.
 */
@NullMarked
package dev.runlane.runtime.operate;

import org.jspecify.annotations.NullMarked;
