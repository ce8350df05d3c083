package dev.runlane.connector.store;

import java.util.function.Function;

/** Finds constants by the strings that are stored for them. */
final class StoredValues {
  private StoredValues() {}

  static <E extends Enum<E>> E find(E[] constants, Function<E, String> text, String value) {
    for (E constant : constants) {
      if (text.apply(constant).equals(value)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(
        "there is no " + constants[0].getDeclaringClass().getSimpleName() + " '" + value + "'");
  }
}
