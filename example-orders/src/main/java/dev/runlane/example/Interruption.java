package dev.runlane.example;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and its like. The JVM is ending then, but waits for its shutdown hooks: this one tells the program
 * and holds the JVM until the program has put everything away.
 */
final class Interruption {
  private final CompletableFuture<Void> requested = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  private Interruption() {}

  /** Listens from now on; a program that takes longer than {@code patience} to end is cut off. */
  static Interruption listen(Duration patience) {
    Interruption interruption = new Interruption();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> interruption.awaitExit(patience), "interruption"));
    return interruption;
  }

  private void awaitExit(Duration patience) {
    requested.complete(null);
    try {
      if (!ended.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        System.err.println("the program did not end within " + patience.toSeconds() + " s");
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** Completes when the program is to end; never fails. */
  CompletableFuture<Void> requested() {
    return requested;
  }

  boolean isAsked() {
    return requested.isDone();
  }

  /** Everything is put away. */
  void ended() {
    ended.countDown();
  }
}
