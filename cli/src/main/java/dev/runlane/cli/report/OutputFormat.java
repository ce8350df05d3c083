package dev.runlane.cli.report;

import java.io.PrintStream;

/** The format of a run's output. */
public enum OutputFormat {
  /** To a person. */
  TEXT,
  /** To a program, one JSON object a line. */
  JSONL;

  public RunReporter reporter(PrintStream out) {
    return this == TEXT ? new TextReporter(out) : new JsonReporter(out);
  }
}
