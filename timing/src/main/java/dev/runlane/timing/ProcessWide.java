package dev.runlane.timing;

import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.function.Supplier;

/**
 * Makes what serves a whole process. Vert.x closes pools of threads and connections with the verticle on whose context
 * they were made, but the verticle that happens to make one is not the only one that uses it.
 */
public final class ProcessWide {
  private ProcessWide() {}

  /** What {@code factory} makes; it lives until it is closed, or {@code vertx} is. Throws what the factory throws. */
  public static <T> T make(Vertx vertx, Supplier<T> factory) {
    ContextInternal caller = ((VertxInternal) vertx).getContext();
    if (caller == null || !caller.isDeployment()) {
      return factory.get();
    }
    ContextInternal unowned =
        caller.owner().contextBuilder().withEventLoop(caller.nettyEventLoop()).build();
    ContextInternal before = unowned.beginDispatch();
    try {
      return factory.get();
    } finally {
      unowned.endDispatch(before);
    }
  }
}
