/**
 * A Kafka that hangs, loses, repeats or is gone, and wakeups that nobody sent.
 */
@NullMarked
package dev.runlane.drills.kafka;

import org.jspecify.annotations.NullMarked;
