package dev.runlane.spring.autoconfigure;

import dev.runlane.storage.StatementObserver;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Several observers of statements as one, told in their order. */
record StatementObservers(List<StatementObserver> all) implements StatementObserver {
  /** What the storage is given: for a single one itself, for none nothing that costs something. */
  static StatementObserver of(List<StatementObserver> all) {
    return switch (all.size()) {
      case 0 -> StatementObserver.NONE;
      case 1 -> all.get(0);
      default -> new StatementObservers(all);
    };
  }

  @Override
  public void slotTaken(String operation, Duration waited) {
    all.forEach(each -> each.slotTaken(operation, waited));
  }

  @Override
  public void statementEnded(
      String operation, int commands, Duration took, @Nullable Throwable failure) {
    all.forEach(each -> each.statementEnded(operation, commands, took, failure));
  }
}
