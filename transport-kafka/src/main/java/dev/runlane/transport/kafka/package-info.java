/**
 * Wakeups over Kafka: one topic a queue, a publisher that knows the outcome of each record, and consumers
 * that share a topic's partitions and commit no further than what was settled.
 */
@NullMarked
package dev.runlane.transport.kafka;

import org.jspecify.annotations.NullMarked;
