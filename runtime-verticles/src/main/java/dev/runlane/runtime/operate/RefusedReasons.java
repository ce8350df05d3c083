package dev.runlane.runtime.operate;

import dev.runlane.json.VertxJson;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.runtime.lease.HeldRun;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;

/** Says of a run that the storage refuses what its attempt came to. */
final class RefusedReasons {
  private RefusedReasons() {}

  /** By the process that has it. */
  static Reason here(RefusedOutcome refused) {
    return new Reason(
        Code.OUTCOME_REFUSED,
        text(
            refused.workerId(),
            refused.since().toString(),
            refused.code().value() + ", " + refused.message(),
            ", %s times so far".formatted(refused.times())),
        Map.of(
            "workerId",
            refused.workerId(),
            "refusedSince",
            refused.since().toString(),
            "code",
            refused.code().value(),
            "message",
            refused.message(),
            "times",
            String.valueOf(refused.times())));
  }

  /** By its owner's last heartbeat; empty where that says nothing of it. */
  static Optional<Reason> told(Lease lease, EventHeader heartbeat) {
    if (heartbeat.meta() == null) {
      return Optional.empty();
    }
    JsonObject meta = VertxJson.object(heartbeat.meta());
    return meta.getValue(HeldRun.OUTCOME_REFUSED) instanceof String code
            && meta.getValue(HeldRun.REFUSED_SINCE) instanceof String since
        ? Optional.of(new Reason(
            Code.OUTCOME_REFUSED,
            text(lease.workerId(), since, code, ""),
            Map.of("workerId", lease.workerId(), "refusedSince", since, "code", code)))
        : Optional.empty();
  }

  private static String text(String workerId, String since, String why, String howOften) {
    return "Worker %s has what its attempt came to, which the storage has refused since %s%s: %s. It is offered again until it is taken or the worker's outcomeTimeout is over; see what refuses it, such as a trigger or a missing right."
        .formatted(workerId, since, howOften, why);
  }
}
