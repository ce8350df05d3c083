/**
 * The concurrency limits of queues that living processes publish to each other.
 */
@NullMarked
package dev.runlane.storage.limit;

import org.jspecify.annotations.NullMarked;
