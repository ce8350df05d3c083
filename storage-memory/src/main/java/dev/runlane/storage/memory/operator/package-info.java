/**
 * Internal: what operators are shown and do beside the runs.
 */
@NullMarked
package dev.runlane.storage.memory.operator;

import org.jspecify.annotations.NullMarked;
