package dev.runlane.conformance.given;

import dev.runlane.conformance.kit.Given;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;

/**
 * A worker that claims and finishes runs of one queue until none is left. It looks at one run a turn of
 * its context, so that a storage that answers at once does not let it starve its competitors.
 */
public final class QueueDrain {
  /** Looks at runs after which the worker gives up: far more than a storage that works needs. */
  private static final int MOST_LOOKS = 20_000;

  private final Promise<Integer> done = Promise.promise();
  private final Context context = Vertx.currentContext();
  private final StorageAdapter storage;
  private final QueuePolicy queue;
  private final List<String> runIds;
  private final int worker;
  private int looks;
  private int finished;
  private int endedInARow;

  public QueueDrain(StorageAdapter storage, QueuePolicy queue, List<String> runIds, int worker) {
    this.storage = storage;
    this.queue = queue;
    this.runIds = runIds;
    this.worker = worker;
    this.looks = worker * 4;
  }

  /** How many runs this worker finished, once all of them have ended. */
  public Future<Integer> run() {
    look();
    return done.future();
  }

  private void look() {
    if (endedInARow >= runIds.size()) {
      done.complete(finished);
    } else if (looks >= MOST_LOOKS) {
      done.fail(RunlaneException.of(
          ErrorCode.INTERNAL_ERROR, "worker %d looked at the runs in vain", worker));
    } else {
      String runId = runIds.get(looks++ % runIds.size());
      storage
          .getRun(new GetRun(Given.ENVIRONMENT, runId))
          .compose(found -> work(found.orElseThrow()))
          .onSuccess(worked -> context.runOnContext(next -> look()))
          .onFailure(done::fail);
    }
  }

  private Future<?> work(RunRecord run) {
    endedInARow = run.status().isTerminal() ? endedInARow + 1 : 0;
    if (!RunDueTimes.isRunnableAt(run, Given.NOON)) {
      return Future.succeededFuture();
    }
    String token = "tok_" + worker + "_" + looks;
    return storage
        .claimRunLease(Commands.claim(run, queue, Given.lease(token, Given.minutes(1)), Given.NOON))
        .compose(this::finish);
  }

  private Future<?> finish(Optional<AppendedRun> claimed) {
    if (claimed.isEmpty()) {
      return Future.succeededFuture();
    }
    RunRecord run = claimed.get().run();
    return storage
        .appendRunEvents(Commands.append(run, Given.NOON, Events.succeeded(run, Given.NOON)))
        .onSuccess(ended -> finished++);
  }
}
