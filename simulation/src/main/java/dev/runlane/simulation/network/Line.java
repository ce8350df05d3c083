package dev.runlane.simulation.network;

import io.vertx.core.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one process's calls go over, and what it is told without asking. */
public interface Line {
  /**
   * Carries a call there and its answer back.
   *
   * @param execute does it at the other end; its future is complete when it returns
   */
  Future<?> call(String method, Supplier<Future<?>> execute);

  /**
   * The same for a line that looks at what is asked; others carry it as any call.
   *
   * @param command the first argument of the call; null where it has none
   */
  default Future<?> call(String method, @Nullable Object command, Supplier<Future<?>> execute) {
    return call(method, execute);
  }

  /** The listener as the other end calls it. */
  <T> Consumer<T> pushes(Consumer<T> listener);
}
