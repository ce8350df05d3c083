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

  private final CompletableFuture<Void> asked = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Nothing is listened to: for a command that is not a program of its own. */
  public Interruption() {}

  public static Interruption listen() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(new Thread(interruption::holdOn, "interruption"));
    return interruption;
  }

  /** Completes when the command is to end; never fails. */
  public CompletableFuture<Void> asked() {
    return asked;
  }

  public boolean isAsked() {
    return asked.isDone();
  }

  /** Everything is put away. */
  public void ended() {
    ended.countDown();
  }

  private void holdOn() {
    asked.complete(null);
    try {
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("runlane: the run did not end within " + PATIENCE_SECONDS + " s");
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }
}
