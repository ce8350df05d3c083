package dev.runlane.cli;

/** Who answers the connector's questions. */
enum InteractionMode {
  /** Whoever sits at the terminal, if there is one; else nobody. */
  AUTO,
  /** Standard input, a terminal or not. */
  ASK,
  /** Nobody: a connector that asks breaks the protocol. */
  NONE;

  boolean isInteractive(boolean terminal) {
    return this == ASK || (this == AUTO && terminal);
  }
}
