package dev.runlane.example;

/** What the program's end tells whoever started it. */
enum ExitCode {
  /** Every order is settled. */
  SETTLED(0),
  /** Something the program needs does not work. */
  FAILED(1),
  /** It was started wrongly. */
  USAGE(2),
  /** Ctrl-C; the JVM itself answers with the signal's own code. */
  INTERRUPTED(130);

  private final int value;

  ExitCode(int value) {
    this.value = value;
  }

  int value() {
    return value;
  }
}
