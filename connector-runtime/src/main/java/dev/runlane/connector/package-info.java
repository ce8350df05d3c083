/**
 * Data connectors as child processes: started with a bounded scope, checked line by line, stored with
 * checkpoints, recorded as a durable timeline.
 */
@NullMarked
package dev.runlane.connector;

import org.jspecify.annotations.NullMarked;
