/**
 * Appends, claims, creations, reservations and outbox marks: one statement for all that came meanwhile, locks
 * taken in one order everywhere (owners, events, runs by id, capacity rows). Internal: not for applications.
 */
@NullMarked
package dev.runlane.storage.pg.write;

import org.jspecify.annotations.NullMarked;
