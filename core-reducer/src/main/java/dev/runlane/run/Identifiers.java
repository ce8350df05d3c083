package dev.runlane.run;

import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of ids and keys: not empty, not too long, no {@code ':'} (adapters compose their internal
 * keys with it), no NUL, and text that UTF-8 can hold. Otherwise opaque: nobody parses them.
 */
public final class Identifiers {
  /**
   * The order of ids wherever it decides: by code points, which is the order of their bytes in UTF-8. The
   * order of {@link String} differs from it beyond the basic plane.
   */
  public static final Comparator<String> ORDER = Identifiers::compare;

  private static final char FIRST_SURROGATE = '\uD800';
  private static final char AFTER_SURROGATES = '\uE000';

  private Identifiers() {}

  private static int compare(String one, String other) {
    int shared = Math.min(one.length(), other.length());
    for (int index = 0; index < shared; index++) {
      char first = one.charAt(index);
      char second = other.charAt(index);
      if (first != second) {
        return rank(first) - rank(second);
      }
    }
    return one.length() - other.length();
  }

  /** Surrogates stand for code points behind all that a single character can be. */
  private static int rank(char character) {
    boolean surrogate = character >= FIRST_SURROGATE && character < AFTER_SURROGATES;
    return surrogate ? character + Character.MAX_VALUE : character;
  }

  /** What is wrong with {@code value}, or empty when it is a valid id or key of at most {@code maxBytes}. */
  public static Optional<String> fault(@Nullable String value, int maxBytes) {
    if (value == null || value.isEmpty()) {
      return Optional.of("must not be empty");
    }
    int bytes = 0;
    for (int index = 0; index < value.length(); index++) {
      char character = value.charAt(index);
      if (character == ':') {
        return Optional.of("must not contain ':', which is reserved");
      }
      if (character == 0) {
        return Optional.of("must not contain NUL");
      }
      if (Character.isSurrogate(character)) {
        boolean pair = Character.isHighSurrogate(character)
            && index + 1 < value.length()
            && Character.isLowSurrogate(value.charAt(index + 1));
        if (!pair) {
          return Optional.of("must not contain half a surrogate pair");
        }
        index++;
        bytes += 4;
      } else {
        bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : 3;
      }
      if (bytes > maxBytes) {
        return Optional.of("must have at most " + maxBytes + " bytes of UTF-8");
      }
    }
    return Optional.empty();
  }

  /** Throws {@link ErrorCode#VALIDATION_FAILED} unless {@code value} is a valid id. */
  public static void requireId(String what, @Nullable String value) {
    require(what, value, ContractDefaults.MAX_ID_BYTES);
  }

  /** Throws {@link ErrorCode#VALIDATION_FAILED} unless {@code value} is null or a valid key. */
  public static void requireKeyOrNull(String what, @Nullable String value) {
    if (value != null) {
      require(what, value, ContractDefaults.MAX_KEY_BYTES);
    }
  }

  /** Throws {@link ErrorCode#VALIDATION_FAILED} unless the environment has a valid name. */
  public static void requireEnvironment(Environment environment) {
    require("environment", environment.name(), ContractDefaults.MAX_ENVIRONMENT_BYTES);
  }

  private static void require(String what, @Nullable String value, int maxBytes) {
    Optional<String> fault = fault(value, maxBytes);
    if (fault.isPresent()) {
      throw RunlaneException.validationFailed("%s %s", what, fault.get());
    }
  }
}
