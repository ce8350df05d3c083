package dev.runlane.runtime;

import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.GetRun;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Runs the run a wakeup names, if storage says that it is due. One that is due within the tolerated clock
 * skew is held until then: its waker's clock is merely ahead.
 */
record Deliveries(RuntimeContext context, Claims claims, Attempts attempts) {
  Future<DeliveryResult> execute(DeliveryMessage message, String workerId, Executor place) {
    return context
        .storage()
        .getRun(new GetRun(context.environment(), message.runId()))
        .compose(found -> {
          Optional<IgnoredReason> reason = message.environment().equals(context.environment())
              ? found.map(run -> refusal(run, message)).orElse(Optional.of(IgnoredReason.NOT_FOUND))
              : Optional.of(IgnoredReason.NOT_FOUND);
          if (reason.isPresent()) {
            return ignored(reason.get());
          }
          RunRecord run = found.orElseThrow();
          context.registry().requireTask(run.taskId());
          Duration untilDue = untilDue(run);
          if (untilDue.isZero()) {
            return claimAndRun(run, workerId, place);
          }
          return untilDue.compareTo(context.options().toleratedSkew()) <= 0
              ? after(untilDue).compose(due -> execute(message, workerId, place))
              : ignored(IgnoredReason.NOT_DUE);
        });
  }

  private Optional<IgnoredReason> refusal(RunRecord run, DeliveryMessage message) {
    if (run.status().isTerminal()) {
      return Optional.of(IgnoredReason.TERMINAL);
    }
    if (!run.queue().equals(message.queue())
        || context.registry().queue(run.queue()).isEmpty()) {
      return Optional.of(IgnoredReason.WRONG_QUEUE);
    }
    boolean leased = run.status() == RunStatus.CANCELLATION_REQUESTED
        || (run.status() == RunStatus.RUNNING && !untilDue(run).isZero());
    return leased ? Optional.of(IgnoredReason.ALREADY_LEASED) : Optional.empty();
  }

  private Future<DeliveryResult> claimAndRun(RunRecord run, String workerId, Executor place) {
    TaskQueue queue = context.registry().queue(run.queue()).orElseThrow();
    return claims.claim(run, queue.policy(), workerId).compose(claimed -> claimed
        .map(mine -> attempts.start(List.of(mine), place).get(0).closed())
        .map(closed -> closed.<DeliveryResult>map(ended -> ended
            .<DeliveryResult>map(DeliveryResult.Executed::new)
            .orElse(new DeliveryResult.Ignored(IgnoredReason.ABANDONED))))
        .orElseGet(() -> ignored(IgnoredReason.CLAIM_LOST)));
  }

  private Duration untilDue(RunRecord run) {
    Instant now = context.appends().occurredAt(run);
    Duration until = RunDueTimes.runnableAvailableAt(run)
        .map(due -> Duration.between(now, due))
        .orElse(Duration.ZERO);
    return until.isNegative() ? Duration.ZERO : until;
  }

  private Future<Void> after(Duration delay) {
    Promise<Void> over = Promise.promise();
    context.timers().schedule(delay, over::complete);
    return over.future();
  }

  private static Future<DeliveryResult> ignored(IgnoredReason reason) {
    return Future.succeededFuture(new DeliveryResult.Ignored(reason));
  }
}
