package dev.runlane.connector.process;

import dev.runlane.connector.process.os.ProcessTree;
import dev.runlane.timing.FutureLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one child ends, on its context:
 *
 * <pre>
 *   terminate ── TERM to all ── grace ── KILL to all
 *                                │
 *   leader exits ────────────────┴──► KILL to the rest ──► pipes drained or cut ──► ended
 *                (the rest of the grace, if it was asked to)
 * </pre>
 */
final class ChildEnd {
  private static final Logger LOG = LoggerFactory.getLogger(ChildEnd.class);

  /** Pauses between looks for descendants, which are dying themselves a moment after the child. */
  private static final Duration FIRST_LOOK = Duration.ofMillis(10);

  private static final Duration LAST_LOOK = Duration.ofMillis(640);

  private final Context context;
  private final Timers timers;
  private final ChildProcessOptions options;
  private final WorkerExecutor workers;
  private final ProcessTree tree;
  private final ChildStreams<?> streams;
  private final Set<String> pipeNames;

  private final Promise<Integer> exit = Promise.promise();
  private final Promise<Termination> termination = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private final Promise<Void> graceOver = Promise.promise();

  private Future<?> signals =
      Future.succeededFuture(); // those under way; the child has not ended before them
  private boolean terminating;
  private boolean exited;
  private boolean forced;
  private boolean descendantsKilled;
  private Timers.@Nullable Timer grace;

  ChildEnd(
      Context context,
      Timers timers,
      ChildProcessOptions options,
      WorkerExecutor workers,
      ProcessTree tree,
      ChildStreams<?> streams,
      Set<String> pipeNames) {
    this.context = context;
    this.timers = timers;
    this.options = options;
    this.workers = workers;
    this.tree = tree;
    this.streams = streams;
    this.pipeNames = pipeNames;
  }

  /**
   * Follows the process to its end.
   *
   * @param forget called, where it may block, when nothing is left
   */
  void follow(Process process, Callable<Boolean> forget) {
    Future.fromCompletionStage(process.onExit(), context)
        .compose(gone -> leaderExited(gone.exitValue()))
        .compose(drained -> blocking("forgetting it", forget))
        .onComplete(forgotten -> ended.complete());
  }

  Future<Integer> exit() {
    return exit.future();
  }

  Future<Void> ended() {
    return ended.future();
  }

  /** Makes known what stands below the child now, to be ended with it. Never fails. */
  Future<Boolean> findDescendants() {
    return blocking("looking for its descendants", () -> !tree.find().isEmpty());
  }

  Future<Termination> terminate() {
    if (!terminating) {
      terminating = true;
      if (!exited) {
        signals = blocking("asking it to leave", () -> {
              tree.terminate();
              return true;
            })
            .onSuccess(asked -> beginGrace());
      }
    }
    return termination.future();
  }

  /** Once it was asked: where many children end at once, that may take longer than the grace. */
  private void beginGrace() {
    grace = timers.schedule(
        options.getTerminationGrace(), () -> context.runOnContext(turn -> endGrace()));
  }

  private void endGrace() {
    graceOver.tryComplete();
    if (!exited) {
      forced = true;
      signals = Future.join(signals, killTree());
    }
  }

  private Future<Void> leaderExited(int code) {
    exited = true;
    streams.stdin().abort();
    exit.complete(code);
    return awaitOthers()
        .compose(waited -> killTree())
        .compose(killed -> signals)
        .compose(sent -> {
          if (grace != null) {
            grace.cancel();
          }
          termination.complete(new Termination(forced, descendantsKilled));
          return drained();
        });
  }

  /** Descendants of a child that was asked to leave have the rest of its grace, and no longer than they need. */
  private Future<Void> awaitOthers() {
    return terminating && !forced ? awaitOthers(FIRST_LOOK) : Future.succeededFuture();
  }

  private Future<Void> awaitOthers(Duration pause) {
    return blocking("looking for its descendants", () -> tree.find().isEmpty())
        .compose(alone -> alone || graceOver.future().isComplete()
            ? Future.succeededFuture()
            : Future.any(timers.after(pause), graceOver.future())
                .compose(either -> awaitOthers(afterwards(pause))));
  }

  private static Duration afterwards(Duration pause) {
    return pause.compareTo(LAST_LOOK) < 0 ? pause.multipliedBy(2) : pause;
  }

  private Future<Void> killTree() {
    return blocking("killing it and its descendants", tree::kill)
        .onSuccess(others -> descendantsKilled |= others)
        .mapEmpty();
  }

  /**
   * Usually the pipes end by themselves now. If not, somebody got away who still holds one, and is ended too. If
   * that does not help, what is there is read and the pipes are cut. An output that waits for its handler is left
   * alone.
   */
  private Future<Void> drained() {
    return finishedOrSilence()
        .compose(finished -> finished
            ? Future.succeededFuture(true)
            : killHolders().compose(killed -> finishedOrSilence()))
        .compose(finished -> finished ? Future.succeededFuture() : cutWhenSilent());
  }

  private Future<Void> cutWhenSilent() {
    AtomicLong seen = new AtomicLong(-1);
    return FutureLoop.whileTrue(() -> {
      long now = streams.output().bytesRead();
      if (streams.isOutputOver() || (now == seen.get() && streams.isOutputAwaited())) {
        streams.cut();
        return streams.finished().map(false);
      }
      seen.set(now);
      return finishedOrSilence().map(finished -> !finished);
    });
  }

  private Future<Boolean> finishedOrSilence() {
    if (streams.finished().isComplete()) {
      return Future.succeededFuture(true);
    }
    return Future.any(timers.after(options.getDrainSilence()), streams.finished())
        .map(either -> streams.finished().isComplete());
  }

  private Future<Void> killHolders() {
    return blocking("ending who holds its output", () -> tree.killHolders(pipeNames))
        .onSuccess(found -> descendantsKilled |= found)
        .mapEmpty();
  }

  /** A failure of ours must not keep the child's end from being reported. */
  private Future<Boolean> blocking(String what, Callable<Boolean> work) {
    return workers
        .executeBlocking(work, false)
        .onFailure(failure -> LOG.error("child {}: {} failed", tree.leader(), what, failure))
        .otherwise(false);
  }
}
