package dev.runlane.conformance.given;

import dev.runlane.run.Environment;
import dev.runlane.run.Lease;
import dev.runlane.run.RunRecord;
import org.jspecify.annotations.Nullable;

/** Records that the reducer did not make, for commands that storage must refuse. */
public final class Forged {
  private Forged() {}

  public static RunRecord withLease(RunRecord run, Lease lease) {
    return copy(run, run.id(), run.environment(), run.eventSequence(), lease);
  }

  public static RunRecord withSequence(RunRecord run, long eventSequence) {
    return copy(run, run.id(), run.environment(), eventSequence, run.lease());
  }

  public static RunRecord withScope(RunRecord run, Environment environment, String id) {
    return copy(run, id, environment, run.eventSequence(), run.lease());
  }

  private static RunRecord copy(
      RunRecord run,
      String id,
      Environment environment,
      long eventSequence,
      @Nullable Lease lease) {
    return new RunRecord(
        id,
        environment,
        run.taskId(),
        run.queue(),
        run.payload(),
        run.status(),
        eventSequence,
        run.counters(),
        run.runAt(),
        run.keys(),
        run.source(),
        run.traceCarrier(),
        run.meta(),
        lease,
        run.reservation(),
        run.awaiting(),
        run.failure(),
        run.output(),
        run.createdAt(),
        run.updatedAt(),
        run.startedAt(),
        run.finishedAt());
  }
}
