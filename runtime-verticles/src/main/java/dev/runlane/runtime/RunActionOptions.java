package dev.runlane.runtime;

import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who acts on a run and why. Checked by the call, which fails its future with {@code ValidationFailed}. */
public final class RunActionOptions {
  private Actor actor = ContractDefaults.SYSTEM_ACTOR;
  private @Nullable String reason;
  private @Nullable Map<String, String> traceCarrier;
  private @Nullable Map<String, String> meta;

  /** By the system, without a reason. */
  public RunActionOptions() {}

  /** By an operator. */
  public static RunActionOptions by(String operator) {
    return new RunActionOptions().setActor(Actor.operator(operator));
  }

  /** Who acts. */
  public Actor getActor() {
    return actor;
  }

  /** Sets who acts; the system unless set. */
  public RunActionOptions setActor(Actor actor) {
    this.actor = actor;
    return this;
  }

  /** Why; empty where nobody said. */
  public Optional<String> getReason() {
    return Optional.ofNullable(reason);
  }

  /** Sets why; kept in the history, at most 16 KiB. */
  public RunActionOptions setReason(String reason) {
    this.reason = reason;
    return this;
  }

  /** The trace of the action; empty: none. */
  public Optional<Map<String, String>> getTraceCarrier() {
    return Optional.ofNullable(traceCarrier);
  }

  /** Sets the trace of the action. */
  public RunActionOptions setTraceCarrier(Map<String, String> traceCarrier) {
    this.traceCarrier = Map.copyOf(traceCarrier);
    return this;
  }

  /** Details kept with the event; empty: none. */
  public Optional<Map<String, String>> getMeta() {
    return Optional.ofNullable(meta);
  }

  /** Sets details kept with the event, at most 16 KiB as JSON. */
  public RunActionOptions setMeta(Map<String, String> meta) {
    this.meta = Map.copyOf(meta);
    return this;
  }
}
