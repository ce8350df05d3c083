package dev.runlane.connector.store.key;

import dev.runlane.run.RunlaneException;
import java.util.function.Function;

/** What all values that are stored have in common: strings for constants, and refusing. */
public final class StoredValues {
  private StoredValues() {}

  /** Refuses what does not hold. */
  public static void require(boolean holds, String format, Object... args) {
    if (!holds) {
      throw RunlaneException.validationFailed(format, args);
    }
  }

  /** The constant that this string is stored for. Throws {@code IllegalArgumentException} where there is none. */
  public static <E extends Enum<E>> E find(E[] constants, Function<E, String> text, String value) {
    for (E constant : constants) {
      if (text.apply(constant).equals(value)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(
        "there is no " + constants[0].getDeclaringClass().getSimpleName() + " '" + value + "'");
  }
}
