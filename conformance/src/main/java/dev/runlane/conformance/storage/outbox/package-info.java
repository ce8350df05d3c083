/**
 * Outbox messages: born with their event, claimed by one publisher, settled once.
 */
@NullMarked
package dev.runlane.conformance.storage.outbox;

import org.jspecify.annotations.NullMarked;
