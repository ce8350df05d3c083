package dev.runlane.connector.store.key;

import dev.runlane.run.RunlaneException;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
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
    return constant(Arrays.asList(constants), text, value)
        .orElseThrow(() -> new IllegalArgumentException("there is no "
            + constants[0].getDeclaringClass().getSimpleName()
            + " '"
            + value
            + "'"));
  }

  /**
   * The constant that this string is stored for, or the plain one where a later release has stored it: one row that
   * says something new must not take all others with it.
   */
  public static <E extends Enum<E>> E findOr(E plain, Function<E, String> text, String value) {
    return constant(EnumSet.allOf(plain.getDeclaringClass()), text, value).orElse(plain);
  }

  private static <E extends Enum<E>> Optional<E> constant(
      Collection<E> constants, Function<E, String> text, String value) {
    return constants.stream()
        .filter(constant -> text.apply(constant).equals(value))
        .findFirst();
  }
}
