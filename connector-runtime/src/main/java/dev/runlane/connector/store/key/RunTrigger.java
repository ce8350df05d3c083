package dev.runlane.connector.store.key;

import java.util.Objects;

/**
 * Why a run exists.
 *
 * @param source who wanted it
 * @param kind what set it off
 * @param mode how much of a person it may count on
 * @param attempt 1, or more where a schedule tries again after a failure
 */
public record RunTrigger(RunSource source, TriggerKind kind, AutomationMode mode, int attempt) {
  /** The owner's run now, with the owner there to answer. */
  public static final RunTrigger RUN_NOW =
      new RunTrigger(RunSource.MANUAL, TriggerKind.MANUAL, AutomationMode.ASSISTED, 1);

  /** Refuses null, and an attempt below 1. */
  public RunTrigger {
    Objects.requireNonNull(source);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(mode);
    StoredValues.require(attempt >= 1, "an attempt counts from 1, but was %d", attempt);
  }

  /** An attempt of a schedule; from the second on it is a retry. */
  public static RunTrigger scheduled(AutomationMode mode, int attempt) {
    TriggerKind kind = attempt == 1 ? TriggerKind.SCHEDULED : TriggerKind.RETRY;
    return new RunTrigger(RunSource.SCHEDULED, kind, mode, attempt);
  }
}
