/**
 * A real Kafka broker: embedded, in a container or given by an address.
 */
@NullMarked
package dev.runlane.testinfra.kafka;

import org.jspecify.annotations.NullMarked;
