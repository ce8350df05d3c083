/**
 * API: the outbox publisher: claims wakeups, publishes them and marks what became of each.
 */
@NullMarked
package dev.runlane.runtime.publish;

import org.jspecify.annotations.NullMarked;
