/**
 * What a transport promises: publishing, faults, life cycle, wakeups and deliveries.
 */
@NullMarked
package dev.runlane.conformance.transport;

import org.jspecify.annotations.NullMarked;
