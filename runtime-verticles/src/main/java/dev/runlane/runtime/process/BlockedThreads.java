package dev.runlane.runtime.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.AttemptUnwound;
import dev.runlane.runtime.host.RuntimeHost;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where threads of a blocking handler wait. Threads of handlers and the home context meet here, so unlike
 * elsewhere everything may be called by any thread.
 */
public final class BlockedThreads {
  private final String runId;
  private final RuntimeHost host;
  private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean over;

  public BlockedThreads(String runId, RuntimeHost host) {
    this.runId = runId;
    this.host = host;
  }

  /** Unwinds every thread that waits or will wait. */
  public void unwind() {
    over = true;
    waiting.forEach(Waiting::wake);
  }

  /** This thread, which is about to wait. */
  public Waiting waiting() {
    return new Waiting(host.turnsWhileWaiting());
  }

  /** What the future answers; work that is {@link Waiting#run handed} to the thread meanwhile is done by it. */
  public <T> T await(Waiting self, Future<T> work) {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException("an event loop must not be blocked");
    }
    waiting.add(self);
    try {
      work.onComplete(done -> self.wake());
      while (!work.isComplete()) {
        if (over) {
          throw new AttemptUnwound(runId);
        }
        self.next(host.canWait()).run();
      }
      return answer(work);
    } finally {
      waiting.remove(self);
    }
  }

  private static <T> T answer(Future<T> work) {
    if (work.succeeded()) {
      return work.result();
    }
    Throwable failure = work.cause();
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    throw new CompletionException(failure);
  }

  /** One thread, and what it has to look at. */
  public final class Waiting {
    /** Holds no more than one wake-up and one try of a step at a time, each asked for by the other side. */
    private final BlockingQueue<Runnable> turns;

    private Waiting(BlockingQueue<Runnable> turns) {
      this.turns = turns;
    }

    /** Has {@code work} done by the thread while it waits. */
    public <T> Future<T> run(Callable<T> work) {
      Promise<T> done = Promise.promise();
      turns.add(() -> {
        try {
          done.complete(work.call());
        } catch (AttemptUnwound unwound) {
          if (over) {
            throw unwound;
          }
          done.tryFail(unwound); // of another attempt, out of what both wait for
        } catch (Throwable failure) {
          done.tryFail(failure);
        }
      });
      return done.future();
    }

    private void wake() {
      turns.add(() -> {}); // the one who waits looks again
    }

    private Runnable next(boolean canWait) {
      if (!canWait) {
        Runnable turn = turns.poll();
        if (turn == null) {
          throw RunlaneException.of(
              ErrorCode.CAPABILITY_UNSUPPORTED,
              "a blocking handler cannot wait where there is only one thread");
        }
        return turn;
      }
      try {
        return turns.take();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "interrupted while waiting")
            .asRetryable(); // as an InterruptedException of the handler's own is
      }
    }
  }
}
