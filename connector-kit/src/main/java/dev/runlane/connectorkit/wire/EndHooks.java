package dev.runlane.connectorkit.wire;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What is closed when the body has ended, the latest first. Safe for several threads. */
public final class EndHooks {

  private final BiConsumer<String, @Nullable Throwable> report;
  private final Deque<AutoCloseable> hooks = new ArrayDeque<>();

  public EndHooks(BiConsumer<String, @Nullable Throwable> report) {
    this.report = report;
  }

  public synchronized void add(AutoCloseable hook) {
    hooks.push(hook);
  }

  /** Runs all hooks; one that fails is reported and keeps none of the others from running. */
  public void run() {
    for (AutoCloseable hook = next(); hook != null; hook = next()) {
      try {
        hook.close();
      } catch (
          Throwable failed) { // an Error of one, too, must not take DONE and the other hooks along
        report.accept("a hook at the end of the run failed", failed);
      }
    }
  }

  private synchronized @Nullable AutoCloseable next() {
    return hooks.poll();
  }
}
