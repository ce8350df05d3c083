/**
 * The facade: {@link dev.runlane.runtime.Runlane}, its builder and deployment, and the wiring of all other
 * rooms of this module. Nothing below uses it.
 */
@NullMarked
package dev.runlane.runtime;

import org.jspecify.annotations.NullMarked;
