package dev.runlane.connector.process.line;

import java.util.List;

/**
 * Decoded lines, in the order in which the child wrote them.
 *
 * @param items at least one; not to be changed
 * @param numbers which lines of the output they were
 * @param bytes how long the lines were together
 * @param <T> what a line became
 */
public record LineBatch<T>(List<T> items, LineNumbers numbers, long bytes) {}
