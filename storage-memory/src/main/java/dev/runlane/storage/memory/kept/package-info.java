/**
 * What is kept beside runs: events, outbox messages, keys, pending steps, occurrences and the limits of
 * queues. Internal: not for applications.
 */
@NullMarked
package dev.runlane.storage.memory.kept;

import org.jspecify.annotations.NullMarked;
