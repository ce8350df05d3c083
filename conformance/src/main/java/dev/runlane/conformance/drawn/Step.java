package dev.runlane.conformance.drawn;

/**
 * One command of a sequence.
 *
 * @param number its place when the sequence was drawn, which it keeps when others are cut
 * @param command the contract's record, in the model's names
 */
public record Step(int number, Object command) {}
