package dev.runlane.connector.store.key;

import java.util.Objects;

/**
 * Why a run exists.
 *
 * @param source who wanted it
 * @param kind what set it off
 * @param mode how much of a person it may count on
 * @param attempt 1, or more where a schedule tries again after a failure
 * @param names what source, kind and mode are stored and shown as
 */
public record RunTrigger(
    RunSource source, TriggerKind kind, AutomationMode mode, int attempt, Names names) {
  /** The owner's run now, with the owner there to answer. */
  public static final RunTrigger RUN_NOW =
      new RunTrigger(RunSource.MANUAL, TriggerKind.MANUAL, AutomationMode.ASSISTED, 1);

  /** Refuses null, and an attempt below 1. */
  public RunTrigger {
    Objects.requireNonNull(source);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(mode);
    Objects.requireNonNull(names);
    StoredValues.require(attempt >= 1, "an attempt counts from 1, but was %d", attempt);
  }

  /** Of names that this release knows. */
  public RunTrigger(RunSource source, TriggerKind kind, AutomationMode mode, int attempt) {
    this(source, kind, mode, attempt, new Names(source.value(), kind.value(), mode.value()));
  }

  /**
   * As it was stored: a source, kind or mode of a later release is taken for {@link RunSource#MANUAL}, {@link
   * TriggerKind#MANUAL} or {@link AutomationMode#UNATTENDED}, and keeps its name.
   */
  public static RunTrigger stored(Names names, int attempt) {
    return new RunTrigger(
        StoredValues.findOr(RunSource.MANUAL, RunSource::value, names.source()),
        StoredValues.findOr(TriggerKind.MANUAL, TriggerKind::value, names.kind()),
        StoredValues.findOr(AutomationMode.UNATTENDED, AutomationMode::value, names.mode()),
        attempt,
        names);
  }

  /** An attempt of a schedule; from the second on it is a retry. */
  public static RunTrigger scheduled(AutomationMode mode, int attempt) {
    TriggerKind kind = attempt == 1 ? TriggerKind.SCHEDULED : TriggerKind.RETRY;
    return new RunTrigger(RunSource.SCHEDULED, kind, mode, attempt);
  }

  /**
   * What source, kind and mode are stored and shown as: their values, or what a later release named them.
   *
   * @param source of who wanted the run
   * @param kind of what set it off
   * @param mode of how much of a person it may count on
   */
  public record Names(String source, String kind, String mode) {
    /** Refuses null. */
    public Names {
      Objects.requireNonNull(source);
      Objects.requireNonNull(kind);
      Objects.requireNonNull(mode);
    }
  }
}
