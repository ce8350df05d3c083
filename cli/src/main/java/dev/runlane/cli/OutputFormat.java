package dev.runlane.cli;

import java.io.PrintStream;

/** How a run is told. */
enum OutputFormat {
  /** To a person. */
  TEXT,
  /** To a program, one JSON object a line. */
  JSONL;

  Narrator narrator(PrintStream out) {
    return this == TEXT ? new TextNarrator(out) : new JsonNarrator(out);
  }
}
