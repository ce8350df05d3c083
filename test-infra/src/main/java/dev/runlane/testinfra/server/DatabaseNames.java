package dev.runlane.testinfra.server;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/** Names for databases that nobody else has. */
public final class DatabaseNames {
  private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_]{0,39}");
  private static final int SUFFIX_BITS = 80;
  private static final SecureRandom RANDOM = new SecureRandom();

  private DatabaseNames() {}

  /** A name that begins with the prefix, or a refusal of that. */
  public static String fresh(String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "a database prefix must match " + PREFIX + ", was " + prefix);
    }
    return prefix + "_" + new BigInteger(SUFFIX_BITS, RANDOM).toString(Character.MAX_RADIX);
  }
}
