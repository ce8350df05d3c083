package dev.runlane.cli.terminal;

/** How a text is shown where there are colours. */
public enum Style {
  /** As everything else. */
  PLAIN(""),
  /** A heading. */
  BOLD("\u001b[1m"),
  /** Less telling than the rest. */
  DIM("\u001b[2m"),
  /** It went well. */
  GOOD("\u001b[32m"),
  /** It goes on. */
  BUSY("\u001b[36m"),
  /** Worth a look. */
  WARNING("\u001b[33m"),
  /** It went wrong. */
  BAD("\u001b[31m");

  static final String END = "\u001b[0m";

  private final String code;

  Style(String code) {
    this.code = code;
  }

  String code() {
    return code;
  }
}
