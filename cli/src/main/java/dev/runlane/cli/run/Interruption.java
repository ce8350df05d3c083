package dev.runlane.cli.run;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and its like. The JVM is ending then, but waits for its shutdown hooks: this one tells the
 * command, and holds the JVM until the run has ended and nothing is left of it.
 */
public final class Interruption {
  private static final int PATIENCE_SECONDS = 30;

  private final CompletableFuture<Void> requested = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean isUnbounded;

  /** Nothing is listened to: for a command that is not a program of its own. */
  public Interruption() {}

  public static Interruption listen() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(new Thread(interruption::awaitExit, "interruption"));
    return interruption;
  }

  /** Completes when the command is to end; never fails. */
  public CompletableFuture<Void> requested() {
    return requested;
  }

  public boolean isAsked() {
    return requested.isDone();
  }

  /** Holds the JVM for as long as the command takes, which has a bound of its own from now on. */
  public void waitForEnd() {
    isUnbounded = true;
  }

  /** Everything is put away. */
  public void ended() {
    ended.countDown();
  }

  private void awaitExit() {
    requested.complete(null);
    try {
      while (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        if (isUnbounded) {
          continue;
        }
        System.err.println("runlane: the command did not end within " + PATIENCE_SECONDS
            + " s; what it was at may be half done");
        return;
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }
}
