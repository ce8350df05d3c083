package dev.runlane.run;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rules of a run's tags, which people find it by: at most {@link ContractDefaults#MAX_TAGS}, each a name, as an
 * id of {@link ContractDefaults#MAX_TAG_NAME_BYTES}, and a value, not empty, of at most {@link
 * ContractDefaults#MAX_TAG_VALUE_BYTES}, which may contain {@code ':'}. Tags decide nothing.
 */
public final class RunTags {
  private RunTags() {}

  /** A copy in the order of names, that cannot be changed. */
  static Map<String, String> copyOf(Map<String, String> tags) {
    return tags.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(tags));
  }

  /** Throws {@link ErrorCode#VALIDATION_FAILED} unless all of them are valid; the message names the tag. */
  public static void require(Map<String, String> tags) {
    if (tags.size() > ContractDefaults.MAX_TAGS) {
      throw RunlaneException.validationFailed(
          "a run has at most %d tags, but %d were given", ContractDefaults.MAX_TAGS, tags.size());
    }
    tags.forEach((name, value) -> {
      requireName(name);
      Identifiers.fault(value.replace(':', '.'), ContractDefaults.MAX_TAG_VALUE_BYTES)
          .ifPresent(wrong -> {
            throw RunlaneException.validationFailed("the value of tag %s %s", name, wrong);
          });
    });
  }

  /** Throws {@link ErrorCode#VALIDATION_FAILED} unless a tag can have this name. */
  public static void requireName(String name) {
    Identifiers.fault(name, ContractDefaults.MAX_TAG_NAME_BYTES).ifPresent(wrong -> {
      throw RunlaneException.validationFailed("the name of a tag %s", wrong);
    });
  }
}
