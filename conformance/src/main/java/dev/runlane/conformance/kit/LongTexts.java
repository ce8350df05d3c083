package dev.runlane.conformance.kit;

import java.util.Random;

/** Texts as long as a limit lets them be: of characters of four bytes each, which nothing makes shorter. */
public final class LongTexts {
  private static final int FIRST = 0x20000; // of the second plane of ideographs
  private static final int MANY = 0xa000;

  private LongTexts() {}

  /** So many characters, each of two in Java and of four bytes in UTF-8; others for each seed. */
  public static String of(int characters, long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(2 * characters);
    for (int index = 0; index < characters; index++) {
      text.appendCodePoint(FIRST + random.nextInt(MANY));
    }
    return text.toString();
  }
}
