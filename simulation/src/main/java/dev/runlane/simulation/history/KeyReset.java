package dev.runlane.simulation.history;

import java.time.Instant;

/**
 * An idempotency key that an operator asked to free.
 *
 * @param at when
 */
public record KeyReset(String task, String key, Instant at) {}
