package dev.runlane.simulation.jobs;

import dev.runlane.simulation.network.Line;
import io.vertx.core.Future;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A line on which a listener is the same at the other end each time it is given, so that it can be taken back. */
final class ListenerLine implements Line {
  private final Line line;
  private final IdentityHashMap<Consumer<?>, Consumer<?>> there = new IdentityHashMap<>();

  ListenerLine(Line line) {
    this.line = line;
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    return line.call(method, execute);
  }

  @Override
  @SuppressWarnings("unchecked") // it was made from this very listener
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return Objects.requireNonNull(
        (Consumer<T>) there.computeIfAbsent(listener, given -> line.pushes(listener)));
  }
}
