/**
 * Steps of runs that wait for being dispatched, kept beside the run's events.
 */
@NullMarked
package dev.runlane.storage.step;

import org.jspecify.annotations.NullMarked;
