package dev.runlane.cli.narrate;

import java.io.PrintStream;

/** How a run is told. */
public enum OutputFormat {
  /** To a person. */
  TEXT,
  /** To a program, one JSON object a line. */
  JSONL;

  public Narrator narrator(PrintStream out) {
    return this == TEXT ? new TextNarrator(out) : new JsonNarrator(out);
  }
}
