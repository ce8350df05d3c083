package dev.runlane.runtime;

import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The verticle that made a runtime: once it is undeployed, nobody is left who would close what it did not. For any
 * thread.
 */
final class OwningVerticle {
  private final @Nullable ContextInternal context; // null: no verticle made it
  private final Closeable whenUndeployed;
  private boolean isWatched;

  private OwningVerticle(@Nullable ContextInternal context, Supplier<Future<Void>> close) {
    this.context = context;
    whenUndeployed = ended -> close.get().onComplete(ended);
  }

  /** That on whose context this is called, if any; {@code close} is called when it is undeployed. */
  static OwningVerticle ofCaller(Supplier<Future<Void>> close) {
    ContextInternal current = ContextInternal.current();
    return new OwningVerticle(
        current == null || !current.isDeployment() ? null : current.unwrap(), close);
  }

  /** There is something to be closed from now on. */
  synchronized void watch() {
    if (context != null && !isWatched) {
      isWatched = true;
      context.addCloseHook(whenUndeployed);
    }
  }

  /** It is being closed already. */
  synchronized void forget() {
    if (context != null && isWatched) {
      isWatched = false;
      context.removeCloseHook(whenUndeployed);
    }
  }
}
