/** API: what a runtime does, as meters of Micrometer. */
@NullMarked
package dev.runlane.telemetry.metrics;

import org.jspecify.annotations.NullMarked;
