package dev.runlane.connector.process.line;

/**
 * The end of what a child wrote on its standard error, for diagnosis.
 *
 * @param text redacted; ill-formed UTF-8 is replaced
 * @param bytesObserved how many bytes the child wrote
 * @param bytesCaptured how many of them the text was made from
 * @param truncated whether the beginning is missing
 * @param redacted whether something was replaced
 */
public record StderrTail(
    String text, long bytesObserved, int bytesCaptured, boolean truncated, boolean redacted) {}
