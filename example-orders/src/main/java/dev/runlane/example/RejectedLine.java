package dev.runlane.example;

/**
 * A line that is neither an order nor a cancellation, and is skipped.
 *
 * @param number its place in the file, from 1
 * @param reason what is wrong with it
 */
record RejectedLine(long number, String reason) {}
