package dev.runlane.example;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Three worker processes. One that dies is reported and replaced; what it worked on goes on at the others when
 * its leases are over. All of it happens on one context.
 */
final class Workers {
  private static final int COUNT = 3;

  /** Longer than a worker's drain and its leaving of the consumer group take, shorter than Ctrl-C waits. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(18);

  /** Whoever lives longer has worked: only shorter lives in a row are a sign that none ever will. */
  private static final Duration SHORT_LIFE = Duration.ofSeconds(30);

  private static final int MOST_SHORT_LIVES = 5;

  private final Vertx vertx;
  private final Context context;
  private final KafkaSetting setting;
  private final Path folder;
  private final Screen screen;
  private final Timers timers;
  private final Map<String, WorkerProcess> running = new HashMap<>();
  private final Promise<Void> trouble = Promise.promise();
  private Future<?> lastLaunch = Future.succeededFuture();
  private int shortLives;
  private boolean stopping;

  Workers(Vertx vertx, KafkaSetting setting, Path folder, Screen screen) {
    this.vertx = vertx;
    this.setting = setting;
    this.folder = folder;
    this.screen = screen;
    context = vertx.getOrCreateContext();
    timers = Timers.of(vertx);
  }

  /** Completes once all processes are started. */
  Future<Void> start() {
    List<Future<Void>> launches = new ArrayList<>();
    for (int number = 1; number <= COUNT; number++) {
      launches.add(launch("worker-" + number, Redirect::to));
    }
    return Future.all(launches).mapEmpty();
  }

  /** Fails when workers can't be kept running; never succeeds. */
  Future<Void> trouble() {
    return trouble.future();
  }

  /** One after the other, so that a stop knows what the last one was. */
  private Future<Void> launch(String name, Function<File, Redirect> onto) {
    Future<Void> launched = lastLaunch.transform(before -> stopping
        ? Future.succeededFuture()
        : vertx
            .executeBlocking(() -> WorkerProcess.spawn(name, setting, folder, onto), false)
            .map(this::watch));
    lastLaunch = launched;
    return launched;
  }

  private Void watch(WorkerProcess worker) {
    running.put(worker.name(), worker);
    screen.say(worker.name() + " is process " + worker.pid());
    Duration born = timers.elapsed();
    end(worker).onSuccess(ended -> {
      running.remove(worker.name());
      if (!stopping) {
        replace(worker, timers.elapsed().minus(born));
      }
    });
    return null;
  }

  private Future<Process> end(WorkerProcess worker) {
    return Future.fromCompletionStage(worker.ended(), context);
  }

  private void replace(WorkerProcess dead, Duration life) {
    shortLives = life.compareTo(SHORT_LIFE) < 0 ? shortLives + 1 : 0;
    String what = dead.name() + " (process " + dead.pid() + ") " + dead.end();
    if (shortLives > MOST_SHORT_LIVES) {
      trouble.tryFail(
          RunlaneException.of(ErrorCode.INTERNAL_ERROR, "workers keep dying, the last: " + what));
      return;
    }
    screen.say(what + "; the others go on with its orders, a new one takes its place");
    launch(dead.name(), Redirect::appendTo).onFailure(trouble::tryFail);
  }

  /** Lets every worker give back what it works on; completes when none is left. */
  Future<Void> stop() {
    stopping = true;
    return lastLaunch.transform(launched -> {
      List<WorkerProcess> left = List.copyOf(running.values());
      left.forEach(WorkerProcess::requestStop);
      return ended(left).timeout(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).recover(late -> {
        screen.say("workers that did not stop within " + STOP_TIMEOUT.toSeconds()
            + " s are killed: " + String.join(", ", running.keySet()));
        left.forEach(WorkerProcess::kill);
        return ended(left);
      });
    });
  }

  private Future<Void> ended(List<WorkerProcess> workers) {
    return Future.join(workers.stream().map(this::end).toList()).mapEmpty();
  }
}
