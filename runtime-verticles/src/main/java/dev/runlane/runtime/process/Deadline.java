package dev.runlane.runtime.process;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A bound on a wait, on injected timers. */
public final class Deadline {
  private Deadline() {}

  /**
   * What {@code awaited} comes to, or the failure that {@code late} makes once {@code timeout} has passed.
   * Whatever happens to {@code awaited} after that is nobody's concern any more.
   */
  public static <T extends @Nullable Object> Future<T> within(
      Timers timers, Duration timeout, Future<T> awaited, Supplier<RunlaneException> late) {
    return timers.within(timeout, awaited, late);
  }
}
