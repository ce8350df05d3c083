/**
 * API: where a runtime lives ({@link dev.runlane.runtime.host.RuntimeHost}) and its limits and durations
 * ({@link dev.runlane.runtime.host.RunlaneOptions}).
 */
@NullMarked
package dev.runlane.runtime.host;

import org.jspecify.annotations.NullMarked;
