package dev.runlane.timing;

import io.vertx.core.Context;
import io.vertx.core.internal.ContextInternal;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions on a context of Vert.x: at once for who is there, else in a later turn. What is local to the context is
 * a call's alone where it has turns of its own ({@link #ofCall}): handlers of many runs take turns on one event loop,
 * and a session or a span that one of them keeps there is not another one's.
 *
 * <p>Where the context's worker pool is gone, with a verticle that had one of its own, later turns are refused, or,
 * where they are {@linkplain #lasting lasting}, taken by a context in the pool of Vert.x, the same for all turns of one
 * context: what the verticle began for others goes on.
 */
public final class ContextTurns implements Executor {
  /** Where turns are taken instead, by the context whose pool is gone. Guarded by itself; values know no key. */
  private static final Map<ContextInternal, ContextInternal> INSTEAD = new WeakHashMap<>();

  private final ContextInternal context;
  private final boolean lasting;

  private ContextTurns(ContextInternal context, boolean lasting) {
    this.context = context;
    this.lasting = lasting;
  }

  /** Turns on this context, without what belongs to the request or call that is on it now. */
  public static ContextTurns of(Context context) {
    return new ContextTurns(((ContextInternal) context).unwrap(), false);
  }

  /** The same, which go on elsewhere where the context's worker pool is gone. */
  public static ContextTurns lasting(Context context) {
    return new ContextTurns(((ContextInternal) context).unwrap(), true);
  }

  /** Turns where {@code executor} has its own, for one call; the same where it has no context. */
  public static Executor ofCall(Executor executor) {
    return executor instanceof ContextTurns turns
        ? new ContextTurns(turns.context.unwrap().duplicate(), turns.lasting)
        : executor;
  }

  /** Does the work now, in a turn of {@code executor} where this thread is its context's. Throws what it throws. */
  public static <T> T now(Executor executor, Supplier<T> work) {
    return executor instanceof ContextTurns turns && turns.isHere()
        ? turns.dispatch(work)
        : work.get();
  }

  /**
   * Runs {@code action} in any case: in a later turn of {@code context}, or where lasting turns are taken instead; on
   * this thread where there is no context, and where its Vert.x is closed: who asked there gets an answer all the same.
   */
  public static void always(@Nullable Context context, Runnable action) {
    if (context == null) {
      action.run();
      return;
    }
    try {
      later((ContextInternal) context, action);
    } catch (RejectedExecutionException vertxIsClosed) {
      action.run();
    }
  }

  /**
   * Throws {@code RejectedExecutionException} where the context's worker pool is gone, of lasting turns where Vert.x
   * itself is closed.
   */
  @Override
  public void execute(Runnable action) {
    if (isHere()) {
      dispatch(() -> {
        action.run();
        return action;
      });
    } else if (lasting) {
      later(context, action);
    } else {
      context.runOnContext(turn -> action.run());
    }
  }

  /** In a lasting turn. Throws {@code RejectedExecutionException} where Vert.x is closed. */
  private static void later(ContextInternal context, Runnable action) {
    try {
      context.runOnContext(turn -> action.run());
    } catch (RejectedExecutionException poolIsGone) {
      instead(context.unwrap()).runOnContext(turn -> action.run());
    }
  }

  /** Whether both take turns of the same context, for the same call if it is of one. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ContextTurns turns
        && turns.context == context
        && turns.lasting == lasting;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(context);
  }

  /** Whether this turn is one of the same context, whatever is local to it. */
  public boolean isHere() {
    ContextInternal current = ContextInternal.current();
    return current != null && current.unwrap() == context.unwrap();
  }

  private <T> T dispatch(Supplier<T> work) {
    ContextInternal before = context.beginDispatch();
    try {
      return work.get();
    } finally {
      context.endDispatch(before);
    }
  }

  /** A context with the same threading model, in the pool of Vert.x: one for each, so that its calls take turns. */
  private static ContextInternal instead(ContextInternal gone) {
    synchronized (INSTEAD) {
      return INSTEAD.computeIfAbsent(gone, context -> context
          .owner()
          .contextBuilder()
          .withThreadingModel(context.threadingModel())
          .withEventLoop(context.nettyEventLoop())
          .build());
    }
  }
}
