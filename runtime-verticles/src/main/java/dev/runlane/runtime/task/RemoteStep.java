package dev.runlane.runtime.task;

import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepDispatch;
import dev.runlane.steps.task.StepGroups;
import dev.runlane.timing.Backoff;
import java.time.Duration;
import java.time.Instant;

/**
 * Defines a step that a worker of another process executes: its name, its group, the type of its result and how long it
 * is tried. Immutable.
 *
 * @param <T> the result, anything Jackson can read; {@link Json} for the JSON as it is
 */
public final class RemoteStep<T> {
  private static final int PERCENT = 100;

  private final Step<T> step;
  private final String group;
  private final Duration deadline;

  private RemoteStep(Step<T> step, String group, Duration deadline) {
    this.step = step;
    this.group = group;
    this.deadline = deadline;
  }

  /**
   * A step that is tried once within 24 h, in the group its name stands for.
   *
   * @param name what workers register their handler for, 1 to 191 characters; stored with every run, and with
   *     its position in the handler the step's identity. Throws {@code ConfigurationInvalid} when malformed
   * @param resultType what the step answers
   */
  public static <T> RemoteStep<T> of(String name, Class<T> resultType) {
    return new RemoteStep<>(
        Step.of(name, resultType),
        group(StepGroups.token(name, null)),
        ContractDefaults.STEP_DEADLINE);
  }

  /** A step whose result is taken as the JSON it is; absent is null. */
  public static RemoteStep<Json> of(String name) {
    return of(name, Json.class);
  }

  /** The same step for the workers of a partition, such as a tenant or a region. */
  public RemoteStep<T> partition(String partition) {
    return group(StepGroups.token(name(), partition), deadline);
  }

  /** The same step for the workers that poll exactly this group. */
  public RemoteStep<T> inGroup(String group) {
    return group(group, deadline);
  }

  /**
   * The same step, tried again after failures that may be retried. Workers are asked again without the handler
   * being called, and nothing is held meanwhile. Pauses are kept in whole milliseconds, jitter in percent.
   */
  public RemoteStep<T> retry(RetryPolicy policy) {
    if (policy.backoff().first().toMillis() < 1) {
      throw RunlaneException.configurationInvalid(
          "the pauses of a remote step must be at least 1ms, but begin with %s",
          policy.backoff().first());
    }
    return new RemoteStep<>(step.retry(policy), group, deadline);
  }

  /** The same step, failed if it has no result so long after it was asked for, whatever happens meanwhile. */
  public RemoteStep<T> deadline(Duration deadline) {
    if (deadline.isNegative()
        || deadline.isZero()
        || deadline.compareTo(TriggerOptions.LONGEST_DELAY) > 0) {
      throw RunlaneException.configurationInvalid(
          "a deadline must be positive and at most %s, but is %s",
          TriggerOptions.LONGEST_DELAY, deadline);
    }
    return group(group, deadline);
  }

  /** Its name. */
  public String name() {
    return step.name();
  }

  /** Which workers are asked. */
  public String group() {
    return group;
  }

  /** What it answers. */
  public Class<T> resultType() {
    return step.resultType();
  }

  /** How often workers are asked before its failure is recorded. */
  public RetryPolicy retry() {
    return step.retry();
  }

  /** How long it may take. */
  public Duration deadline() {
    return deadline;
  }

  /** Its name, the type of its result and its retries. */
  public Step<T> step() {
    return step;
  }

  /** What is stored for those who ask workers. */
  public StepDispatch dispatch(Instant now) {
    Backoff backoff = retry().backoff();
    Duration first = Duration.ofMillis(backoff.first().toMillis());
    return new StepDispatch(
        now.plus(deadline),
        retry().maxAttempts(),
        first,
        Duration.ofMillis(Math.max(first.toMillis(), backoff.most().toMillis())),
        (int) Math.min(PERCENT - 1, Math.round(backoff.jitter() * PERCENT)));
  }

  /** The pause before the attempt that follows {@code failures}. */
  public static Backoff backoff(StepDispatch dispatch) {
    return new Backoff(
        dispatch.firstPause(),
        dispatch.longestPause(),
        (double) dispatch.jitterPercent() / PERCENT);
  }

  private RemoteStep<T> group(String other, Duration within) {
    return new RemoteStep<>(step, group(other), within);
  }

  private static String group(String group) {
    if (group.isEmpty() || group.length() > ContractDefaults.MAX_STEP_NAME_CHARACTERS) {
      throw RunlaneException.configurationInvalid(
          "a step's group must have 1 to %d characters, but has %d",
          ContractDefaults.MAX_STEP_NAME_CHARACTERS, group.length());
    }
    if (!StorableText.isStorable(group)) {
      throw RunlaneException.configurationInvalid(
          "a step's group must not contain NUL or half a surrogate pair");
    }
    return group;
  }

  @Override
  public String toString() {
    return "RemoteStep[" + name() + " in " + group + "]";
  }
}
