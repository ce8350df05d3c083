package dev.runlane.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What runs attempts in this process: one lease book, its heartbeater, and the workers that fill it. */
final class Engine {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private final RuntimeContext context;
  private final LeaseBook book = new LeaseBook();
  private final LeaseHeartbeater heartbeater;
  private final Attempts attempts;
  private final Claims claims;
  private final Wakeups wakeups;
  private final RunWaiters waiters;
  private final Set<Worker> workers = new LinkedHashSet<>();

  Engine(RuntimeContext context, Triggers triggers, ObjectMapper mapper) {
    this.context = context;
    heartbeater = new LeaseHeartbeater(context, book);
    AttemptEnds ends = new AttemptEnds(
        mapper, context.options().outputLimits(), context.options().metaLimits());
    attempts = new Attempts(new AttemptParts(context, ends, triggers), book, heartbeater);
    claims = new Claims(context);
    wakeups = new Wakeups(context);
    waiters = new RunWaiters(context);
  }

  Attempts attempts() {
    return attempts;
  }

  Claims claims() {
    return claims;
  }

  RunWaiters waiters() {
    return waiters;
  }

  LeaseHeartbeater heartbeater() {
    return heartbeater;
  }

  LeaseBook book() {
    return book;
  }

  /** A worker that has not started. Throws {@code ConfigurationInvalid} for an unknown queue. */
  Worker worker(WorkerOptions options, Executor place) {
    return new Worker(context, claims, attempts, options, place);
  }

  /** Starts a worker once wakeups reach it; it then works until it is closed. */
  Future<Worker> start(Worker worker) {
    return context.host().call(() -> wakeups.retain().map(listening -> {
      workers.add(worker);
      heartbeater.retain();
      worker.closed().onComplete(done -> context.host().execute(() -> closed(worker)));
      worker.start();
      return worker;
    }));
  }

  /** Stops every worker, then everything else. */
  Future<Void> close() {
    return context.host().call(() -> Future.join(
            List.copyOf(workers).stream().map(Worker::stop).toList())
        .otherwiseEmpty() // a drained worker that failed has told its owner
        .compose(stopped -> attempts.close(WorkerOptions.DEFAULT_DRAIN_TIMEOUT))
        .eventually(() -> {
          waiters.close();
          return Future.succeededFuture();
        }));
  }

  private void closed(Worker worker) {
    if (workers.remove(worker)) {
      heartbeater.release();
      wakeups
          .release()
          .onFailure(failure -> LOG.warn("the subscription to wakeups did not close", failure));
    }
  }
}
