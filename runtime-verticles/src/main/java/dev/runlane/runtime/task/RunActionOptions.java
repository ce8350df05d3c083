package dev.runlane.runtime.task;

import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.textMap;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;

/** Who acts on a run and why. Checked by the call, which fails its future with {@code ValidationFailed}. */
public final class RunActionOptions extends OptionValues<RunActionOptions> {
  private static final OptionSet OPTIONS = OptionSet.of("an action");
  private static final Option<Actor> ACTOR =
      OPTIONS.add("actor", ContractDefaults.SYSTEM_ACTOR, ActionOptionTypes.ACTOR);
  private static final Option<String> REASON = OPTIONS.add("reason", null, text());
  private static final Option<String> NEW_RUN_ID = OPTIONS.add("newRunId", null, text());
  private static final Option<Map<String, String>> TRACE_CARRIER =
      OPTIONS.add("traceCarrier", null, textMap());
  private static final Option<Map<String, String>> META = OPTIONS.add("meta", null, textMap());

  /** By the system, without a reason. */
  public RunActionOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public RunActionOptions(RunActionOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RunActionOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** By an operator. */
  public static RunActionOptions by(String operator) {
    return new RunActionOptions().setActor(Actor.operator(operator));
  }

  /** Who acts. */
  public Actor getActor() {
    return get(ACTOR);
  }

  /** Sets who acts; the system unless set. */
  public RunActionOptions setActor(Actor actor) {
    return set(ACTOR, actor);
  }

  /** Why; empty: no reason given. */
  public Optional<String> getReason() {
    return find(REASON);
  }

  /** Sets why; kept in the history, at most 16 KiB. */
  public RunActionOptions setReason(String reason) {
    return set(REASON, reason);
  }

  /** The id of the run that a retry or rerun makes; empty: one that nobody has. */
  public Optional<String> getNewRunId() {
    return find(NEW_RUN_ID);
  }

  /**
   * Sets the id of the run that a retry or rerun makes, so that the same action with the same id, after an answer was
   * lost, makes no second run. A cancellation makes none.
   */
  public RunActionOptions setNewRunId(String newRunId) {
    return set(NEW_RUN_ID, newRunId);
  }

  /** The trace of the action; empty: none. */
  public Optional<Map<String, String>> getTraceCarrier() {
    return find(TRACE_CARRIER);
  }

  /** Sets the trace of the action. */
  public RunActionOptions setTraceCarrier(Map<String, String> traceCarrier) {
    return set(TRACE_CARRIER, traceCarrier);
  }

  /** Details kept with the event; empty: none. */
  public Optional<Map<String, String>> getMeta() {
    return find(META);
  }

  /** Sets details kept with the event, at most 16 KiB as JSON. */
  public RunActionOptions setMeta(Map<String, String> meta) {
    return set(META, meta);
  }
}
