package dev.runlane.client;

import dev.runlane.operator.process.KnownProcess;

/**
 * A process that is known.
 *
 * @param known what it said last
 * @param isGone whether it has missed three signs of life, by the storage's clock: the caller's own may be off
 */
public record ApiProcess(KnownProcess known, boolean isGone) {}
