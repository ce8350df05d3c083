package dev.runlane.connector.process.line;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Between the thread that reads a child and the context that handles what it says: lines go over in order,
 * everything that waits in one batch, and the reader waits while the handler is behind.
 *
 * <pre>
 *   reader ──put──► [ pending ] ──take──► [ in the handler ]      pending + in the handler ≤ limit,
 *          waits                                                   or one line alone
 * </pre>
 */
public final class OutputWindow<T> {
  private static final int ITEM_BYTES = 64; // what a decoded line weighs besides its length

  private final Context context;
  private final long limit;
  private final Promise<OutputEnd> ended = Promise.promise();

  // Guarded by this.
  private List<T> pending = new ArrayList<>();
  private LineNumbers pendingNumbers = new LineNumbers();
  private long pendingBytes;
  private long handlingWeight;
  private boolean discarding;
  private boolean armed; // a turn of the context is on its way, or the handler is busy
  private @Nullable OutputEnd end;
  private @Nullable LineHandler<T> handler;

  /** An empty one, whose handler is called on {@code context}. */
  public OutputWindow(Context context, long limit) {
    this.context = context;
    this.limit = limit;
  }

  /** Hands lines to {@code newHandler} from now on, those that wait first. */
  public synchronized void open(LineHandler<T> newHandler) {
    handler = newHandler;
    arm();
  }

  /** Waits for room, then adds, unless nobody wants more; called by the reader. */
  synchronized void put(List<T> items, LineNumbers numbers, long bytes)
      throws InterruptedException {
    while (!discarding && held() > 0 && held() + weight(items, bytes) > limit) {
      wait();
    }
    if (!discarding) {
      pending.addAll(items);
      pendingNumbers.addAll(numbers);
      pendingBytes += bytes;
      arm();
    }
  }

  /** Adds the last lines, of which there are few, without waiting; nothing more is put. */
  synchronized void end(List<T> items, LineNumbers numbers, long bytes, OutputEnd newEnd) {
    if (!discarding) {
      pending.addAll(items);
      pendingNumbers.addAll(numbers);
      pendingBytes += bytes;
    }
    end = newEnd;
    arm();
  }

  /** Drops what waits and refuses more. */
  public synchronized void discard() {
    discarding = true;
    pending = new ArrayList<>();
    pendingNumbers = new LineNumbers();
    pendingBytes = 0;
    notifyAll();
    arm();
  }

  synchronized boolean isDiscarding() {
    return discarding;
  }

  /** Completes on the context, after the last batch has been handled. */
  public Future<OutputEnd> ended() {
    return ended.future();
  }

  private long held() {
    return weight(pending, pendingBytes) + handlingWeight;
  }

  private static long weight(List<?> items, long bytes) {
    return bytes + (long) ITEM_BYTES * items.size();
  }

  private void arm() {
    if (!armed && (end != null || (handler != null && !pending.isEmpty()))) {
      armed = true;
      context.runOnContext(turn -> deliver());
    }
  }

  /** One batch a turn, so that many children share an event loop. */
  private void deliver() {
    LineBatch<T> batch = take();
    if (batch == null) {
      return;
    }
    Future.<Void>succeededFuture()
        .compose(start -> requireHandler().handle(batch))
        .onComplete(handled -> context.runOnContext(turn -> handled(handled.cause())));
  }

  private synchronized @Nullable LineBatch<T> take() {
    if (pending.isEmpty()) {
      armed = false;
      if (end != null) {
        ended.tryComplete(discarding ? new OutputEnd.Discarded() : end);
      }
      return null;
    }
    LineBatch<T> batch = new LineBatch<>(pending, pendingNumbers, pendingBytes);
    handlingWeight = held();
    pending = new ArrayList<>();
    pendingNumbers = new LineNumbers();
    pendingBytes = 0;
    return batch;
  }

  private void handled(@Nullable Throwable failure) {
    if (failure != null) {
      fail(failure);
    }
    synchronized (this) {
      handlingWeight = 0;
      armed = false;
      notifyAll();
      arm();
    }
  }

  private void fail(Throwable failure) {
    ended.tryComplete(new OutputEnd.Failed(failure));
    discard();
  }

  private synchronized LineHandler<T> requireHandler() {
    if (handler == null) {
      throw new IllegalStateException("lines are handed over once the child has been opened");
    }
    return handler;
  }
}
