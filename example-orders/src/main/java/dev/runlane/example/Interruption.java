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
  private final CompletableFuture<Void> asked = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  private Interruption() {}

  /** Listens from now on; a program that takes longer than {@code patience} to end is cut off. */
  static Interruption listen(Duration patience) {
    Interruption interruption = new Interruption();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> interruption.holdOn(patience), "interruption"));
    return interruption;
  }

  private void holdOn(Duration patience) {
    asked.complete(null);
    try {
      if (!ended.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        System.err.println("the program did not end within " + patience.toSeconds() + " s");
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** Completes when the program is to end; never fails. */
  CompletableFuture<Void> asked() {
    return asked;
  }

  boolean isAsked() {
    return asked.isDone();
  }

  /** Everything is put away. */
  void ended() {
    ended.countDown();
  }
}
