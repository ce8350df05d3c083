package dev.runlane.connector.process.line;

import java.util.concurrent.Semaphore;

/**
 * Lets the readers of all children decode in turns, as many at a time as there are processors: each decodes what it
 * has read, at most one buffer, and queues up behind the others. So fifty children that write as fast as they can get
 * on alike, and their threads leave the event loops, which take what they decode, their share of the processors.
 */
public final class DecodingPermits {
  private static final int LEAST = 2; // so that one very long line keeps nobody else from going on

  private final Semaphore permits =
      new Semaphore(Math.max(LEAST, Runtime.getRuntime().availableProcessors()), true);

  /** For all children of one process. */
  public DecodingPermits() {}

  /** Waits for a turn. */
  void acquire() {
    permits.acquireUninterruptibly();
  }

  /** Gives the turn to who waits for longest. */
  void release() {
    permits.release();
  }
}
