package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Waits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The signal of one handler call. Fired on the home context; heard on the handler's. */
final class FiredSignal implements JobSignal {
  private static final Logger LOG = LoggerFactory.getLogger(FiredSignal.class);

  private final Executor executor;
  private final Promise<JobSignalReason> promise = Promise.promise();
  private final Waits waits = new Waits();
  private volatile @Nullable JobSignalReason reason; // read by threads of blocking handlers too

  FiredSignal(Executor executor) {
    this.executor = executor;
  }

  /** Fires for this reason, unless it has fired. Where the handler's place is gone, nobody is there to hear it. */
  void fire(JobSignalReason why) {
    if (reason == null) {
      reason = why;
      try {
        executor.execute(() -> heard(why));
      } catch (RejectedExecutionException gone) {
        LOG.debug("a handler whose context is gone does not hear that it is to give up", gone);
      }
    }
  }

  Optional<JobSignalReason> reason() {
    return Optional.ofNullable(reason);
  }

  @Override
  public Future<JobSignalReason> fired() {
    return promise.future();
  }

  @Override
  public boolean isFired() {
    return reason != null;
  }

  @Override
  public <T> Future<T> untilFired(Future<T> work) {
    return waits.until(work);
  }

  private void heard(JobSignalReason why) {
    try {
      promise.tryComplete(why);
    } finally {
      waits.giveUp(
          () -> RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "gave up: %s", why),
          thrown -> LOG.warn(
              "a callback of the signal of a handler failed", FailureLog.readable(thrown)));
    }
  }
}
