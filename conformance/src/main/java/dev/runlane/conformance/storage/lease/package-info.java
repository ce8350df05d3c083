/**
 * Who may run what: reservations, leases, heartbeats, and the limits of queues.
 */
@NullMarked
package dev.runlane.conformance.storage.lease;

import org.jspecify.annotations.NullMarked;
