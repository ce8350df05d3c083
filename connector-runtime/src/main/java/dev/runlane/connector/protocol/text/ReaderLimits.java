package dev.runlane.connector.protocol.text;

import dev.runlane.options.OptionChecks;

/**
 * How large a connector's messages may be. What is larger is a violation, never an error of the runtime.
 *
 * @param maxDepth most nested objects and arrays of a line
 * @param maxTokens most values, names and brackets of a line, which bounds what reading it may hold
 * @param maxControlBytes longest line of any message but a record
 * @param maxCursorBytes largest cursor, minified
 */
public record ReaderLimits(int maxDepth, int maxTokens, int maxControlBytes, int maxCursorBytes) {
  /** 256 levels, 1 000 000 values, names and brackets, 4 MiB a message, 1 MiB a cursor. */
  public static final ReaderLimits DEFAULT =
      new ReaderLimits(256, 1_000_000, 4 * 1024 * 1024, 1024 * 1024);

  /** Fails with {@link dev.runlane.run.ErrorCode#CONFIGURATION_INVALID} for a limit below 1. */
  public ReaderLimits {
    OptionChecks.requireAtLeast(1, "maxDepth", maxDepth);
    OptionChecks.requireAtLeast(1, "maxTokens", maxTokens);
    OptionChecks.requireAtLeast(1, "maxControlBytes", maxControlBytes);
    OptionChecks.requireAtLeast(1, "maxCursorBytes", maxCursorBytes);
  }
}
