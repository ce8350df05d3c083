/**
 * A Kafka broker as a program of its own. Nothing here is for use on an application's or a test's class
 * path: the classes run in the broker's process alone, with the jars beside them.
 */
@NullMarked
package dev.runlane.kafkabroker;

import org.jspecify.annotations.NullMarked;
