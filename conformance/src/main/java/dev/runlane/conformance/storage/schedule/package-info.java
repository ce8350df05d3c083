/**
 * Occurrences of schedules: claimed once, completed once, and seen by others.
 */
@NullMarked
package dev.runlane.conformance.storage.schedule;

import org.jspecify.annotations.NullMarked;
