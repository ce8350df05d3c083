package dev.runlane.runtime.task;

import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;

/**
 * Defines a step: its name, the type of its result and how often it is tried. Immutable.
 *
 * @param <T> the result, anything Jackson can write and read back; {@code Void} for steps without one
 */
public final class Step<T> {
  private final String name;
  private final Class<T> resultType;
  private final RetryPolicy retry;

  private Step(String name, Class<T> resultType, RetryPolicy retry) {
    this.name = name;
    this.resultType = resultType;
    this.retry = retry;
  }

  /**
   * A step that is tried once.
   *
   * @param name stable, 1 to 191 characters; stored with every run, and with its position in the handler
   *     the step's identity. Throws {@code ConfigurationInvalid} when malformed
   * @param resultType what the step answers
   */
  public static <T> Step<T> of(String name, Class<T> resultType) {
    if (name.isEmpty() || name.length() > ContractDefaults.MAX_STEP_NAME_CHARACTERS) {
      throw RunlaneException.configurationInvalid(
          "a step's name must have 1 to %d characters, but has %d",
          ContractDefaults.MAX_STEP_NAME_CHARACTERS, name.length());
    }
    if (!StorableText.isStorable(name)) {
      throw RunlaneException.configurationInvalid(
          "a step's name must not contain NUL or half a surrogate pair");
    }
    return new Step<>(name, resultType, RetryPolicy.NONE);
  }

  /**
   * The same step with retries of its own. The attempt continues meanwhile and keeps its lease and its slot, so
   * long pauses belong to the task's own retries.
   */
  public Step<T> retry(RetryPolicy policy) {
    return new Step<>(name, resultType, policy);
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** What it answers. */
  public Class<T> resultType() {
    return resultType;
  }

  /** How often it is tried before its failure is recorded. */
  public RetryPolicy retry() {
    return retry;
  }

  @Override
  public String toString() {
    return "Step[" + name + "]";
  }
}
