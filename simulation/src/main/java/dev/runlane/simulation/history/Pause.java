package dev.runlane.simulation.history;

import java.time.Instant;

/**
 * A queue or a schedule was paused.
 *
 * @param name which
 * @param from when the pause was stored
 * @param until when its end was
 */
public record Pause(String name, Instant from, Instant until) {}
