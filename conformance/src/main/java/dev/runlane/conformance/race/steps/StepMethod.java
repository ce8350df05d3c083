package dev.runlane.conformance.race.steps;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** The methods of a step transport that write. */
enum StepMethod {
  DISPATCH,
  DISPATCH_MISSING,
  WITHDRAW,
  CLAIM_TASKS,
  RENEW,
  RECORD,
  RELEASE_TASKS,
  CLAIM_RESULTS,
  SETTLE,
  RELEASE_RESULTS,
  DISCARD;

  /** Methods that are about the same things, for races of more than two. */
  static final List<List<StepMethod>> FAMILIES = List.of(
      List.of(CLAIM_TASKS),
      List.of(DISPATCH, WITHDRAW, CLAIM_TASKS),
      List.of(RECORD, WITHDRAW, RENEW, RELEASE_TASKS, CLAIM_TASKS, DISPATCH),
      List.of(CLAIM_RESULTS, SETTLE, RELEASE_RESULTS, DISCARD, DISPATCH));

  /** Each with each, and with itself. */
  static List<List<StepMethod>> pairs() {
    List<List<StepMethod>> pairs = new ArrayList<>();
    for (StepMethod one : values()) {
      EnumSet.range(one, values()[values().length - 1])
          .forEach(other -> pairs.add(List.of(one, other)));
    }
    return pairs;
  }
}
