/** Wakeups that are not published yet, and those that were given up, which are published anew. */
@NullMarked
package dev.runlane.operator.outbox;

import org.jspecify.annotations.NullMarked;
