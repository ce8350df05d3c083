package dev.runlane.kafkabroker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ends this process when the launcher says so or is gone. Standard input is a pipe that only the
 * launcher holds open, so that it ends with the launcher, in whatever way.
 */
final class LauncherWatch {
  private static final String STOP = "stop";

  /** For a clean stop; what it does not finish is recovered by the next start. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final BrokerPlan plan;
  private volatile @Nullable Runnable stop;

  private LauncherWatch(BrokerPlan plan) {
    this.plan = plan;
  }

  static LauncherWatch start(BrokerPlan plan) {
    LauncherWatch watch = new LauncherWatch(plan);
    daemon("launcher watch", watch::await);
    return watch;
  }

  /** From here on the broker is stopped cleanly; until now it would have been cut off. */
  void started(Runnable stop) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stopInTime(stop), "stop broker"));
    this.stop = stop;
  }

  private static void stopInTime(Runnable stop) {
    try {
      daemon("stop broker in time", stop).join(STOP_TIMEOUT.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void await() {
    boolean launcherLives = false;
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      launcherLives = STOP.equals(input.readLine());
    } catch (IOException failure) {
      System.err.println("standard input can't be read, so the launcher is gone: " + failure);
    }
    if (!launcherLives && plan.temporary()) {
      // Data is of no more use: ending at once is the surest way.
      deleteFolder();
      Runtime.getRuntime().halt(0);
    }
    if (stop == null) {
      Runtime.getRuntime().halt(0);
    }
    System.exit(0);
  }

  /** The server may still write: what is left over is found by a later launcher. */
  private void deleteFolder() {
    try (Stream<Path> all = Files.walk(plan.folder())) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    } catch (IOException failure) {
      System.err.println(plan.folder() + " is not deleted: " + failure);
    }
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
