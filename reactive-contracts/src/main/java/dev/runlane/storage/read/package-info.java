/**
 * Questions about runs and their events: one run, pages of runs and events, and the scans of the periodic
 * roles.
 */
@NullMarked
package dev.runlane.storage.read;

import org.jspecify.annotations.NullMarked;
