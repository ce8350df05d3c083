/** API: what a runtime does, as spans of OpenTelemetry. */
@NullMarked
package dev.runlane.telemetry.traces;

import org.jspecify.annotations.NullMarked;
