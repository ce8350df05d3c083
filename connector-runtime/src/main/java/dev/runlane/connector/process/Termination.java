package dev.runlane.connector.process;

/**
 * How a child ended that was asked to.
 *
 * @param forced whether the child itself had to be killed, because it did not leave within the grace time;
 *     false too when it had left before it was asked
 * @param descendantsKilled whether processes that it had started had to be killed
 */
public record Termination(boolean forced, boolean descendantsKilled) {}
