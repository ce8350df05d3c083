package dev.runlane.drills.jobs;

/**
 * The payload of a drill's job.
 *
 * @param number which it is
 * @param failures how often its handler fails before it succeeds
 * @param snoozes whether the handler asks for another hand-out in its first one
 * @param succeeds whether it succeeds at last
 * @param millis how long the handler works
 */
public record JobItem(int number, int failures, boolean snoozes, boolean succeeds, int millis) {}
