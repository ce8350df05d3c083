package dev.runlane.cli.option;

/** Who answers the connector's questions. */
public enum InteractionMode {
  /** Whoever sits at the terminal, if there is one; else nobody. */
  AUTO,
  /** Standard input, a terminal or not. */
  ASK,
  /** Nobody: a connector that asks breaks the protocol. */
  NONE;

  public boolean isInteractive(boolean terminal) {
    return this == ASK || (this == AUTO && terminal);
  }
}
