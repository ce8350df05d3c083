package dev.runlane.run;

import java.util.Objects;

/**
 * The scope of all durable data and of every uniqueness rule.
 *
 * @param name at most {@value ContractDefaults#MAX_ENVIRONMENT_BYTES} bytes of UTF-8, without {@code ':'}
 */
public record Environment(String name) {
  /** Refuses null. */
  public Environment {
    Objects.requireNonNull(name);
  }

  /**
   * The durable scope string. The only way to derive one: identity that environments may gain later
   * widens this key everywhere at once.
   */
  public String environmentKey() {
    return name;
  }
}
