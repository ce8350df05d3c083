package dev.runlane.benchmarks.promises;

import java.util.Locale;

/**
 * One figure of a promise.
 *
 * @param what what was measured, with its unit
 * @param before what it was when the promise was not kept
 * @param must what it must be, or nothing where the figure only explains another
 * @param now what it is
 * @param kept whether it is what it must be
 */
record Figure(String what, String before, String must, double now, boolean kept) {
  /** One that may not be larger. */
  static Figure atMost(double bound, String what, String before, double now) {
    return new Figure(what, before, "≤ " + plain(bound), now, now <= bound);
  }

  /** One that may not be smaller. */
  static Figure atLeast(double bound, String what, String before, double now) {
    return new Figure(what, before, "≥ " + plain(bound), now, now >= bound);
  }

  /** One that says what another is compared with. */
  static Figure beside(String what, double now) {
    return new Figure(what, "", "", now, true);
  }

  /** One that is told beside what it was, without a bound. */
  static Figure told(String what, String before, double now) {
    return new Figure(what, before, "", now, true);
  }

  /** A row in Markdown. */
  String row() {
    return "| %s | %s | %s | %s%s |"
        .formatted(what, before, must, plain(now), kept ? "" : " **no**");
  }

  private static String plain(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%,.2f", value);
  }
}
