package dev.runlane.simulation.network;

import io.vertx.core.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What one process's calls go over, and what it is told without asking. */
public interface Line {
  /**
   * Carries a call there and its answer back.
   *
   * @param execute does it at the other end; its future is complete when it returns
   */
  Future<?> call(String method, Supplier<Future<?>> execute);

  /** The listener as the other end calls it. */
  <T> Consumer<T> pushes(Consumer<T> listener);
}
