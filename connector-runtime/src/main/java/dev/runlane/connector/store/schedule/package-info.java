/**
 * Schedules of connections and the notices that they send.
 */
@NullMarked
package dev.runlane.connector.store.schedule;

import org.jspecify.annotations.NullMarked;
