/**
 * API: what all maintenance roles have in common: options, the verticle around one role, and the loop that
 * sweeps.
 */
@NullMarked
package dev.runlane.runtime.sweep;

import org.jspecify.annotations.NullMarked;
