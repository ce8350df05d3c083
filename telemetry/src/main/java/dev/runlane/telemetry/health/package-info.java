/** API: whether a process is alive and ready, as procedures of vertx-health-check. */
@NullMarked
package dev.runlane.telemetry.health;

import org.jspecify.annotations.NullMarked;
