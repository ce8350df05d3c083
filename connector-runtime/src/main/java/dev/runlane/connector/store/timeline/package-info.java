/**
 * The timeline of each run: events in order, appended under the run's fence.
 */
@NullMarked
package dev.runlane.connector.store.timeline;

import org.jspecify.annotations.NullMarked;
