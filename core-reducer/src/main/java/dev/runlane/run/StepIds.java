package dev.runlane.run;

import java.util.OptionalInt;

/** The identity of a step inside its run: {@code <runId>:<position>}, positions counted from 0. */
public final class StepIds {
  private static final char SEPARATOR = ':';

  private StepIds() {}

  /** The id of the step at {@code position} of a run. */
  public static String of(String runId, int position) {
    return runId + SEPARATOR + position;
  }

  /** The position a step id names, or empty when it is not the id of a step of this run. */
  public static OptionalInt position(String runId, String stepId) {
    if (!isOfRun(runId, stepId)) {
      return OptionalInt.empty();
    }
    String digits = stepId.substring(runId.length() + 1);
    try {
      int position = Integer.parseInt(digits);
      return Integer.toString(position).equals(digits) && position >= 0
          ? OptionalInt.of(position)
          : OptionalInt.empty();
    } catch (NumberFormatException notANumber) {
      return OptionalInt.empty();
    }
  }

  /** Whether the id begins as those of this run's steps do. */
  static boolean isOfRun(String runId, String stepId) {
    return stepId.length() > runId.length() + 1
        && stepId.startsWith(runId)
        && stepId.charAt(runId.length()) == SEPARATOR;
  }
}
