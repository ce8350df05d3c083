package dev.runlane.steps;

import java.util.Set;

/** Is notified of tasks and results. Must neither block nor throw. */
public interface StepListener {
  /** Tasks may be there. {@code groups} says in which groups; empty: in any. */
  void onTasks(Set<String> groups);

  /** Results may be there. */
  void onResults();

  /** Signals may have been lost, for example while a connection was down: look once. */
  void onPossibleLoss();
}
